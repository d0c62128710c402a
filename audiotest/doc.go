// Package audiotest records and checks the audio output of a game in a test, as httptest does for HTTP. It
// needs no sound card and runs faster than real time.
//
//	a := audiotest.New(t, mixer.Config{Voices: 2}) // a mixer on a clock that the test steps
//	game := NewGame(a.Mixer())
//	game.Jump()
//	a.Step(100 * time.Millisecond)
//	a.Heard("jump").At(0).Left().Level(-19, 0.5) // this sound alone
//	a.Stolen("coin").By("jump")
//	a.Never("scream")
//	a.Golden("testdata/level1.wav")                              // equal bits
//	a.GoldenLike("testdata/level1.wav", audiotest.Imperceptible) // equal for listeners
//
// The name of a sound is its name in the bank, or mixer.Options.Name, or otherwise sounds.Sound.Name. For a
// sound with several variations, the name of a file, or the end of its path, selects one variation. An
// assertion with an unknown name fails; Never documents which names it accepts.
//
// A failed assertion calls t.Errorf with one line and a text drawing of the voices over time. The test
// continues, but the remaining assertions of the chain are skipped.
//
// The package adds two flags to go test. -audiotest.update rewrites the files of Golden. -audiotest.save DIR
// saves the output of a failed test in DIR/TestName: mix.wav, a WAV file per sound in stems, report.json and
// timeline.txt.
//
// An Audio has no goroutines and no shared state: tests may run in parallel, and inside testing/synctest.
// Call its methods on the goroutine of the test only. The game may use its mixer on any goroutine, and poll
// Mixer.Events.
package audiotest
