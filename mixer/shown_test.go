package mixer_test

import (
	"math"
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/space"
)

// TestShown checks that a handle returns the position, loudness, pan and loop state of its voice, also
// during fades.
func TestShown(t *testing.T) {
	data := make([]float32, 48000)
	for i := range data {
		data[i] = 0.1
	}
	s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mixer.New(mixer.Config{Voices: 1, Virtual: 1})
	if err != nil {
		t.Fatal(err)
	}
	first, err := m.Play(s, mixer.Options{Loop: true, EngineOptions: mixer.EngineOptions{Rounds: 3, Base: mixer.Base{Gain: -3}}, Gain: -2, Pan: -1})
	if err != nil {
		t.Fatal(err)
	}
	type shown struct {
		slot    int
		gain    pcm.Decibels // -99: not ok
		pan     float64
		looping bool
	}
	gainOf := func(h mixer.Handle) pcm.Decibels {
		if gain, ok := h.Gain(); ok {
			return gain
		}
		return -99
	}
	of := func(h mixer.Handle) shown { return shown{h.Slot(), gainOf(h), h.Pan(), h.Looping()} }
	check := func(what string, h mixer.Handle, want shown) {
		t.Helper()
		if got := of(h); got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	block := make([]pcm.Frame, 960)
	check("pending", first, shown{-1, -99, 0, false})
	check("nobody", mixer.Handle{}, shown{-1, -99, 0, false})
	m.Render(block)
	check("started", first, shown{0, -2, -1, true})
	if err := m.Engine().At(mixer.Now).Set(mixer.TargetVoice(first), mixer.Change{Fields: mixer.FieldPan, Pan: 1}, 80*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if err := first.Fade(-12, 80*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		m.Render(block)
	}
	if got := gainOf(first); got != -12 {
		t.Errorf("on its way to -12 dB the gain is %v", got)
	}
	if got := first.Pan(); !(got > -0.1 && got < 0.6) {
		t.Errorf("on its way the pan is %v, want about 0 to 0.5", got)
	}
	for range 3 {
		m.Render(block)
	}
	check("panned", first, shown{0, -12, 1, true})
	for m.Now() < 2*48000+9600 {
		m.Render(block)
	}
	check("in its last round", first, shown{0, -12, 1, false})
	louder, err := m.Play(s, mixer.Options{Loop: true, Gain: 12, Priority: 1})
	if err != nil {
		t.Fatal(err)
	}
	m.Render(block)
	check("virtual", first, shown{-1, -12, 1, false})
	check("the louder one", louder, shown{0, 12, 0, true})
	if err := louder.Stop(0); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		m.Render(block)
	}
	check("gone", louder, shown{-1, -99, 0, false})
}

// TestNextOwner checks that a start in a reused record shows no state of the last one, and has its own
// position.
func TestNextOwner(t *testing.T) {
	m := newMixer(t, mixer.Config{Voices: 8, Commands: 8})
	s, block := level(t, 48000, 48000, 0.1), make([]pcm.Frame, 960)
	left := &space.Emitter{Spot: space.Spot{Position: space.Vector{-9, 0, 0}}}
	for round := range 12 { // more starts than there are records
		var handles []mixer.Handle
		for range 8 {
			h, err := m.Play(s, mixer.Options{Loop: true, Gain: -2, Emitter: left})
			must(t, err)
			gain, ok := h.Gain()
			if h.State() != mixer.StatePending || h.Number() != 0 || h.Slot() != -1 || h.Position() != 0 || ok || h.Pan() != 0 || h.Looping() || !math.IsInf(float64(h.Audibility()), -1) {
				t.Fatalf("round %d: a pending start shows %v, number %d, slot %d, position %v, gain %v, pan %v, looping %v, audibility %v",
					round, h.State(), h.Number(), h.Slot(), h.Position(), gain, h.Pan(), h.Looping(), h.Audibility())
			}
			handles = append(handles, h)
		}
		for range 3 {
			m.Render(block)
		}
		for _, h := range handles {
			if gain, ok := h.Gain(); h.Pan() > -0.4 || !h.Looping() || !ok || gain != -2 || h.Position() == 0 {
				t.Fatalf("round %d: a voice on the left is panned to %v, looping %v, gain %v, position %v", round, h.Pan(), h.Looping(), gain, h.Position())
			}
			must(t, h.Stop(0))
			must(t, m.SetPositions([]mixer.Handle{h}, []space.Spot{{Position: space.Vector{9, 0, 0}}})) // the fade does not end
		}
		m.Render(block)
	}
}
