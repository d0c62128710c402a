package bank_test

import (
	"errors"
	"testing"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
)

// TestStop checks that Stop ends all plays of a name and no others, also after a reload and among many plays that
// have ended.
func TestStop(t *testing.T) {
	b, m := ready(t, layered)
	if err := b.Stop("bom", 0); !errors.Is(err, bank.ErrName) {
		t.Errorf("an unknown name: %v", err)
	}
	for range 200 { // single voices that end
		h := start(t, b, "low", bank.Options{})
		render(m, 40)
		if err := h.Handle.Stop(0); err != nil {
			t.Fatal(err)
		}
		render(m, 100)
	}
	plays := map[string][]bank.Handle{}
	for _, name := range []string{"tail", "tail", "boom", "motor", "high"} {
		plays[name] = append(plays[name], start(t, b, name, bank.Options{}))
	}
	if err := b.Reload(); err != nil {
		t.Fatal(err)
	}
	render(m, 10)
	for _, name := range []string{"tail", "boom", "motor"} {
		if err := b.Stop(name, 0); err != nil {
			t.Fatal(err)
		}
		render(m, 200)
		for other, all := range plays {
			for _, h := range all {
				if stopped := h.State() == mixer.StateStopped; stopped != (other == name) {
					t.Errorf("after Stop(%q), %q is %v", name, other, h.State())
				}
			}
		}
		delete(plays, name)
	}
}

// TestStopFollower checks that Stop ends a sound that follows another one.
func TestStopFollower(t *testing.T) {
	b, m := ready(t, music)
	h := start(t, b, "intro", bank.Options{})
	if err := b.Stop("theme", 0); err != nil {
		t.Fatal(err)
	}
	render(m, 10)
	if h.State() != mixer.StatePlaying {
		t.Errorf("the intro is %v", h.State())
	}
	render(m, 3000)
	if st := m.Stats(); !h.State().Over() || st.Ended != 1 || st.Stopped != 2 {
		t.Errorf("all of it is %v, %d ended, %d were stopped; want 1 and 2", h.State(), st.Ended, st.Stopped)
	}
}

// TestMoment checks changes of a play at a frame: they act on all its voices, and add the values of its parameters.
func TestMoment(t *testing.T) {
	b, m := ready(t, layered)
	h, single := start(t, b, "pair", bank.Options{}), start(t, b, "tail", bank.Options{})
	if err := h.Set("health", 0.5); err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{h.At(10).Fade(-6, 0), single.At(10).Fade(-6, 0), single.At(20).Set(mixer.Change{Fields: mixer.FieldPan, Pan: 0.5}, 0), h.At(30).Stop(0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		play bank.Handle
		want pcm.Decibels
	}{{h, -26}, {single, -6}} {
		render(m, 12)
		if got, ok := c.play.Gain(); got != c.want || !ok {
			t.Errorf("the gain is %v, %v; want %v", got, ok, c.want)
		}
	}
	render(m, 400)
	if got := single.Pan(); h.State() != mixer.StateStopped || single.State() != mixer.StatePlaying || got != 0.5 {
		t.Errorf("%v, %v, panned to %v", h.State(), single.State(), got)
	}
	for _, err := range []error{h.At(50).Stop(0), h.At(50).Fade(0, 0), bank.Handle{}.At(0).Stop(0)} {
		if err != mixer.ErrGone {
			t.Errorf("an ended play: %v", err)
		}
	}
	if err := single.At(50).Fade(99, 0); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("99 dB: %v", err)
	}
}
