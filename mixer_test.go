package voicepool_test

import (
	"slices"
	"testing"

	"voicepool/device/null"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// TestTheQuietestVoiceIsStolen plays three sounds in a pool of two voices and listens through the null audio
// device, which needs no sound card. For the third sound the mixer steals the quieter of the first two.
func TestTheQuietestVoiceIsStolen(t *testing.T) {
	m, err := mixer.New(mixer.Config{Voices: 2})
	if err != nil {
		t.Fatal(err)
	}
	device := null.NewStepped(null.Config{})
	if err := device.Start(m); err != nil {
		t.Fatal(err)
	}
	defer device.Close()

	lib := library.NewLibrary(library.Options{})
	play := func(name string, gain pcm.Decibels) mixer.Handle {
		sound, err := embedded.Load(lib, name)
		if err != nil {
			t.Fatal(err)
		}
		handle, err := m.Play(sound, mixer.Options{Gain: gain})
		if err != nil {
			t.Fatal(err)
		}
		return handle
	}

	thunder := play("thunder", 0)
	rain := play("rain", -20)
	device.Step(4800) // 100 ms
	bell := play("bell", 0)
	heard := device.Step(4800)

	if s := rain.State(); s != mixer.StateStolen {
		t.Errorf("the rain is %v, want stolen", s)
	}
	if thunder.State() != mixer.StatePlaying || bell.State() != mixer.StatePlaying {
		t.Errorf("the thunder is %v and the bell is %v, want both playing", thunder.State(), bell.State())
	}
	if !slices.ContainsFunc(heard, func(frame pcm.Frame) bool { return frame != pcm.Frame{} }) {
		t.Error("the mix is silent")
	}
}
