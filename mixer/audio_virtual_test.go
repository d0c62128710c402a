package mixer

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestFirstBack compares nextRestore with a linear search through up to 100 virtual voices, after random
// sets, pauses, mutes and stops.
func TestFirstBack(t *testing.T) {
	for _, policy := range []Overflow{StealQuietest, StealMasked} {
		r := rand.New(rand.NewPCG(1, uint64(policy)))
		m, err := New(Config{Rate: 1000, Voices: 4, Virtual: 100, Overflow: policy, Buses: []BusConfig{{Name: "bus"}}})
		if err != nil {
			t.Fatal(err)
		}
		s, err := sounds.NewSound(sounds.Samples{Rate: 1000, Channels: 1, Data: make([]float32, 400), Envelope: sounds.Envelope{Hop: 20, Once: make([]float32, 20), Near: []float32{
			1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0, 0, 0.2, 0.2, 0.2, 0.2, 0.1, 0.1, 0, 0,
		}}})
		if err != nil {
			t.Fatal(err)
		}
		bus, _ := m.Bus("bus")
		var handles []Handle
		most, none, passed := 0, 0, 0
		for range longtest.Amount(2000, 4000) {
			for range r.IntN(4) {
				o := Options{Gain: pcm.Decibels(-r.IntN(4) * 5), Priority: r.IntN(3) - 1, EngineOptions: EngineOptions{Protect: r.IntN(9) == 0}}
				if r.IntN(2) == 0 {
					o.Bus = bus
				}
				if r.IntN(20) == 0 {
					o.Priority = MaxPriority
				}
				if h, err := m.Play(s, o); err == nil {
					handles = append(handles, h)
				}
			}
			if n := len(handles); n > 200 {
				handles = handles[n-150:]
			}
			if len(handles) > 0 {
				h := handles[r.IntN(len(handles))]
				switch r.IntN(9) {
				case 0:
					h.Pause()
				case 1:
					h.Resume()
				case 2:
					h.SetPriority(r.IntN(5) - 2)
				case 3:
					h.Stop(pcm.Duration(30, 1000))
				case 4:
					bus.SetMute(r.IntN(2) == 0)
				case 5:
					h.SetGain(pcm.Decibels(-r.IntN(5) * 20))
				}
			}
			m.Render(make([]pcm.Frame, 1+r.IntN(8)))
			a := m.audio.(*audio)
			var waiting []int
			for i := a.voices.Next(a.voices.Base()); i >= 0; i = a.voices.Next(i + 1) {
				if s := a.mutable(i); s.paused == 0 && s.voice.FadeEnd() == never {
					waiting = append(waiting, i)
				}
			}
			want := -1
			if len(waiting) > 0 {
				want = slices.MinFunc(waiting, a.before)
			}
			a.scores.PrepareRestore()
			got := a.scores.NextRestore()
			if got != want {
				t.Fatalf("%v: of %d that wait %d comes back first, want %d", policy, len(waiting), got, want)
			}
			most = max(most, len(waiting))
			if want < 0 {
				none++
			} else if slices.ContainsFunc(waiting, func(i int) bool { return a.mutable(i).prio > a.mutable(want).prio }) {
				passed++
			}
		}
		if most < 40 || none == 0 || passed == 0 {
			t.Errorf("%v: at most %d waited; none %d times, silent ones of a higher priority %d times", policy, most, none, passed)
		}
	}
}

// before orders virtual voices by restore order, computed from the voices themselves.
func (a *audio) before(i, j int) int {
	keys := a.scores.RestoreAudibility()
	x, y := keys[i], keys[j]
	if (x == 0) != (y == 0) {
		return cmp.Compare(y, x)
	}
	return cmp.Or(cmp.Compare(a.mutable(j).prio, a.mutable(i).prio), cmp.Compare(y, x), cmp.Compare(a.mutable(i).number(), a.mutable(j).number()))
}

// TestManyComeBack checks that voices are restored in the same order whether many slots become free at
// once or a few at a time.
func TestManyComeBack(t *testing.T) {
	var want []uint64
	for _, step := range []int{fewFree, 4 * fewFree} {
		r := rand.New(rand.NewPCG(3, 4))
		m, err := New(Config{Rate: 1000, Voices: 1, MaxVoices: 200, Virtual: 400, NoLimiter: true})
		if err != nil {
			t.Fatal(err)
		}
		s, err := sounds.NewSound(sounds.Samples{Rate: 1000, Channels: 1, Data: make([]float32, 5000)})
		if err != nil {
			t.Fatal(err)
		}
		for range 300 {
			if _, err := m.Play(s, Options{Gain: pcm.Decibels(-r.IntN(4) * 30), Priority: r.IntN(3)}); err != nil {
				t.Fatal(err)
			}
		}
		m.Render(make([]pcm.Frame, 5))
		a, back := m.audio.(*audio), []uint64(nil)
		events := make([]Event, 2000)
		m.Events(events)
		for voices := 1; voices < 1+4*fewFree; {
			voices += step
			if err := m.Engine().At(Now).Resize(voices); err != nil {
				t.Fatal(err)
			}
			m.Render(make([]pcm.Frame, 1))
			a.grid.restoreIntoFreeSlots()
			for _, e := range events[:m.Events(events)] {
				if e.Kind == EventReal {
					back = append(back, e.Voice)
				}
			}
		}
		if len(back) != 4*fewFree {
			t.Fatalf("%d at a time: %d come back", step, len(back))
		}
		if want == nil {
			want = back
		} else if !slices.Equal(back, want) {
			t.Errorf("%d at a time come back as %v, want %v", step, back, want)
		}
	}
}
