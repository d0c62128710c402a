package mixer_test

import (
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/sounds"
)

// TestUnloadedInAGroup starts a placeholder within the cooldown and the coalescing time of its group. The start is
// rejected as unloaded, and changes neither the playing voice nor the cooldown.
func TestUnloadedInAGroup(t *testing.T) {
	for _, o := range []mixer.GroupOptions{{Coalesce: time.Second}, {Cooldown: 20 * time.Millisecond}} {
		m := newMixer(t, mixer.Config{Rate: 1000, NoLimiter: true})
		g, err := m.NewGroup("g", o)
		if err != nil {
			t.Fatal(err)
		}
		gone := sounds.NewUnloaded("gone", "gone.wav", 1000)
		play(t, m.Engine().At(0), level(t, 1000, 100, 0.25), mixer.Options{Pan: -1, Group: g})
		h := play(t, m.Engine().At(10), gone, mixer.Options{Group: g})
		for i, x := range left(m, 22) {
			if x != 0.25 {
				t.Fatalf("%+v: frame %d is %v, want 0.25", o, i, x)
			}
		}
		events := make([]mixer.Event, 8)
		events = events[:m.Events(events)]
		if len(events) != 2 || events[1].Kind != mixer.EventRejected || events[1].Reason != mixer.ReasonUnloaded || events[1].Sound != gone {
			t.Errorf("%+v: the events are %v", o, events)
		}
		if s := m.Stats(); h.State() != mixer.StateRejected || s.Rejected != 1 || s.Coalesced+s.Limited != 0 {
			t.Errorf("%+v: %v, %+v", o, h.State(), s)
		}
		if o.Cooldown > 0 {
			next := play(t, m.Engine().At(mixer.Now), level(t, 1000, 100, 0.25), mixer.Options{Group: g})
			if left(m, 1); next.State() != mixer.StatePlaying {
				t.Errorf("after the cooldown: %v", next.State())
			}
		}
		m.Close()
	}
}
