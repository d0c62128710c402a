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
	"voicepool/sounds"
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

// TestHandles compares calls of Handles with calls for each voice. The second voice is gone, and the first handle is
// zero.
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

// TestFullHandles calls Handles with room for fewer commands than voices. A stop must end all of them at one frame;
// other calls must not change any voice. Each reading of the clock takes 1 ms.
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

// TestTogetherHoldsPropertiesBack renders between two calls of one Together. No property may change before its end.
// This includes properties set since the last block, and other properties with half of the commands under way.
func TestTogetherHoldsPropertiesBack(t *testing.T) {
	calls := map[string]func(mixer.Handle, mixer.Bus) error{
		"gain":  func(h mixer.Handle, _ mixer.Bus) error { return h.SetGain(-60) },
		"pause": func(h mixer.Handle, _ mixer.Bus) error { return h.Pause() },
		"seek":  func(h mixer.Handle, _ mixer.Bus) error { return h.Seek(800 * ms) },
		"bus":   func(_ mixer.Handle, b mixer.Bus) error { return b.SetGain(-60) },
		"handles": func(h mixer.Handle, _ mixer.Bus) error {
			return mixer.Handles{h}.Set(mixer.Change{Fields: mixer.FieldGain | mixer.FieldPriority, Gain: -60}, 0)
		},
		"stop": func(h mixer.Handle, _ mixer.Bus) error { return h.Stop(0) },
	}
	for name, call := range calls {
		for _, state := range []string{"idle", "set before", "half full"} {
			t.Run(name+", "+state, func(t *testing.T) {
				m := newMixer(t, mixer.Config{Rate: 1000, Commands: 8, Buses: []mixer.BusConfig{{Name: "sfx"}}})
				b, _ := m.Bus("sfx")
				h := play(t, m.Engine().At(0), ramp(t, 1000, 900), mixer.Options{Bus: b})
				twin := newMixer(t, mixer.Config{Rate: 1000})
				play(t, twin.Engine().At(0), ramp(t, 1000, 900), mixer.Options{})
				left(m, 50)
				switch state {
				case "set before":
					if err := errors.Join(h.SetGain(-1), h.SetGain(0), h.Resume(), b.SetGain(-1), b.SetGain(0)); err != nil {
						t.Fatal(err)
					}
				case "half full":
					for range 4 {
						if err := m.Engine().At(5000).Pause(mixer.TargetTag(9)); err != nil {
							t.Fatal(err)
						}
					}
				}
				left(twin, 50)
				var during, want []float32
				m.Engine().Together(func() {
					for range 2 {
						if err := call(h, b); err != nil {
							t.Fatal(err)
						}
						during, want = append(during, left(m, 20)...), append(want, left(twin, 20)...)
					}
				})
				equal(t, during, want)
				if got := left(m, 40); slices.Equal(got, left(twin, 40)) {
					t.Error("no effect after Together")
				}
				if got := left(m, 100)[50:]; name != "seek" && slices.Max(got) > 0.01 {
					t.Errorf("heard %v at the end", slices.Max(got))
				}
			})
		}
	}
}

// TestLaterSetCountsAfterTogether sets a property before, in and after a Together. The last value must count.
func TestLaterSetCountsAfterTogether(t *testing.T) {
	for before := range 3 {
		for after := range 3 {
			m := newMixer(t, mixer.Config{Rate: 1000})
			h := play(t, m.Engine().At(0), level(t, 1000, 900, 0.5), mixer.Options{})
			left(m, 50)
			set := func(n int, gain pcm.Decibels, pause bool) {
				for range n {
					move := h.Resume
					if pause {
						move = h.Pause
					}
					if err := errors.Join(h.SetGain(gain), move()); err != nil {
						t.Fatal(err)
					}
				}
			}
			set(before, -20, false)
			m.Engine().Together(func() { set(2, -30, true) })
			set(after, -40, false)
			left(m, 50)
			want, state := pcm.Decibels(-40), mixer.StatePlaying
			if after == 0 {
				want, state = -30, mixer.StatePaused
			}
			if got, _ := h.Gain(); got != want || h.State() != state {
				t.Errorf("%d before, %d after: gain %v, %v, want %v, %v", before, after, got, h.State(), want, state)
			}
		}
	}
}

// TestFullStopWaitsForTogether stops a voice in a Together with no room for a command. The stop must not overtake the
// commands before it.
func TestFullStopWaitsForTogether(t *testing.T) {
	m := newMixer(t, mixer.Config{Rate: 1000, Commands: 8})
	hs := mixer.Handles{}
	for range 3 {
		hs = append(hs, play(t, m.Engine().At(0), level(t, 1000, 9000, 0.5), mixer.Options{}))
	}
	left(m, 10)
	m.Engine().Together(func() {
		for range 8 {
			if err := m.Engine().At(mixer.Now).Pause(mixer.TargetTag(9)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(hs[:2].Stop(0), hs[2].Stop(0)); err != nil {
			t.Fatal(err)
		}
		left(m, 10)
		for i, h := range hs {
			if h.State() != mixer.StatePlaying {
				t.Errorf("voice %d is %v in Together", i, h.State())
			}
		}
	})
	left(m, 10)
	if got := eventFrames(m, mixer.EventStopped); !slices.Equal(got, []int64{20, 20, 20}) {
		t.Errorf("the voices stop at %v, want 20", got)
	}
}

// TestStopCancelsHeldStart stops a start in the Together that requested it, with and without room for a command. It
// must not steal the playing voice.
func TestStopCancelsHeldStart(t *testing.T) {
	for name, stop := range map[string]func(mixer.Handle) error{
		"Handle":  func(h mixer.Handle) error { return h.Stop(0) },
		"Handles": func(h mixer.Handle) error { return mixer.Handles{h}.Stop(0) },
	} {
		for _, lead := range []time.Duration{0, 5 * ms} {
			for _, commands := range []int{2, 64} {
				m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Commands: commands, Lead: lead, Clock: new(clock).read})
				s := level(t, 1000, 900, 0.5)
				old := play(t, m.Engine().At(0), s, mixer.Options{Gain: -40})
				left(m, 50)
				var h mixer.Handle
				m.Engine().Together(func() {
					h = play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
					if commands == 2 {
						must(t, m.Engine().At(mixer.Now).Pause(mixer.TargetTag(9)))
					}
					if err := stop(h); err != nil {
						t.Fatal(err)
					}
				})
				left(m, 50)
				if old.State() != mixer.StatePlaying || h.State() != mixer.StateStopped || m.Stats().Stolen != 0 {
					t.Errorf("%s, lead %v, %d commands: the old voice is %v, the new one %v, %d stolen", name, lead, commands, old.State(), h.State(), m.Stats().Stolen)
				}
			}
		}
	}
}

// TestHandlesLeaveOtherMixersAlone sets the rounds of streams of two mixers. Only the first mixer's stream may change.
func TestHandlesLeaveOtherMixersAlone(t *testing.T) {
	var opened [2]int
	var hs mixer.Handles
	for i := range opened {
		s, err := sounds.NewStream(sounds.Stream{Rate: 1000, Frames: 900, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
			opened[i]++
			f := sounds.NewStreamBuffer(4096, c)
			f.Write(make([]pcm.Frame, 900))
			f.End()
			return f, nil
		}})
		must(t, err)
		m := newMixer(t, mixer.Config{Rate: 1000})
		hs = append(hs, play(t, m.Engine().At(0), s, mixer.Options{Loop: true}))
		left(m, 1)
	}
	must(t, hs.Set(mixer.Change{Fields: mixer.FieldRounds, Rounds: 2}, 0))
	if opened != [2]int{2, 1} {
		t.Errorf("the streams were opened %v times, want 2 and 1", opened)
	}
}
