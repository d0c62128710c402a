package mixer

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer/internal/victim"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// crowdSounds returns sounds at 8 kHz with a loudness that changes every 20 ms.
func crowdSounds(t *testing.T, r *rand.Rand, n int) (all []*sounds.Sound) {
	for range n {
		s := sounds.Samples{Name: "s", Rate: 8000, Channels: 1, Data: make([]float32, 900+r.IntN(6000))}
		for i := range s.Data {
			s.Data[i] = float32(r.Float64() - 0.5)
		}
		s.Envelope.Hop = 160
		for at := 0; at < len(s.Data); at += 160 {
			s.Envelope.Once = append(s.Envelope.Once, float32(0.1*r.Float64()))
		}
		if r.IntN(2) == 0 {
			s.Loop = pcm.Loop{100, int64(200 + r.IntN(700))}
		}
		sound, err := sounds.NewSound(s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, sound)
	}
	return all
}

// TestVirtualVoicesLag sends random commands for exact frames. It checks that frames, events and
// positions do not depend on the block lengths, which determine when lagging virtual voices are updated.
func TestVirtualVoicesLag(t *testing.T) {
	became := 0
	for seed := range uint64(longtest.Amount(4, 12)) {
		var want []pcm.Frame
		var wantEvents []Event
		var wantPositions []time.Duration
		for _, block := range []int{1, 33, 2400} {
			r := rand.New(rand.NewPCG(seed, 7))
			sounds := crowdSounds(t, r, 6)
			m, err := New(Config{
				Rate: 8000, Voices: 4 + r.IntN(5), Virtual: 20 + r.IntN(60), Commands: 2048, NoLimiter: true,
				Overflow: []Overflow{StealQuietest, StealOldest, StealMasked}[r.IntN(3)], Buses: []BusConfig{{Name: "a"}, {Name: "b", Duck: Duck{When: "a", By: 6}}},
			})
			if err != nil {
				t.Fatal(err)
			}
			var handles []Handle
			try := func(err error) {
				if err != nil {
					t.Fatal(err)
				}
			}
			for i := range 400 {
				at := m.Engine().At(r.Int64N(2300))
				bus, _ := m.Bus([]string{"master", "a", "b"}[r.IntN(3)])
				target := TargetTag(Tag(1 + r.IntN(9)))
				if i > 0 && r.IntN(2) == 0 {
					target = TargetVoice(handles[r.IntN(len(handles))])
				}
				switch r.IntN(14) {
				default:
					h, err := at.Play(sounds[r.IntN(len(sounds))], Options{
						Loop: r.IntN(2) == 0, Gain: pcm.Decibels(-50 * r.Float64()), Speed: []float64{0, 0, 1.5, 0.3}[r.IntN(4)], EngineOptions: EngineOptions{Tag: Tag(1 + r.IntN(9))}, Bus: bus,
						For: time.Duration(r.IntN(2)*r.IntN(250)) * time.Millisecond, Priority: r.IntN(2) * r.IntN(2), Filters: Filters{LowPass: float64(r.IntN(2) * r.IntN(2) * 900)},
					})
					try(err)
					handles = append(handles, h)
				case 0:
					if i > 0 {
						_, err := handles[r.IntN(len(handles))].Then(sounds[r.IntN(len(sounds))], Options{Gain: -20}, When(r.IntN(2)))
						try(err)
					}
				case 1:
					try(at.Stop(target, time.Duration(r.IntN(2)*30)*time.Millisecond))
				case 2:
					try(at.Pause(target))
				case 3:
					try(at.Resume(target))
				case 4:
					try(at.Seek(target, time.Duration(r.IntN(900))*time.Millisecond))
				case 5:
					try(at.Set(target, Change{Fields: FieldGain | FieldSpeed, Gain: pcm.Decibels(-40 * r.Float64()), Speed: 0.5 + r.Float64()}, time.Duration(r.IntN(90))*time.Millisecond))
				case 6:
					try(at.Set(TargetBus(bus), Change{Fields: FieldGain, Gain: pcm.Decibels(-20 * r.Float64())}, 20*time.Millisecond))
				case 7:
					try(at.Set(target, Change{Fields: FieldRounds, Rounds: 1 + r.IntN(3)}, 0))
				}
				if i == 0 && len(handles) == 0 {
					h, err := at.Play(sounds[0], Options{Loop: true})
					try(err)
					handles = append(handles, h)
				}
			}
			got := make([]pcm.Frame, 2400)
			for n := 0; n < len(got); n += block {
				m.Prepare()
				m.Render(got[n:min(n+block, len(got))])
			}
			m.Close()
			events := make([]Event, 4096)
			events = events[:m.Events(events)]
			var positions []time.Duration
			for _, h := range handles {
				positions = append(positions, h.Position())
			}
			for i := range events {
				e := &events[i]
				became += boolInt(e.Kind == EventVirtual)
				e.Sound, e.Bus = nil, Bus{}
				e.Steal.BySound = nil
			}
			if want == nil {
				want, wantEvents, wantPositions = got, events, positions
			}
			for i := range min(len(events), len(wantEvents)) {
				if !reflect.DeepEqual(events[i], wantEvents[i]) {
					t.Fatalf("seed %d, blocks of %d: event %d is\n%+v, want\n%+v", seed, block, i, events[i], wantEvents[i])
				}
			}
			if len(events) != len(wantEvents) {
				t.Fatalf("seed %d, blocks of %d: %d events, want %d", seed, block, len(events), len(wantEvents))
			}
			if !slices.Equal(got, want) || !slices.Equal(positions, wantPositions) {
				t.Fatalf("seed %d, blocks of %d: the frames or the positions differ", seed, block)
			}
		}
	}
	if became < 400 {
		t.Errorf("voices became virtual %d times: want at least 400", became)
	}
}

// TestCrowdCost checks that a start at its own frame updates few of the virtual voices, and recomputes
// few scores.
func TestCrowdCost(t *testing.T) {
	const crowd, starts = 4000, 100
	r := rand.New(rand.NewPCG(1, 8))
	sounds := crowdSounds(t, r, 6)
	for _, policy := range []Overflow{StealQuietest, StealMasked} {
		for _, full := range []bool{false, true} {
			m, err := New(Config{Rate: 8000, Voices: 16, Virtual: crowd, Commands: 4 * (crowd + 16), NoLimiter: true, Overflow: policy})
			if err != nil {
				t.Fatal(err)
			}
			for i := range crowd + 16 {
				if _, err := m.Play(sounds[i%6], Options{Loop: true, Gain: pcm.Decibels(-50 * r.Float64()), From: time.Duration(r.IntN(100)) * time.Millisecond}); err != nil {
					t.Fatal(err)
				}
			}
			m.Render(make([]pcm.Frame, 1600))
			a, passed, scored, looked := m.audio.(*audio), 0, 0, 0
			before, now := make([]float32, a.scores.UsedVirtual()), make([]float32, a.scores.UsedVirtual())
			for range starts {
				if a.voices.Virtual() < crowd {
					t.Fatalf("%d voices are virtual", a.voices.Virtual())
				}
				for i := a.voices.Next(a.voices.Base()); i >= 0; i = a.voices.Next(i + 1) {
					if full {
						scored += boolInt(a.scores.RemainingUntil(i) <= a.now)
					} else {
						scored += boolInt(a.scores.ValidUntil(i) <= a.now)
					}
				}
				if full {
					a.scores.refreshScores(scopeMoving)
					a.scores.refreshRemaining(victim.Any)
					for j := range now {
						now[j] = a.scores.Remaining(a.voices.Base() + j)
					}
					for from := 0; from < len(now); from += 64 { // a search reads each run of 64 voices with a change
						if to := min(from+64, len(now)); !slices.Equal(now[from:to], before[from:to]) {
							looked += 64
						}
					}
					copy(before, now)
					var c victim.Choice
					if a.scores.ChooseVirtual(&c, 0, victim.Any); c.Candidates < crowd {
						t.Fatalf("%d voices might be lost", c.Candidates)
					}
				} else {
					a.scores.refreshScores(scopeAll)
				}
				var positions []int64
				for i := a.voices.Next(a.voices.Base()); i >= 0; i = a.voices.Next(i + 1) {
					positions = append(positions, a.voices.At(i).voice.Position())
				}
				a.mix(a.discarded[:1])
				for i := a.voices.Next(a.voices.Base()); i >= 0 && len(positions) > 0; i = a.voices.Next(i + 1) {
					passed += boolInt(a.voices.At(i).voice.Position() != positions[0])
					positions = positions[1:]
				}
			}
			if passed > starts*crowd/10 || scored > starts*crowd/5 || looked > starts*crowd*2/3 {
				t.Errorf("%v, full %v: of %d voices %d were passed, %d scores were computed, %d were looked at, in %d stretches", policy, full, crowd, passed, scored, looked, starts)
			}
		}
	}
}

// TestMaskedCost checks that on the grid few of many virtual voices are rated by the whole formula.
func TestMaskedCost(t *testing.T) {
	const crowd = 4000
	r := rand.New(rand.NewPCG(1, 8))
	sounds := noiseOfSteps(t, r, 8)
	m, err := New(Config{Rate: 8000, Voices: 16, Virtual: crowd, Commands: 4 * (crowd + 16), NoLimiter: true, Overflow: StealMasked})
	if err != nil {
		t.Fatal(err)
	}
	for range crowd {
		if _, err := m.Play(sounds[r.IntN(8)], Options{Loop: true, Gain: pcm.Decibels(-50 * r.Float64())}); err != nil {
			t.Fatal(err)
		}
	}
	a, rated := m.audio.(*audio), 0
	for tick := range 60 {
		m.Render(make([]pcm.Frame, 80))
		a.grid.runGrid()
		a.scores.scoreVirtualMasking(false, 1)
		bounds := slices.Clone(a.scores.Masked[a.voices.Base():])
		a.scores.scoreVirtualMasking(false, fewFree+1)
		for j, waits := range a.scores.RestorePriorities() {
			if tick >= 10 && waits != victim.Unstealable {
				rated += boolInt(bounds[j] == a.scores.Masked[a.voices.Base()+j])
			}
		}
		copy(a.scores.Masked[a.voices.Base():], bounds)
	}
	if rated > 50*crowd/50 {
		t.Errorf("%d of %d voices were rated in 50 places of the grid", rated, crowd)
	}
}

// noiseOfSteps returns prepared sounds of noise at 8 kHz. Their loudness in the next 20 ms has four steps
// in each hop of the index.
func noiseOfSteps(t *testing.T, r *rand.Rand, n int) (all []*sounds.Sound) {
	for i := range n {
		c := &library.Clip{Name: "noise", Rate: 8000, Channels: 1, Samples: make([]float32, 1500+r.IntN(6000))}
		level := 0.0
		for j := range c.Samples {
			if j%100 == 0 {
				level = r.Float64()
			}
			c.Samples[j] = float32(level * (r.Float64() - 0.5))
		}
		if i%2 == 0 {
			frames := int64(len(c.Samples))
			c.Loop = &pcm.Loop{frames / 4, frames / 2}
		}
		s, err := library.Prepare(c, library.Options{Rate: 8000, Masking: true})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}
