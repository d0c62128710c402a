// Package play plays cue sheets through a mixer, in real time or faster. A show is one playing of a sheet. A Player
// plays a show with a mixer of its own and a library of sounds:
//
//	s, err := cue.Load("show.yaml")
//	p, err := play.NewPlayer(ctx, s, library, play.Options{})
//
//	// Faster than real time:
//	for {
//		n, err := p.Read(block) // err is io.EOF at the end
//		...
//	}
//
//	// Or in real time:
//	err = p.Prime()
//	err = device.Start(p) // the device calls p.Render
//	err = p.Run(ctx)      // returns at the end of the show
//
//	// After either:
//	report := p.Report()
//
// To run hundreds of players on one goroutine, call Step on each non-idle player instead of Run. Fire, Do and Start act
// on a player while it plays: Fire starts a cue of the list, Do carries out an action such as "play bell", and Start
// plays a sound of the sheet. A Schedule lists the actions of a sheet in the order of time, without a mixer.
//
// Each time in a sheet is rounded to a frame once, half up. The time of repetition k of a cue is `at` plus k times
// `every`, rounded only then, so rhythms do not drift. A random choice depends only on the seed of the sheet, the
// position of the cue and the number of the repetition. Whether a full mixer stole or rejected voices has no influence.
//
// A render and a show in real time follow the same path: the Schedule yields actions, the sender turns each into
// commands, and the mixer carries them out at their frames. In real time the lookahead groups the commands in batches,
// because the frames of GOs and of the ends of voices are known only on the audio side. In a render the mixer stops at
// every possible end instead.
package play
