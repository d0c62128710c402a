package mixer_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestTogether renders between two starts of one Together. Both must begin after it.
func TestTogether(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	s := level(t, 1000, 100, 0.25)
	start := func() {
		play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
		if left(m, 10); m.Stats().Playing != 0 {
			t.Errorf("%d voices play before Together returns", m.Stats().Playing)
		}
	}
	m.Engine().Together(func() {
		start()
		m.Engine().Together(start)
		start()
	})
	left(m, 10)
	if got := eventFrames(m, mixer.EventStarted); !slices.Equal(got, []int64{30, 30, 30}) {
		t.Errorf("the voices begin at %v, want 30", got)
	}
}

// eventFrames reads all events and returns the frames of those with the given kind.
func eventFrames(m *mixer.Mixer, kind mixer.EventKind) (frames []int64) {
	events := make([]mixer.Event, 64)
	for _, e := range events[:m.Events(events)] {
		if e.Kind == kind {
			frames = append(frames, e.Frame)
		}
	}
	return frames
}

// handlesCalls are calls of Handles, by name, and the same calls for one voice.
var handlesCalls = map[string]struct {
	together func(mixer.Handles) error
	single   func(mixer.Handle) error
}{
	"Stop":          {func(hs mixer.Handles) error { return hs.Stop(0) }, func(h mixer.Handle) error { return h.Stop(0) }},
	"Stop, fading":  {func(hs mixer.Handles) error { return hs.Stop(50 * ms) }, func(h mixer.Handle) error { return h.Stop(50 * ms) }},
	"Pause":         {mixer.Handles.Pause, mixer.Handle.Pause},
	"Resume":        {mixer.Handles.Resume, mixer.Handle.Resume},
	"Pause, Resume": {func(hs mixer.Handles) error { return errors.Join(hs.Pause(), hs.Resume()) }, func(h mixer.Handle) error { return errors.Join(h.Pause(), h.Resume()) }},
	"Set": {
		func(hs mixer.Handles) error {
			return hs.Set(mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan | mixer.FieldRounds, Gain: -9, Pan: -1, Rounds: 2}, 0)
		},
		func(h mixer.Handle) error { return errors.Join(h.SetGain(-9), h.SetPan(-1), h.SetLoop(2)) },
	},
}

// TestHandles compares calls of Handles with calls for each voice. The second voice is gone, and the first handle is zero.
func TestHandles(t *testing.T) {
	run := func(lead time.Duration, move func(hs mixer.Handles) error) []float32 {
		m := newMixer(t, mixer.Config{Rate: 1000, Lead: lead, Clock: new(clock).read})
		gone := play(t, m.Engine().At(0), level(t, 1000, 5, 1), mixer.Options{})
		hs := mixer.Handles{{}, gone}
		for i := range 3 {
			hs = append(hs, play(t, m.Engine().At(0), ramp(t, 1000, 60), mixer.Options{Loop: true, Gain: pcm.Decibels(-6 * i)}))
		}
		hs = append(hs, play(t, m.Engine().At(90), level(t, 1000, 200, 0.5), mixer.Options{}))
		left(m, 50)
		if err := move(hs); err != nil {
			t.Fatal(err)
		}
		return left(m, 400)
	}
	for name, c := range handlesCalls {
		for _, lead := range []time.Duration{0, 5 * ms} {
			t.Run(fmt.Sprint(name, lead), func(t *testing.T) {
				equal(t, run(lead, c.together), run(lead, func(hs mixer.Handles) error {
					for _, h := range hs {
						if err := c.single(h); err != nil && !errors.Is(err, mixer.ErrGone) {
							return err
						}
					}
					return nil
				}))
			})
		}
	}
}

// TestHandlesErrors checks the errors of Handles, and that another mixer's voice is skipped.
func TestHandlesErrors(t *testing.T) {
	m, other := newMixer(t, mixer.Config{Rate: 1000}), newMixer(t, mixer.Config{Rate: 1000})
	s := level(t, 1000, 200, 0.5)
	own, foreign := play(t, m.Engine().At(0), s, mixer.Options{}), play(t, other.Engine().At(0), s, mixer.Options{})
	left(m, 1)
	left(other, 1)
	hs := mixer.Handles{own, foreign}
	for name, err := range map[string]error{
		"gain": hs.Set(mixer.Change{Fields: mixer.FieldGain, Gain: 99}, 0), "nothing": hs.Set(mixer.Change{}, 0),
		"mute": hs.Set(mixer.Change{Fields: mixer.FieldMute, Mute: true}, 0), "volume": hs.Set(mixer.Change{Fields: mixer.FieldVolume}, 0),
	} {
		if !errors.Is(err, mixer.ErrOption) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := hs.Stop(0); err != nil {
		t.Fatal(err)
	}
	left(m, 20)
	left(other, 20)
	if own.State() != mixer.StateStopped || foreign.State() != mixer.StatePlaying {
		t.Errorf("the voice of the mixer is %v, the other one %v", own.State(), foreign.State())
	}
	for _, gone := range []mixer.Handles{nil, {{}}, {own}} {
		for name, c := range handlesCalls {
			if err := c.together(gone); !errors.Is(err, mixer.ErrGone) {
				t.Errorf("%s of %d ended voices: %v", name, len(gone), err)
			}
		}
	}
}

// TestFullHandles calls Handles with room for fewer commands than voices. A stop must end all of them at one frame; other
// calls must not change any voice. Each reading of the clock takes 1 ms.
func TestFullHandles(t *testing.T) {
	for _, lead := range []time.Duration{0, 5 * ms} {
		var now time.Duration
		m := newMixer(t, mixer.Config{Rate: 1000, Commands: 8, Lead: lead, Clock: func() time.Duration {
			now += time.Millisecond
			return now
		}})
		var hs mixer.Handles
		for range 3 {
			hs = append(hs, play(t, m.Engine().At(0), level(t, 1000, 9000, 0.5), mixer.Options{}))
		}
		left(m, 10)
		for range 6 {
			if err := m.Engine().At(mixer.Now).Pause(mixer.TargetTag(9)); err != nil {
				t.Fatal(err)
			}
		}
		want := mixer.ErrBusy
		if lead == 0 { // pending sets need no room
			want = nil
		}
		if err := hs.Set(mixer.Change{Fields: mixer.FieldGain, Gain: -20}, 0); err != want {
			t.Errorf("a set with a lead of %v: %v, want %v", lead, err, want)
		}
		eventFrames(m, mixer.EventStarted)
		if err := hs.Stop(0); err != nil {
			t.Errorf("a stop with a lead of %v: %v", lead, err)
		}
		for range 100 {
			left(m, 1)
		}
		if got := eventFrames(m, mixer.EventStopped); len(got) != 3 || got[0] != got[1] || got[1] != got[2] {
			t.Errorf("with a lead of %v the voices stop at %v", lead, got)
		}
	}
}

// TestHandlesShareABlock starts, sets and stops voices together while another goroutine renders blocks of one frame.
func TestHandlesShareABlock(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000})
	s := level(t, 1000, 1000, 0.1)
	done := make(chan struct{})
	var renders sync.WaitGroup
	renders.Go(func() {
		block := make([]pcm.Frame, 1)
		for {
			select {
			case <-done:
				return
			default:
				m.Render(block)
			}
		}
	})
	frames := map[mixer.EventKind][]int64{}
	events := make([]mixer.Event, 64)
	read := func() {
		for _, e := range events[:m.Events(events)] {
			frames[e.Kind] = append(frames[e.Kind], e.Frame)
		}
	}
	const voices = 6
	for range 150 {
		var hs mixer.Handles
		m.Engine().Together(func() {
			for range voices {
				hs = append(hs, play(t, m.Engine().At(mixer.Now), s, mixer.Options{Loop: true}))
			}
		})
		if err := errors.Join(hs.Pause(), hs.Resume(), hs.Stop(0)); err != nil {
			t.Fatal(err)
		}
		<-hs[voices-1].Done()
		read()
	}
	close(done)
	renders.Wait()
	read()
	for _, kind := range []mixer.EventKind{mixer.EventStarted, mixer.EventStopped} {
		if len(frames[kind]) != 150*voices {
			t.Errorf("%d events of kind %v, want %d", len(frames[kind]), kind, 150*voices)
		}
		for group := range slices.Chunk(frames[kind], voices) {
			if slices.Min(group) != slices.Max(group) {
				t.Fatalf("%v at frames %v, want one frame", kind, group)
			}
		}
	}
}
