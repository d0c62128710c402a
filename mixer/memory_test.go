package mixer_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestNoAllocation runs every call and every policy with a full pool.
func TestNoAllocation(t *testing.T) {
	for _, policy := range []mixer.Overflow{mixer.StealQuietest, mixer.StealOldest, mixer.StealGain, mixer.Reject, mixer.GrowPool} {
		m := newMixer(t, mixer.Config{Voices: 16, Overflow: policy, Buses: []mixer.BusConfig{{Name: "sfx", Voices: 12}}})
		bus, _ := m.Bus("sfx")
		g, _ := m.NewGroup("g", mixer.GroupOptions{Voices: 5})
		s := level(t, 48000, 20000, 0.5)
		block := make([]pcm.Frame, 512)
		events := make([]mixer.Event, 256)
		n := 0
		if got := testing.AllocsPerRun(200, func() {
			for i := range 6 {
				h, _ := m.Play(s, mixer.Options{Bus: bus, Group: []*mixer.Group{nil, g}[i%2], Pitch: pcm.Semitones(n % 5), Loop: i == 3, EngineOptions: mixer.EngineOptions{Tag: 1}, FadeIn: time.Millisecond})
				h.SetGain(-3)
				h.SetPan(0.5)
				h.Fade(-10, time.Millisecond)
				h.State()
				h.Position()
				if i == 5 {
					h.Pause()
					h.Resume()
				}
				if i == 4 {
					h.Stop(0)
				}
			}
			n++
			m.Engine().At(mixer.Now).Set(mixer.TargetBus(bus), mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan, Gain: pcm.Decibels(-n % 7)}, time.Millisecond)
			m.Engine().At(mixer.Now).Stop(mixer.TargetTag(9), 0)
			m.Engine().At(m.Now() + 100).Resize(8 + n%8)
			if n%10 == 0 {
				m.StopAll(time.Millisecond)
			}
			m.Render(block)
			m.Events(events)
			m.Stats()
		}); got != 0 {
			t.Errorf("%v: %v allocations", policy, got)
		}
	}
}

// TestManyGoroutines calls all methods from many goroutines while blocks are rendered. The race detector
// and the identities of Stats check the result.
func TestManyGoroutines(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 8000, Voices: 8, Commands: 64, MaxVoices: 16})
	s := level(t, 8000, 400, 0.2)
	var wg sync.WaitGroup
	stop := make(chan bool)
	var calls atomic.Int64
	for g := range 6 {
		wg.Go(func() {
			var h mixer.Handle
			for i := 0; ; i++ {
				calls.Add(1)
				runtime.Gosched()
				select {
				case <-stop:
					return
				default:
				}
				switch (i + g) % 9 {
				case 0, 1:
					if n, err := m.Play(s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: mixer.Tag(g)}, Loop: i%7 == 0}); err == nil {
						h = n
					}
				case 2:
					h.SetGain(pcm.Decibels(-i % 30))
				case 3:
					h.Stop(0)
				case 4:
					h.Pause()
				case 5:
					h.State()
					h.Position()
				case 6:
					m.Engine().At(m.Now()+int64(i%100)).Set(mixer.TargetTag(mixer.Tag(1+g)), mixer.Change{Fields: mixer.FieldPan, Pan: 0.3}, 0)
				case 7:
					st := m.Stats()
					if st.Asked != st.Started+st.Rejected+st.Limited || st.Started != st.Ended+st.Stopped+st.Stolen+st.Playing {
						t.Errorf("the identities do not hold: %+v", st)
						return
					}
				case 8:
					m.StopAll(time.Duration(i%3) * time.Millisecond)
				}
			}
		})
	}
	block := make([]pcm.Frame, 64)
	events := make([]mixer.Event, 64)
	for n := 0; n < 3000 || calls.Load() < 3000 && !t.Failed(); n++ {
		m.Render(block)
		m.Events(events)
		runtime.Gosched() // for a single processor
	}
	close(stop)
	wg.Wait()
	m.StopAll(0)
	for range 100 {
		m.Render(block)
	}
	m.StopAll(0)
	m.Render(block)
	if st := m.Stats(); st.Playing != 0 || st.Pending != 0 {
		t.Errorf("left over: %+v", st)
	}
}

// TestEndedSoundsAreCollected checks that the mixer keeps no reference to a sound after its voices have
// ended and its events were polled.
func TestEndedSoundsAreCollected(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	freed := make(chan bool, 1)
	func() {
		s := level(t, 1000, 10, 0.5)
		runtime.AddCleanup(s, func(int) { freed <- true }, 0)
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	}()
	left(m, 50)
	m.Events(make([]mixer.Event, 9))
	for range 100 {
		runtime.GC()
		select {
		case <-freed:
			runtime.KeepAlive(m)
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the mixer still refers to the sound")
}
