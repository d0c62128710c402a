package mixer_test

import (
	"fmt"
	"strings"
	"testing"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

// breaking returns a stream that breaks after some frames, or ends there.
func breaking(t *testing.T, frames int, breaks bool) *sounds.Sound {
	t.Helper()
	s, err := sounds.NewStream(sounds.Stream{Name: "tape", Rate: 48000, Frames: 100000, Open: func(c sounds.PlayRange) (*sounds.StreamBuffer, error) {
		f := sounds.NewStreamBuffer(1<<14, c)
		for range frames {
			f.Write([]pcm.Frame{{0.1, 0.1}})
		}
		if breaks {
			f.Fail()
		} else {
			f.End()
		}
		return f, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestBrokenStream checks that a broken stream emits EventBroken at the frame where it is heard, before
// its end, in blocks of any length. A stream that ends, or is stopped before it breaks, emits no such
// event.
func TestBrokenStream(t *testing.T) {
	for _, c := range []struct {
		name    string
		frames  int
		breaks  bool
		stop    int64 // the frame of a stop; 0: no stop
		virtual bool
		want    string
	}{
		{name: "ends", frames: 6000, want: "started 0, ended 6000, "},
		{name: "breaks", frames: 6000, breaks: true, want: "started 0, broken 6000, ended 6000, "},
		{name: "breaks at once", breaks: true, want: "started 0, broken 0, ended 0, "},
		{name: "breaks early", frames: 1, breaks: true, want: "started 0, broken 1, ended 1, "},
		{name: "stopped before", frames: 6000, breaks: true, stop: 3000, want: "started 0, stopped 3000, "},
		{name: "unheard", frames: 6000, breaks: true, virtual: true, want: "started 0, virtual 0, started 0, broken 6000, ended 6000, "},
	} {
		for _, block := range []int{1, 7, 64, 512, 8192} {
			t.Run(fmt.Sprint(c.name, block), func(t *testing.T) {
				m := newMixer(t, mixer.Config{Voices: 1, Virtual: 2, NoLimiter: true})
				h := play(t, m.Engine().At(0), breaking(t, c.frames, c.breaks), mixer.Options{Gain: -20})
				if c.virtual {
					play(t, m.Engine().At(0), level(t, 48000, 20000, 0.5), mixer.Options{Priority: 1})
				}
				if c.stop > 0 {
					if err := m.Engine().At(c.stop).Stop(mixer.TargetVoice(h), 0); err != nil {
						t.Fatal(err)
					}
				}
				got := ""
				for range 8192 / block {
					m.Render(make([]pcm.Frame, block))
				}
				var events [16]mixer.Event
				for _, e := range events[:m.Events(events[:])] {
					got += fmt.Sprintf("%v %d, ", e.Kind, e.Frame)
				}
				if n := m.Stats().Broken; n != int64(strings.Count(c.want, "broken")) {
					t.Errorf("%d streams broke, want as many as in %q", n, c.want)
				}
				if got != c.want {
					t.Errorf("it tells %q, want %q", got, c.want)
				}
			})
		}
	}
}
