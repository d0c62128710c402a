package mixer_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestStopsOfAFullRing sends several stops without room in the ring buffer. The earliest end counts,
// whatever their order and target.
func TestStopsOfAFullRing(t *testing.T) {
	stops := map[string]func(m *mixer.Mixer, h mixer.Handle, over time.Duration){
		"Stop":    func(_ *mixer.Mixer, h mixer.Handle, over time.Duration) { h.Stop(over) },
		"StopAll": func(m *mixer.Mixer, _ mixer.Handle, over time.Duration) { m.StopAll(over) },
	}
	for a, first := range stops {
		for b, second := range stops {
			for _, over := range [][2]time.Duration{{0, 10 * time.Second}, {10 * time.Second, 0}} {
				m := newMixer(t, mixer.Config{Rate: 1000, Commands: 2})
				h := play(t, m.Engine().At(mixer.Now), level(t, 1000, 20000, 1), mixer.Options{})
				m.Render(make([]pcm.Frame, 50))
				fill(m)
				first(m, h, over[0])
				second(m, h, over[1])
				m.Render(make([]pcm.Frame, 1))
				if h.State() != mixer.StateStopped {
					t.Errorf("%s over %v and then %s over %v: the voice is %v", a, over[0], b, over[1], h.State())
				}
			}
		}
	}
}

// fill fills the ring buffer.
func fill(m *mixer.Mixer) {
	for m.Engine().At(1<<40).Stop(mixer.TargetTag(1), 0) == nil {
	}
	for m.Engine().At(mixer.Now).Resume(mixer.TargetTag(1)) == nil {
	}
}

// TestStopsAreNeverLost sends random starts and stops, with room in the ring buffer and without. Every
// voice must stop at the earliest end of its stops. Starts for later frames must begin unless they were
// stopped themselves.
func TestStopsAreNeverLost(t *testing.T) {
	s := level(t, 1000, 1<<20, 0.001)
	var full, both int
	rapid.Check(t, func(rt *rapid.T) {
		const never = int64(1) << 60
		type start struct {
			handle    mixer.Handle
			at, end   int64
			cancelled bool
		}
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 64, Commands: rapid.IntRange(1, 4).Draw(rt, "commands"), NoLimiter: true, Events: 4096})
		m.Render(make([]pcm.Frame, 1)) // no voice can end at frame 0
		var starts []*start
		now := func() int64 { return m.Now() }
		overs := rapid.SampledFrom([]int64{0, 0, 1, 7, 40, 10000})
		stop := func(v *start, over int64, all bool) {
			switch {
			case v.at > now() && all:
			case v.at > now():
				v.cancelled = true
			case v.end > now():
				v.end = min(v.end, now()+over)
			}
		}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			busy := m.Stats().Busy
			switch rapid.IntRange(0, 6).Draw(rt, "step") {
			case 0, 1:
				at := int64(mixer.Now)
				if rapid.Bool().Draw(rt, "later") {
					at = now() + int64(rapid.IntRange(1, 60).Draw(rt, "by"))
				}
				h, err := m.Engine().At(at).Play(s, mixer.Options{})
				if errors.Is(err, mixer.ErrBusy) || len(starts) == 60 {
					continue
				}
				must(t, err)
				starts = append(starts, &start{handle: h, at: max(at, now()), end: never})
			case 2, 3:
				if len(starts) == 0 {
					continue
				}
				v := starts[rapid.IntRange(0, len(starts)-1).Draw(rt, "voice")]
				over := overs.Draw(rt, "over")
				if v.handle.Stop(time.Duration(over)*time.Millisecond) == nil {
					stop(v, over, false)
				}
			case 4:
				over := overs.Draw(rt, "over")
				m.StopAll(time.Duration(over) * time.Millisecond)
				for _, v := range starts {
					stop(v, over, true)
				}
			case 5:
				fill(m)
				continue
			case 6:
				m.Render(make([]pcm.Frame, rapid.IntRange(1, 50).Draw(rt, "frames")))
			}
			if m.Stats().Busy > busy {
				full++
			}
		}
		m.Render(make([]pcm.Frame, 200))
		events := make([]mixer.Event, 4096)
		ended := map[uint64]int64{}
		for _, e := range events[:m.Events(events)] {
			if e.Kind == mixer.EventStopped {
				ended[e.Voice] = e.Frame
			}
		}
		for i, v := range starts {
			if v.cancelled {
				if v.handle.State() != mixer.StateStopped {
					rt.Fatalf("start %d was stopped before it began, and is %v", i, v.handle.State())
				}
				continue
			}
			want := v.end
			if want >= now() {
				want = 0
			}
			if v.handle.State() == mixer.StateStopped {
				both++
			}
			if got := ended[v.handle.Number()]; got != want {
				rt.Fatalf("start %d at %d stopped at %d, want %d", i, v.at, got, want)
			}
		}
	})
	if full == 0 || both == 0 {
		t.Errorf("%d calls found the ring full, %d voices were stopped: it proves too little", full, both)
	}
}

// TestStopsWhileRendering checks that a longer Stop after a Stop does not delay the end, even if a block
// starts between the two.
func TestStopsWhileRendering(t *testing.T) {
	s := level(t, 1000, 1<<20, 0.001)
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 64, Commands: 64, NoLimiter: true, Events: 1 << 16})
	for range 100 {
		var handles []mixer.Handle
		for range 40 {
			handles = append(handles, play(t, m.Engine().At(mixer.Now), s, mixer.Options{}))
		}
		m.Render(make([]pcm.Frame, 1))
		for m.Engine().At(m.Now()+50).Stop(mixer.TargetTag(1), 0) == nil {
		}
		for m.Engine().At(mixer.Now).Resume(mixer.TargetTag(1)) == nil {
		}
		var rendering sync.WaitGroup
		rendering.Go(func() {
			block := make([]pcm.Frame, 1)
			for range 40 {
				m.Render(block)
			}
		})
		for i, h := range handles {
			h.Stop(0)
			if i%2 == 0 {
				h.Stop(time.Hour)
			} else {
				m.StopAll(time.Hour)
			}
		}
		rendering.Wait()
		m.Render(make([]pcm.Frame, 60))
		for i, h := range handles {
			if h.State() != mixer.StateStopped {
				t.Fatalf("voice %d is %v", i, h.State())
			}
		}
	}
}

// TestCut checks that a cut voice is silent from its frame on, with its slot free, in every state. A
// pending start must never sound.
func TestCut(t *testing.T) {
	for name, move := range map[string]func(*mixer.Mixer, mixer.Handle) error{
		"as it plays":  nil,
		"fading out":   func(_ *mixer.Mixer, h mixer.Handle) error { return h.Stop(time.Second) },
		"pitched":      func(_ *mixer.Mixer, h mixer.Handle) error { return h.SetPitch(7) },
		"by a bus":     nil,
		"with another": nil,
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1, Overflow: mixer.Reject, NoLimiter: true})
		s := level(t, 1000, 500, 0.5)
		h := play(t, m.Engine().At(0), s, hardLeft)
		pending := play(t, m.Engine().At(60), s, hardLeft)
		got := left(m, 10)
		if move != nil {
			must(t, move(m, h))
		}
		target := mixer.TargetVoice(h)
		if name == "by a bus" {
			target = mixer.TargetBus(mixer.Bus{})
		}
		must(t, m.Engine().At(50).Cut(target))
		must(t, m.Engine().At(50).Cut(mixer.TargetVoice(pending)))
		if name == "with another" {
			play(t, m.Engine().At(50), s, mixer.Options{Pan: 1})
		}
		got = append(got, left(m, 100)...)
		if got[49] == 0 || got[50] != 0 || got[99] != 0 {
			t.Errorf("%s: frames 49, 50 and 99 are %v, %v and %v", name, got[49], got[50], got[99])
		}
		if h.State() != mixer.StateStopped || pending.State() != mixer.StateStopped {
			t.Errorf("%s: it is %v, what was to come %v", name, h.State(), pending.State())
		}
		if playing := m.Stats().Playing; (playing == 1) != (name == "with another") {
			t.Errorf("%s: %d play", name, playing)
		}
	}
}
