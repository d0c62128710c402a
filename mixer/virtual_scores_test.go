package mixer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"voicepool/mixer/internal/victim"
	"voicepool/pcm"
	"voicepool/voice"
)

// TestRefreshRemaining sends random commands at random frames. It checks that whole of virtual voices is
// up to date after refreshScores and refreshRemaining, which update only voices with possible changes.
func TestRefreshRemaining(t *testing.T) {
	stale, looked := 0, 0
	// How many scores are stale depends on when the mixer's own goroutine runs: 900 to 2,200 in 20 programs.
	var lists [3][]*voice.Sound
	for i := range lists {
		r := rand.New(rand.NewPCG(uint64(i), 12))
		lists[i] = append(crowdSounds(t, r, 6), noiseOfSteps(t, r, 6)...)
		for _, s := range lists[i] { // otherwise another goroutine would compute the spectra at any time
			s.Refine(voice.SpectrumLevel, false)
			s.Refine(voice.SpectrumLevel, true)
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
				target := TargetTag(uint64(1 + r.IntN(9)))
				switch r.IntN(8) {
				default:
					o := Options{
						Loop: r.IntN(2) == 0, Gain: pcm.Decibels(-50 * r.Float64()), Speed: []float64{0, 1.5, 0.3}[r.IntN(3)], Tag: uint64(1 + r.IntN(9)),
						From: time.Duration(r.IntN(80)) * time.Millisecond, LowPass: float64(r.IntN(4) / 3 * 900),
					}
					if r.IntN(3) == 0 {
						o.Bus = bus
					}
					m.Play(sounds[r.IntN(len(sounds))], o) // which may be refused
				case 0:
					m.At(Now).Pause(target)
				case 1:
					m.At(Now).Resume(target)
				case 2:
					m.At(Now).Set(target, Change{Fields: FieldGain | FieldSpeed, Gain: pcm.Decibels(-40 * r.Float64()), Speed: 0.5 + r.Float64()}, time.Duration(r.IntN(40))*time.Millisecond)
				case 3:
					m.At(Now).Set(TargetBus(bus), Change{Fields: FieldGain, Gain: pcm.Decibels(-20 * r.Float64())}, time.Duration(r.IntN(9))*time.Millisecond)
				case 4:
					m.At(Now).Set(target, Change{Fields: FieldRounds, Rounds: 1 + r.IntN(3)}, 0)
				case 5:
					m.At(Now).Seek(target, time.Duration(r.IntN(300))*time.Millisecond)
				}
			}
			m.Render(make([]pcm.Frame, 1+r.IntN(150)))
			a.refreshScores(scopeMoving)
			which := []victim.Kind{victim.Any, victim.Endless, victim.Finite}[r.IntN(3)]
			a.refreshRemaining(which)
			for i := a.next(a.base); i >= 0; i = a.next(i + 1) {
				s := a.current(i)
				if !which.Includes(s.endless) {
					continue
				}
				soon := a.scores.Audibility(i)
				heard := a.audibilitiesOf(i, s.shaped, s.power, &s.voice, s.virtualizable)
				if heard.remaining != a.scores.Remaining(i) {
					t.Fatalf("seed %d, frame %d: voice %d has %v from now on, want %v", seed, a.now, s.number(), a.scores.Remaining(i), heard.remaining)
				}
				looked++
				stale += boolInt(s.virtualizable && heard.soon != soon)
			}
		}
		m.Close()
	}
	if looked < 10000 || stale < 1000 {
		t.Errorf("of %d scores %d were left for the grid: it proves too little", looked, stale)
	}
}

// TestMaskFirst changes the masking of real voices and the energy of virtual ones. It checks that the
// first virtual voices to restore are the same whether all are rated or only the possible ones, and that
// no score is below its exact value.
func TestMaskFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 4))
	sounds := noiseOfSteps(t, r, 8)
	m, err := New(Config{Rate: 8000, Voices: 8, Virtual: 400, Commands: 4096, NoLimiter: true, Overflow: StealMasked})
	if err != nil {
		t.Fatal(err)
	}
	for range 400 {
		o := Options{Loop: true, Gain: pcm.Decibels(-70 * r.Float64()), Priority: r.IntN(20) / 19, Pan: r.Float64()*2 - 1}
		if r.IntN(4) == 0 {
			o.Gain = -30 // for equal scores
		}
		if _, err := m.Play(sounds[r.IntN(8)], o); err != nil {
			t.Fatal(err)
		}
	}
	m.Render(make([]pcm.Frame, 1600))
	a, k := m.audio.(*audio), m.audio.(*audio).masks
	firstOnes := func(n int) (first []int) {
		a.scores.PrepareRestore()
		for range n {
			i := a.scores.NextRestore()
			if i < 0 {
				break
			}
			first = append(first, i)
		}
		return first
	}
	rated, all := 0, 0
	for round := range 300 {
		for _, v := range a.real() {
			g := float32(math.Exp(6*r.Float64() - 3))
			for b := range voice.Bands {
				k.hops[v.index][r.IntN(2)].Spread[b] *= g
			}
		}
		for j := a.virtuals.Next(0); j >= 0; j = a.virtuals.Next(j + 1) {
			if g := float32(math.Exp(20*r.Float64() - 10)); r.IntN(3) == 0 {
				e := &k.energy[j]
				e[r.IntN(2)][r.IntN(voice.Bands)] *= g
				switch r.IntN(20) {
				case 0:
					*e = energies{}
				case 1:
					for b := range voice.Bands {
						e[0][b], e[1][b] = 1e24, 1e24
					}
				}
			}
		}
		if round%10 == 0 { // unchanged energies
			m.Render(make([]pcm.Frame, 80))
			a.runGrid()
		}
		n := 1 + r.IntN(fewFree)
		a.scoreVirtualMasking(false, n)
		got, bounds := firstOnes(n), slices.Clone(k.score[a.base:])
		a.scoreVirtualMasking(false, fewFree+1)
		if want := firstOnes(n); !slices.Equal(got, want) {
			t.Fatalf("round %d: %v come back first, want %v", round, got, want)
		}
		for j, waits := range a.scores.RestorePriorities() {
			if waits == victim.Unstealable {
				continue
			}
			exact := k.score[a.base+j]
			if bounds[j] < exact {
				t.Fatalf("round %d: voice %d is said to have at most %v, and has %v", round, j, bounds[j], exact)
			}
			all++
			rated += boolInt(bounds[j] == exact)
		}
	}
	if rated > all*2/3 {
		t.Errorf("%d of %d scores were computed", rated, all)
	}
}
