package bank_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
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

// TestStopsOfANameShareAFrame checks that Bank.Stop ends all plays of a sound at one frame, although each reading of
// the clock takes 1 ms.
func TestStopsOfANameShareAFrame(t *testing.T) {
	b, err := open(t, twoLayers)
	if err != nil {
		t.Fatal(err)
	}
	var now time.Duration
	c := b.Config()
	c.Lead, c.Clock = 20*time.Millisecond, func() time.Duration {
		now += time.Millisecond
		return now
	}
	m, err := mixer.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := b.Use(m); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"both", "both", "low", "low"} {
		start(t, b, name, bank.Options{})
	}
	for _, x := range []struct {
		name   string
		voices int
	}{{"both", 4}, {"low", 2}} {
		render(m, 400)
		events := make([]mixer.Event, 32)
		m.Events(events)
		if err := b.Stop(x.name, 0); err != nil {
			t.Fatal(err)
		}
		render(m, 400)
		var frames []int64
		for _, e := range events[:m.Events(events)] {
			frames = append(frames, e.Frame)
		}
		if len(frames) != x.voices || slices.Min(frames) != slices.Max(frames) {
			t.Errorf("the voices of %s stop at %v, want %d equal frames", x.name, frames, x.voices)
		}
	}
}

// TestStopTheme checks that Bank.Stop ends a theme of the music.
func TestStopTheme(t *testing.T) {
	b, m, mu := openMusic(t, theme)
	if err := mu.Play(bank.Options{}); err != nil {
		t.Fatal(err)
	}
	render(m, 100)
	for range 2 {
		if err := b.Stop("theme", 0); err != nil {
			t.Fatal(err)
		}
		render(m, 100)
		if st := m.Stats(); st.Playing != 0 || st.Pending != 0 || mu.Position() != (bank.Position{}) {
			t.Errorf("after the stop %d play, %d are pending, and the theme is at %v", st.Playing, st.Pending, mu.Position())
		}
	}
	want := `bank: unknown name: there is no sound "teme"; the nearest is "theme"`
	if err := b.Stop("teme", 0); !errors.Is(err, bank.ErrName) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	unused, err := bank.Open(themeFiles(theme), "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
	if err != nil {
		t.Fatal(err)
	}
	if err := unused.Use(m); err != nil {
		t.Fatal(err)
	}
	if err := unused.Stop("theme", 0); err != nil {
		t.Errorf("a theme that was never asked for: %v", err)
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

// TestFutureMoment checks that a change at a frame does not affect the play before that frame, and that a parameter
// adds to its values after that frame.
func TestFutureMoment(t *testing.T) {
	for _, lead := range []time.Duration{0, 10 * time.Millisecond} {
		b, err := open(t, layered)
		if err != nil {
			t.Fatal(err)
		}
		now := time.Duration(0)
		c := b.Config()
		c.Lead, c.Clock = lead, func() time.Duration { return now }
		m, err := mixer.New(c)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close() })
		if err := b.Use(m); err != nil {
			t.Fatal(err)
		}
		h := start(t, b, "motor", bank.Options{})
		for _, err := range []error{h.At(2000).Fade(-60, 0), h.At(1000).Fade(-30, 0), h.SetGain(-10)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []pcm.Decibels{-10, -10, -30, -60} {
			for _, rpm := range []float64{800, 7000} { // their curve adds -20 and 0 dB
				if err := h.Set("rpm", rpm); err != nil {
					t.Fatal(err)
				}
				render(m, 250)
				now += 250 * time.Second / rate
				if got, _ := h.Gain(); got != want+pcm.Decibels((rpm-7000)/6200*20) {
					t.Errorf("lead %v, frame %d, %v rpm: the gain is %v, want %v more than the parameter", lead, m.Now(), rpm, got, want)
				}
			}
			if want == -30 {
				render(m, 500)
				now += 500 * time.Second / rate
			}
		}
	}
}

// TestRejectedChange checks that a change that the mixer rejects does not affect the play later.
func TestRejectedChange(t *testing.T) {
	b, err := open(t, layered)
	if err != nil {
		t.Fatal(err)
	}
	c := b.Config()
	c.Commands = 8
	m, err := mixer.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	if err := b.Use(m); err != nil {
		t.Fatal(err)
	}
	h := start(t, b, "motor", bank.Options{})
	render(m, 10)
	bad := mixer.Change{Fields: mixer.FieldGain | mixer.FieldPan, Gain: -30, Pan: 2}
	if err := h.At(mixer.Now).Set(bad, 0); !errors.Is(err, mixer.ErrOption) {
		t.Errorf("an invalid pan: %v", err)
	}
	for err == nil {
		err = m.Engine().At(mixer.Now).Pause(mixer.TargetTag(99))
	}
	if err := h.At(5).Fade(-30, 0); err != mixer.ErrBusy {
		t.Errorf("a full mixer: %v", err)
	}
	if err := h.Set("rpm", 7000); err != nil {
		t.Fatal(err)
	}
	render(m, 100)
	if got, _ := h.Gain(); got != 0 {
		t.Errorf("the gain is %v, want 0", got)
	}
}
