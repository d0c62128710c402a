package mixer

import (
	"math/rand/v2"
	"testing"
	"time"

	"voicepool/mixer/internal/victim"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestRefreshRemaining sends random commands at random frames. It checks that whole of virtual voices is
// up to date after refreshScores and refreshRemaining, which update only voices with possible changes.
func TestRefreshRemaining(t *testing.T) {
	stale, looked := 0, 0
	// How many scores are stale depends on when the mixer's own goroutine runs: 900 to 2,200 in 20 programs.
	var lists [3][]*sounds.Sound
	for i := range lists {
		r := rand.New(rand.NewPCG(uint64(i), 12))
		lists[i] = append(crowdSounds(t, r, 6), noiseOfSteps(t, r, 6)...)
		for _, s := range lists[i] { // otherwise another goroutine would compute the spectra at any time
			s.Refine(sounds.SpectrumLevel, false)
			s.Refine(sounds.SpectrumLevel, true)
		}
	}
	for seed := uint64(0); seed < 20 || stale < 1000 && seed < 200; seed++ {
		r := rand.New(rand.NewPCG(seed, 11))
		sounds := lists[seed/2%uint64(len(lists))]
		m, err := New(Config{
			Rate: 8000, Voices: 4, Virtual: 60, Commands: 1024, NoLimiter: true,
			Overflow: []Overflow{StealQuietest, StealMasked}[seed%2], Buses: []BusConfig{{Name: "a"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		a := m.audio.(*audio)
		bus, _ := m.Bus("a")
		for range 120 {
			for range r.IntN(6) {
				target := TargetTag(Tag(1 + r.IntN(9)))
				switch r.IntN(8) {
				default:
					o := Options{
						Loop: r.IntN(2) == 0, Gain: pcm.Decibels(-50 * r.Float64()), Speed: []float64{0, 1.5, 0.3}[r.IntN(3)], EngineOptions: EngineOptions{Tag: Tag(1 + r.IntN(9))},
						From: time.Duration(r.IntN(80)) * time.Millisecond, Filters: Filters{LowPass: float64(r.IntN(4) / 3 * 900)},
					}
					if r.IntN(3) == 0 {
						o.Bus = bus
					}
					m.Play(sounds[r.IntN(len(sounds))], o) // which may be refused
				case 0:
					m.Engine().At(Now).Pause(target)
				case 1:
					m.Engine().At(Now).Resume(target)
				case 2:
					m.Engine().At(Now).Set(target, Change{Fields: FieldGain | FieldSpeed, Gain: pcm.Decibels(-40 * r.Float64()), Speed: 0.5 + r.Float64()}, time.Duration(r.IntN(40))*time.Millisecond)
				case 3:
					m.Engine().At(Now).Set(TargetBus(bus), Change{Fields: FieldGain, Gain: pcm.Decibels(-20 * r.Float64())}, time.Duration(r.IntN(9))*time.Millisecond)
				case 4:
					m.Engine().At(Now).Set(target, Change{Fields: FieldRounds, Rounds: 1 + r.IntN(3)}, 0)
				case 5:
					m.Engine().At(Now).Seek(target, time.Duration(r.IntN(300))*time.Millisecond)
				}
			}
			m.Render(make([]pcm.Frame, 1+r.IntN(150)))
			a.scores.refreshScores(scopeMoving)
			which := []victim.Kind{victim.Any, victim.Endless, victim.Finite}[r.IntN(3)]
			a.scores.refreshRemaining(which)
			for i := a.voices.Next(a.voices.Base()); i >= 0; i = a.voices.Next(i + 1) {
				s := a.current(i)
				if !which.Includes(s.Endless) {
					continue
				}
				soon := a.scores.Audibility(i)
				v := a.scores.voiceAt(i, s)
				heard := a.scores.measure(&v)
				if heard.Remaining != a.scores.Remaining(i) {
					t.Fatalf("seed %d, frame %d: voice %d has %v from now on, want %v", seed, a.now, s.number(), a.scores.Remaining(i), heard.Remaining)
				}
				looked++
				stale += boolInt(s.Virtualizable && heard.Soon != soon)
			}
		}
		m.Close()
	}
	if looked < 10000 || stale < 1000 {
		t.Errorf("of %d scores %d were left for the grid: it proves too little", looked, stale)
	}
}
