package tone_test

import (
	"fmt"
	"time"

	"voicepool/mixer"
	"voicepool/sounds/library"
	"voicepool/sounds/tone"
)

// A library loads tones like files.
func ExampleFS() {
	lib := library.NewLibrary(library.Options{Rate: 44100})
	s, err := lib.LoadFS(tone.FS{Rate: lib.Rate()}, "tone:1000")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Name(), s.Frames())
	_, err = lib.LoadFS(tone.FS{Rate: lib.Rate()}, "tone:1000:sinus")
	fmt.Println(err)
	// Output:
	// tone:1000 44100
	// sounds: tone:1000:sinus: there is no wave "sinus"; the nearest is sine
}

// A beep of a tenth of a second.
func ExampleSignal_Clip() {
	clip, err := tone.Signal{Shape: tone.Square, Hertz: 880}.Clip(48000, 100*time.Millisecond)
	if err != nil {
		fmt.Println(err)
		return
	}
	beep, err := library.Prepare(clip, library.Options{})
	fmt.Println(beep.Name(), beep.Frames(), err)
	// Output: tone:880:square 4800 <nil>
}

// Endless noise as a stream.
func ExampleSignal_Source() {
	from, err := tone.Signal{Shape: tone.Pink, Seed: 7}.Source(48000)
	if err != nil {
		fmt.Println(err)
		return
	}
	lib := library.NewLibrary(library.Options{})
	wind, err := lib.StreamFrames(from, library.StreamOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, _ := mixer.New(mixer.Config{})
	defer m.Close()
	h, err := m.Play(wind, mixer.Options{Gain: -6})
	fmt.Println(wind.Name(), h.State(), err)
	// Output: noise:pink:7 pending <nil>
}
