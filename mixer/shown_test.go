package mixer_test

import (
	"testing"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/voice"
)

// TestShown: a handle tells where its voice plays, where it is panned and whether it
// goes back, also while that moves.
func TestShown(t *testing.T) {
	data := make([]float32, 48000)
	for i := range data {
		data[i] = 0.1
	}
	s, err := voice.NewSound(voice.Samples{Rate: 48000, Channels: 1, Data: data})
	if err != nil {
		t.Fatal(err)
	}
	m, err := mixer.New(mixer.Config{Voices: 1, Virtual: 1})
	if err != nil {
		t.Fatal(err)
	}
	first, err := m.Play(s, mixer.Options{Loop: true, Rounds: 3, Pan: -1})
	if err != nil {
		t.Fatal(err)
	}
	type shown struct {
		slot    int
		pan     float64
		looping bool
	}
	of := func(h mixer.Handle) shown { return shown{h.Slot(), h.Pan(), h.Looping()} }
	check := func(what string, h mixer.Handle, want shown) {
		t.Helper()
		if got := of(h); got != want {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	block := make([]pcm.Frame, 960)
	check("pending", first, shown{-1, 0, false})
	check("nobody", mixer.Handle{}, shown{-1, 0, false})
	m.Render(block)
	check("started", first, shown{0, -1, true})
	if err := m.At(mixer.Now).Set(mixer.TargetVoice(first), mixer.Change{Fields: mixer.FieldPan, Pan: 1}, 80*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		m.Render(block)
	}
	if got := first.Pan(); !(got > -0.1 && got < 0.6) {
		t.Errorf("on its way the pan is %v, want about 0 to 0.5", got)
	}
	for range 3 {
		m.Render(block)
	}
	check("panned", first, shown{0, 1, true})
	for m.Now() < 2*48000+9600 {
		m.Render(block)
	}
	check("in its last round", first, shown{0, 1, false})
	louder, err := m.Play(s, mixer.Options{Loop: true, Gain: 12, Priority: 1})
	if err != nil {
		t.Fatal(err)
	}
	m.Render(block)
	check("virtual", first, shown{-1, 1, false})
	check("the louder one", louder, shown{0, 0, true})
	if err := louder.Stop(); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		m.Render(block)
	}
	check("gone", louder, shown{-1, 0, false})
}
