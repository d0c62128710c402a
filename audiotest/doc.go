// Package audiotest lets a test hear what a game played: it is to a mixer what httptest is
// to HTTP. It needs no sound card and waits for nothing.
//
//	a := audiotest.New(t, mixer.Config{Voices: 2}) // a mixer on a clock that the test steps
//	game := NewGame(a.Mixer())
//	game.Jump()
//	a.Step(100 * time.Millisecond)
//	a.Heard("jump").At(0).Left().Level(-19, 0.5) // this sound alone
//	a.Stolen("coin").By("jump")
//	a.Never("scream") // a name that the game has: of its bank, or told to Knows
//	a.Golden("testdata/level1.wav")
//
// Starts are called what mixer.Options.Name says, which is the name of their bank, or else
// what voice.Sound.Name says. The name of a file, or the end of its path, names one
// variation. A name that nothing has fails the test.
//
// An assertion that does not
// hold fails the test with one line, and then draws the voices over time as text. The test
// goes on; what stands behind it in a chain is passed over.
//
// Two flags belong to go test. -audiotest.update writes the files of Golden anew.
// -audiotest.save DIR writes what a failed test heard into DIR/TestName: mix.wav, a WAV
// file for each sound in stems, report.json and timeline.txt.
//
// An Audio has no goroutine and no state outside itself: tests may run in parallel, and
// inside testing/synctest. All methods belong to the goroutine of the test; the game may
// call its mixer from any, and poll Mixer.Events.
package audiotest
