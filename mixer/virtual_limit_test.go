package mixer_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// indexed returns a second of silence at 1000 Hz with an index for the rest of the sound, and one for the
// next 20 ms at each hop.
func indexed(t *testing.T, once float32, near func(hop int) float32) *sounds.Sound {
	e := sounds.Envelope{Hop: 20}
	for hop := range 2000 {
		e.Once, e.Near = append(e.Once, once), append(e.Near, near(hop))
	}
	return sound(t, sounds.Samples{Rate: 1000, Channels: 1, Data: make([]float32, 40000), Envelope: e})
}

// TestVirtualLimit checks that a limit ends a voice for good, even if virtual voices are possible. The
// victim is the voice that is least audible from now on, not in the next 20 ms.
func TestVirtualLimit(t *testing.T) {
	swell := indexed(t, 0.1, func(int) float32 { return 1e-6 })
	tail := indexed(t, 1e-4, func(int) float32 { return 1e-4 })
	for _, policy := range []mixer.Overflow{mixer.StealQuietest, mixer.StealMasked} {
		for _, virtual := range []int{0, 4} {
			if policy == mixer.StealMasked && virtual == 0 {
				continue
			}
			m := newMixer(t, mixer.Config{Rate: 1000, Voices: 8, Virtual: virtual, Overflow: policy, NoLimiter: true, Buses: []mixer.BusConfig{{Name: "b", Voices: 2}}})
			g, err := m.NewGroup("g", mixer.GroupOptions{Voices: 2})
			if err != nil {
				t.Fatal(err)
			}
			b, _ := m.Bus("b")
			for _, o := range []mixer.Options{{Group: g}, {Bus: b}} {
				s := play(t, m.Engine().At(0), swell, o)
				d := play(t, m.Engine().At(0), tail, o)
				play(t, m.Engine().At(30), tail, o)
				m.Render(make([]pcm.Frame, 50))
				if s.State() == mixer.StateStolen || d.State() != mixer.StateStolen {
					t.Errorf("%v, %d virtual voices: the swell is %v, the tail %v", policy, virtual, s.State(), d.State())
				}
				events := make([]mixer.Event, 20)
				for _, e := range events[:m.Events(events)] {
					if e.Kind == mixer.EventStolen && (e.Steal.Audibility > pcm.FromPower(2e-4) || e.Steal.Newcomer > pcm.FromPower(2e-4) || e.Steal.RunnerUp < pcm.FromPower(0.01) || e.Steal.Candidates != 2 || e.Steal.Peers != 2) {
						t.Errorf("%v, %d virtual voices: the event says %+v", policy, virtual, e)
					}
				}
				m.StopAll(0)
				m.Render(make([]pcm.Frame, 70))
			}
		}
	}
}

// TestVirtualPositions alternates two voices on one slot. Concurrent reads of a position must never
// return the other voice's.
func TestVirtualPositions(t *testing.T) {
	var sounds [2]*sounds.Sound
	for on := range sounds {
		sounds[on] = indexed(t, 0.1, func(hop int) float32 {
			if hop%2 == on {
				return 0.1
			}
			return 1e-6
		})
	}
	rounds := 12
	if !longtest.Enabled() {
		rounds = 3
	}
	swaps := 0
	for range rounds {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Virtual: 1, NoLimiter: true, Events: 4096})
		early := play(t, m.Engine().At(mixer.Now), sounds[0], mixer.Options{})
		late := play(t, m.Engine().At(mixer.Now), sounds[1], mixer.Options{From: 20 * time.Second})
		block := make([]pcm.Frame, 20)
		m.Render(block)
		var stop atomic.Bool
		var reads atomic.Int64
		var reader sync.WaitGroup
		reader.Go(func() {
			for !stop.Load() {
				if at := early.Position(); at >= 20*time.Second {
					t.Errorf("the early one is said to be at %v", at)
					return
				}
				if at := late.Position(); at < 20*time.Second {
					t.Errorf("the late one is said to be at %v", at)
					return
				}
				if reads.Add(1)%64 == 0 {
					runtime.Gosched()
				}
			}
		})
		events := make([]mixer.Event, 64)
		for k := range 900 {
			if k%30 == 0 { // for a reader that runs late, on a single processor
				for before := reads.Load(); reads.Load() == before && !t.Failed(); {
					runtime.Gosched()
				}
			}
			m.Render(block)
			for _, e := range events[:m.Events(events)] {
				if e.Kind == mixer.EventReal {
					swaps++
				}
			}
		}
		stop.Store(true)
		reader.Wait()
	}
	if swaps < 100*rounds {
		t.Errorf("%d exchanges: they prove nothing", swaps)
	}
}

// TestVirtualLostEvent checks the event of a lost virtual voice: the number of candidates, the runner-up,
// and levels of the whole remainder.
func TestVirtualLostEvent(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Virtual: 3, Overflow: mixer.Reject, NoLimiter: true})
	near := func(int) float32 { return 1e-6 }
	play(t, m.Engine().At(0), indexed(t, 1, near), mixer.Options{})
	for i, index := range []float32{1e-4, 1e-3, 1e-2} {
		play(t, m.Engine().At(0), indexed(t, index, near), mixer.Options{EngineOptions: mixer.EngineOptions{Protect: i == 0}})
	}
	play(t, m.Engine().At(5), indexed(t, 0.1, near), mixer.Options{})
	left(m, 10)
	events := make([]mixer.Event, 20)
	for _, e := range events[:m.Events(events)] {
		about := func(got pcm.Decibels, want float64) bool {
			return got > pcm.FromPower(0.99*want) && got < pcm.FromPower(1.01*want)
		}
		if e.Kind == mixer.EventStolen {
			if e.Voice != 3 || e.Steal.Candidates != 2 || e.Steal.Peers != 2 || !about(e.Steal.Audibility, 1e-3) || !about(e.Steal.RunnerUp, 1e-2) || !about(e.Steal.Newcomer, 0.1) {
				t.Errorf("%+v", e)
			}
			return
		}
	}
	t.Error("none is lost")
}
