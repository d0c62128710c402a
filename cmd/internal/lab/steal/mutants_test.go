package steal_test

import (
	"math"
	"testing"

	"voicepool/cmd/internal/lab/steal"
	"voicepool/internal/longtest"
)

// The mutants: wrong definitions of the quietest voice.
var mutants = []struct {
	name  string
	least score
}{
	{"the most audible", func(s *simulator, e int, f int64) float64 { return -quietest(s, e, f) }},
	{"without the gain", func(s *simulator, e int, f int64) float64 { return s.level(e, f) }},
	{"g for g^2", func(s *simulator, e int, f int64) float64 { return math.Sqrt(s.power(e)) * s.level(e, f) }},
	{"the level of now", func(s *simulator, e int, f int64) float64 {
		now := s.now[s.scene.Events[e].Sound]
		return s.power(e) * now[min(int(s.position(e, f)/simHop), len(now)-1)]
	}},
	{"the index of the beginning", func(s *simulator, e int, _ int64) float64 {
		return s.power(e) * s.index(e, s.scene.Events[e].At)
	}},
	{"the oldest", oldest},
	{"the least gain", leastGain},
}

// variants are possibly better definitions of the quietest voice; only -v shows them.
var variants = []struct {
	name  string
	least score
}{
	{"loops by all that is to come", func(s *simulator, e int, f int64) float64 { return s.power(e) * s.index(e, f) }},
}

// TestMutants checks that stealing the quietest is close to the optimum, and far better than stealing the oldest or the
// lowest gain if these lose their loops for good. Every mutant must miss a limit.
func TestMutants(t *testing.T) {
	if steal.Race {
		t.Skip("one goroutine, and slow")
	}
	corpus := steal.CorpusOne()
	for _, c := range []struct {
		scene              string
		seeds              []uint64
		oldest, gain, best float64 // the minimum improvement and the maximum deficit, in dB
	}{
		{scene: "fire", seeds: []uint64{1, 2, 3}, oldest: 9, gain: 4, best: 0.5},
		{scene: "rts", seeds: []uint64{3}, oldest: 5.3, gain: 3.4, best: 0.3},
	}[:longtest.Amount(1, 2)] {
		const pool = 32
		errors, usual := map[string]float64{}, map[string]float64{}
		best := 0.0
		seeds := c.seeds[:longtest.Amount(1, len(c.seeds))]
		for _, seed := range seeds {
			scene, err := steal.NewScene(c.scene, seed, corpus)
			if err != nil {
				t.Fatal(err)
			}
			sim, err := newSimulator(scene)
			if err != nil {
				t.Fatal(err)
			}
			reference, err := steal.NewReference(steal.Mix(sim.parts, nil, nil, scene.Frames), steal.Rate)
			if err != nil {
				t.Fatal(err)
			}
			measure := func(least score) float64 {
				mix, _ := sim.mix(sim.run(pool, least))
				return reference.KError(mix) / float64(len(seeds))
			}
			errors["quietest"] += measure(quietest)
			for _, m := range mutants {
				errors[m.name] += measure(m.least)
			}
			sim.ends = true // as if stolen loops ended
			usual["oldest"] += measure(oldest)
			usual["gain"] += measure(leastGain)
			sim.ends = false
			for _, m := range variants {
				errors[m.name] += measure(m.least)
			}
			optimum := steal.Optima(sim.parts, scene.Frames, []int{pool})[0]
			best += reference.KError(steal.Mix(sim.parts, optimum.Cuts, steal.Tail(), scene.Frames)) / float64(len(seeds))
		}
		falls := func(name string) bool {
			return usual["oldest"]-errors[name] < c.oldest || usual["gain"]-errors[name] < c.gain || errors[name]-best > c.best
		}
		t.Logf("%s, %d voices: quietest %.2f dB, optimum %.2f", c.scene, pool, errors["quietest"], best)
		for _, m := range variants {
			t.Logf("  %-28s %.2f dB", m.name, errors[m.name])
		}
		if falls("quietest") {
			t.Errorf("%s: the quietest is %.2f dB, the oldest %.2f, the least gain %.2f, the optimum %.2f", c.scene, errors["quietest"], usual["oldest"], usual["gain"], best)
		}
		for _, m := range mutants {
			t.Logf("  %-28s %.2f dB", m.name, errors[m.name])
			if !falls(m.name) {
				t.Errorf("%s: %s does as well: %.2f dB", c.scene, m.name, errors[m.name])
			}
		}
	}
}
