package mixer_test

import (
	"testing"

	"voicepool/mixer"
)

// TestPriorityChanges checks that a voice can be stolen after its priority is lowered, and vice versa.
func TestPriorityChanges(t *testing.T) {
	s := level(t, 1000, 900, 0.5)
	for name, set := range map[string]func(m *mixer.Mixer, h mixer.Handle, to int) error{
		"by its handle": func(_ *mixer.Mixer, h mixer.Handle, to int) error { return h.SetPriority(to) },
		"by a frame": func(m *mixer.Mixer, h mixer.Handle, to int) error {
			return m.Engine().At(mixer.Now).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldPriority, Priority: to}, 0)
		},
		"by a tag": func(m *mixer.Mixer, h mixer.Handle, to int) error {
			return m.Engine().At(mixer.Now).Set(mixer.TargetTag(4), mixer.Change{Fields: mixer.FieldPriority, Priority: to}, 0)
		},
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 1})
		h := play(t, m.Engine().At(0), s, mixer.Options{Priority: 5, EngineOptions: mixer.EngineOptions{Tag: 4}})
		play(t, m.Engine().At(10), s, mixer.Options{})
		left(m, 20)
		if err := set(m, h, 0); err != nil {
			t.Fatal(err)
		}
		play(t, m.Engine().At(30), s, mixer.Options{EngineOptions: mixer.EngineOptions{Tag: 4}})
		left(m, 20)
		if err := set(m, h, 9); name == "by its handle" && err != mixer.ErrGone {
			t.Errorf("%s: setting the victim says %v", name, err)
		}
		m.Engine().At(mixer.Now).Set(mixer.TargetTag(4), mixer.Change{Fields: mixer.FieldPriority, Priority: 1}, 0)
		play(t, m.Engine().At(50), s, mixer.Options{})
		play(t, m.Engine().At(60), s, mixer.Options{Priority: 1})
		left(m, 30)
		wantEvents(t, m, "0 started 1, 10 rejected (priority), 30 stolen 1 by 2 (pool), 30 started 2, "+
			"50 rejected (priority), 60 stolen 2 by 3 (pool), 60 started 3")
	}
}

// TestProtectToggles protects a voice, ends the protection, and protects it again.
func TestProtectToggles(t *testing.T) {
	s := level(t, 1000, 900, 0.5)
	m := newMixer(t, mixer.Config{Rate: 1000, Voices: 2})
	h := play(t, m.Engine().At(mixer.Now), s, mixer.Options{Gain: -40})
	play(t, m.Engine().At(mixer.Now), s, mixer.Options{})
	if err := h.Protect(true); err != nil { // before it begins
		t.Fatal(err)
	}
	play(t, m.Engine().At(10), s, mixer.Options{})
	left(m, 20)
	m.Engine().At(30).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldProtect}, 0)
	m.Engine().At(40).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldProtect | mixer.FieldPriority, Protect: true, Priority: -9}, 0)
	play(t, m.Engine().At(45), s, mixer.Options{})
	m.Engine().At(50).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldProtect}, 0)
	play(t, m.Engine().At(50), s, mixer.Options{Priority: -9})
	left(m, 100)
	wantEvents(t, m, "0 started 1, 0 started 2, 10 stolen 2 by 3 (pool), 10 started 3, "+
		"45 stolen 3 by 4 (pool), 45 started 4, 50 stolen 1 by 5 (pool), 50 started 5")
}

// TestProtectedBeyondALimit checks that protected voices stay when the pool becomes smaller, and are
// stolen when their protection ends. Starts in between find no room.
func TestProtectedBeyondALimit(t *testing.T) {
	defer func() {
		if wrong := recover(); wrong != nil {
			t.Errorf("Render panics: %v", wrong)
		}
	}()
	s := level(t, 1000, 900, 0.5)
	for name, let := range map[string]func(m *mixer.Mixer, h mixer.Handle) error{
		"by its handle": func(_ *mixer.Mixer, h mixer.Handle) error { return h.Protect(false) },
		"by a frame": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(20).Set(mixer.TargetVoice(h), mixer.Change{Fields: mixer.FieldProtect}, 0)
		},
		"by a tag": func(m *mixer.Mixer, h mixer.Handle) error {
			return m.Engine().At(20).Set(mixer.TargetTag(1), mixer.Change{Fields: mixer.FieldProtect}, 0)
		},
	} {
		m := newMixer(t, mixer.Config{Rate: 1000, Voices: 3})
		h := play(t, m.Engine().At(0), s, mixer.Options{EngineOptions: mixer.EngineOptions{Protect: true, Tag: 1}})
		play(t, m.Engine().At(0), s, mixer.Options{EngineOptions: mixer.EngineOptions{Protect: true}, Gain: -20})
		play(t, m.Engine().At(0), s, mixer.Options{EngineOptions: mixer.EngineOptions{Protect: true}, Gain: -9})
		m.Engine().At(10).Resize(1)
		play(t, m.Engine().At(15), s, mixer.Options{})
		left(m, 20)
		if err := let(m, h); err != nil {
			t.Fatal(err)
		}
		play(t, m.Engine().At(30), s, mixer.Options{})
		left(m, 20)
		if got, want := happened(m), "0 started 1, 0 started 2, 0 started 3, 15 rejected (protected), 20 stolen 1 (resize), 30 rejected (protected)"; got != want {
			t.Errorf("%s:\n%s, want\n%s", name, got, want)
		}
	}
}
