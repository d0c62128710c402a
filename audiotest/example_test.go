package audiotest_test

import (
	"testing"
	"time"

	"voicepool/audiotest"
	"voicepool/mixer"
	"voicepool/sounds"
	"voicepool/sounds/embedded"
)

// A test of a game hears, by name, what the game played: when, where, how loud, and who gave
// way to whom.
func ExampleNew() {
	test := func(t *testing.T) { // its name would be TestJump
		lib := sounds.NewLibrary(sounds.Options{})
		jump, err := embedded.Load(lib, "coin")
		if err != nil {
			t.Fatal(err)
		}
		a := audiotest.New(t, mixer.Config{Voices: 2})
		a.Step(100 * time.Millisecond)
		a.Mixer().Play(jump, mixer.Options{Pan: -0.5}) // the game does this
		a.UntilSilent(5 * time.Second)
		a.Heard("coin").At(100 * time.Millisecond).Left()
		a.Never("scream")
	}
	_ = test
}
