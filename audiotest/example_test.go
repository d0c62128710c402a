package audiotest_test

import (
	"testing"
	"testing/fstest"
	"time"

	"voicepool/audiotest"
	"voicepool/bank"
	"voicepool/mixer"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

// A test checks the sounds of a game by name: time, position, level, and who stole whose voice.
func ExampleNew() {
	test := func(t *testing.T) { // its name would be TestJump
		lib := library.NewLibrary(library.Options{})
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

// A game plays from a bank. Its test uses the names of the bank; a misspelt name fails.
func ExampleAudio_Heard() {
	assets := fstest.MapFS{"sounds.yaml": {Data: []byte("sounds: {step: {files: [step1, step2]}, shot: {file: snare}}")}}
	test := func(t *testing.T) { // its name would be TestWalk
		lib := library.NewLibrary(library.Options{})
		b, err := bank.Open(assets, "sounds.yaml", lib, embedded.Sources()...)
		if err != nil {
			t.Fatal(err)
		}
		a := audiotest.New(t, b.Config())
		if err := b.Use(a.Mixer()); err != nil {
			t.Fatal(err)
		}
		b.Play("step", bank.Options{Pan: 0.4}) // the game does this
		a.UntilSilent(5 * time.Second)
		a.Heard("step").At(0).Right().Times(1)
		a.Never("shot")
	}
	_ = test
}
