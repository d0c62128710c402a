package mixer_test

import (
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// TestNext checks that a call of now is executed at the frame that Next returns, with a lead and without.
func TestNext(t *testing.T) {
	for _, c := range []struct {
		lead, clock time.Duration
		want        int64
	}{
		{want: 100}, {clock: 5 * time.Millisecond, want: 100},
		{lead: 20 * time.Millisecond, want: 1060}, {lead: 20 * time.Millisecond, clock: 7 * time.Millisecond, want: 1396},
	} {
		now := time.Duration(0)
		m, err := mixer.New(mixer.Config{Voices: 2, Rate: 48000, Lead: c.lead, Clock: func() time.Duration { return now }})
		if err != nil {
			t.Fatal(err)
		}
		m.Render(make([]pcm.Frame, 100))
		m.Engine().Next()
		now = c.clock
		if got := m.Engine().Next(); got != c.want {
			t.Errorf("%+v: Next is %d, want %d", c, got, c.want)
		}
		if _, err := m.Play(clickTone(t), mixer.Options{}); err != nil {
			t.Fatal(err)
		}
		m.Render(make([]pcm.Frame, 2000))
		events := make([]mixer.Event, 4)
		if n := m.Events(events); n != 1 || events[0].Frame != c.want {
			t.Errorf("%+v: the sound starts at %d, want %d", c, events[0].Frame, c.want)
		}
	}
}
