package voicepool_test

import (
	"fmt"

	"voicepool/device/null"
	"voicepool/mixer"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// A game in ten lines. On a machine with sound, device/oto takes the place of
// the null device, and pulls by itself.
func Example() {
	lib := library.NewLibrary(library.Options{})
	coin, _ := embedded.Load(lib, "coin")
	m, _ := mixer.New(mixer.Config{Voices: 16})
	d := null.NewStepped(null.Config{})
	d.Start(m)
	defer d.Close()
	for range 64 { // far more than the pool has
		m.Play(coin, mixer.Options{Gain: -6})
	}
	d.Step(48000)

	st := m.Stats()
	fmt.Println(st.Started, "started,", st.Stolen, "gave way,", st.HighWater, "at once")
	// Output:
	// 64 started, 48 gave way, 16 at once
}

// A test in ten lines: what was played is heard, without a sound card and
// without waiting.
func Example_test() {
	lib := library.NewLibrary(library.Options{})
	bell, _ := embedded.Load(lib, "bell")
	m, _ := mixer.New(mixer.Config{})
	d := null.NewStepped(null.Config{})
	d.Start(m)
	defer d.Close()

	silent := d.Step(4800)[4799][0]
	h, _ := m.Play(bell, mixer.Options{})
	d.Step(4800)
	fmt.Println(silent == 0, h.State(), h.Position())
	// Output:
	// true playing 100ms
}
