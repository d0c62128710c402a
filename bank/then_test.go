package bank_test

import (
	"errors"
	"testing"
	"testing/fstest"

	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

const music = `
buses: {music: {}}
sounds:
  intro: {file: sfx/a.wav, bus: music, then: theme}
  theme: {file: sfx/b.wav, bus: music, loop: {from: 50ms, to: 75ms}, then: end}
  end: {file: sfx/c.wav, bus: music, gain: -6}
`

// TestThen checks that successors in a file start at the exact frame.
func TestThen(t *testing.T) {
	b, m := ready(t, music)
	h, err := b.Play("intro", bank.Options{Tag: 7, Gain: -3})
	if err != nil {
		t.Fatal(err)
	}
	block := make([]pcm.Frame, 3000)
	m.Render(block)
	if h.Handle.State() != mixer.StateEnded || h.State() != mixer.StatePlaying {
		t.Errorf("the intro is %v, all of it %v", h.Handle.State(), h.State())
	}
	for v := range m.Voices() {
		if s := v.Sound(); s != nil && s.Name() == "b" && (v.Tag() != 7 || s.Loop() != pcm.Loop{400, 600} || !v.Looping()) {
			t.Errorf("what follows has tag %d and the loop %v", v.Tag(), s.Loop())
		}
	}
	if err := m.Engine().At(4000).Set(mixer.TargetTag(7), mixer.Change{Fields: mixer.FieldRounds, Rounds: 1}, 0); err != nil {
		t.Fatal(err)
	}
	m.Render(block)
	var got []int64
	events := make([]mixer.Event, 16)
	for _, e := range events[:m.Events(events)] {
		got = append(got, e.Frame)
	}
	// The loop goes back at 1400 + n x 200. At 4000 it has just gone back, so it leaves the loop at 4200 and
	// has 200 frames left.
	want := []int64{0, 800, 800, 4400, 4400, 5200}
	if len(got) != len(want) {
		t.Fatalf("events at %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("events at %v, want %v", got, want)
		}
	}
}

// TestThenStops checks that stopping the first sound cancels the others.
func TestThenStops(t *testing.T) {
	b, m := ready(t, music)
	h, err := b.Play("intro", bank.Options{})
	if err != nil {
		t.Fatal(err)
	}
	block := make([]pcm.Frame, 100)
	m.Render(block)
	if err := h.Stop(0); err != nil {
		t.Fatal(err)
	}
	m.Render(block)
	if st := m.Stats(); st.Playing != 0 || st.Pending != 0 || st.Stopped != 3 {
		t.Errorf("%+v", st)
	}
}

// TestThenStopsWhatPlays checks that the handle stops the current sound and cancels its successors.
func TestThenStopsWhatPlays(t *testing.T) {
	for _, c := range []struct {
		name           string
		frames         int
		ended, stopped int64
	}{
		{name: "the first", frames: 400, ended: 0, stopped: 3},
		{name: "the second", frames: 1000, ended: 1, stopped: 2},
	} {
		b, m := ready(t, music)
		h, err := b.Play("intro", bank.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m.Render(make([]pcm.Frame, c.frames))
		if err := errors.Join(h.SetGain(-6), h.Stop(0)); err != nil {
			t.Fatal(err)
		}
		m.Render(make([]pcm.Frame, 100))
		if st := m.Stats(); st.Playing != 0 || st.Pending != 0 || st.Stopped != c.stopped || st.Ended != c.ended {
			t.Errorf("%s: %+v", c.name, st)
		}
		if err := h.Stop(0); err != mixer.ErrGone {
			t.Errorf("%s: stopped again: %v", c.name, err)
		}
	}
}

// TestThenFaults checks the places and remedies of errors.
func TestThenFaults(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"unknown": {
			text: "sounds: {a: {file: sfx/a.wav, then: bb}, b: {file: sfx/b.wav}}",
			want: "sounds.yaml:1:37: then: there is no sound \"bb\" in `sounds`; did you mean \"b\"?",
		},
		"a circle": {
			text: "sounds: {a: {file: sfx/a.wav, then: b}, b: {file: sfx/b.wav, then: c}, c: {file: sfx/b.wav, then: b}}",
			want: "sounds.yaml:1:68: then: \"b\" follows itself (b, c, b); repeat it by a `loop` in one sound, or by a library.Queue\n" +
				"sounds.yaml:1:99: then: \"c\" follows itself (c, b, c); repeat it by a `loop` in one sound, or by a library.Queue",
		},
		"a loop beyond the end": {
			text: "sounds: {a: {file: sfx/a.wav, loop: {from: 50ms, to: 2s}}}",
			want: "sounds.yaml:1:20: sfx/a.wav: the loop [400, 16000) is not inside its 800 frames",
		},
	} {
		_, err := bank.Open(fstest.MapFS(files(c.text)), "sounds.yaml", library.NewLibrary(library.Options{Rate: rate}))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestThenLeavesItsLoop checks that the handle acts on the current sound after the first has ended.
func TestThenLeavesItsLoop(t *testing.T) {
	b, m := ready(t, music)
	h, err := b.Play("intro", bank.Options{})
	if err != nil {
		t.Fatal(err)
	}
	render(m, 3000)
	if h.Position() == h.Handle.Position() {
		t.Errorf("the play is at %v, as its first sound", h.Position())
	}
	if err := h.SetLoop(1); err != nil {
		t.Fatal(err)
	}
	render(m, 8000)
	if h.State() != mixer.StateEnded {
		t.Errorf("the play is %v, want it at its end", h.State())
	}
}
