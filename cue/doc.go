// Package cue reads cue sheets, lists their errors, and plays them through a mixer. A cue sheet is a file with
// sounds, and with cues that play, stop or change them. Cues under the key `cues` have fixed times; they form the
// timeline. Cues under the key `list` start on a GO, a command of an operator, or follow the cue before them. A show
// is one playing of a sheet.
//
// Parse turns YAML or JSON into a Sheet. A Schedule lists the actions of a sheet in the order of time. A Player plays
// a sheet with a mixer and a library of sounds:
//
//	s, err := cue.Load("show.yaml")
//	p, err := cue.NewPlayer(ctx, s, library, cue.Options{})
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
//	err = p.Feed(ctx)     // returns at the end of the show
//
//	// After either:
//	report := p.Report()
//
// To run hundreds of players on one goroutine, call Step on each non-idle player instead of Feed. Fire, Do
// and Start act on a player while it plays: Fire starts a cue of the list, Do carries out an action such as
// "play bell", and Start plays a sound of the sheet.
//
// Times in a sheet are exact decimals. Each is rounded to a frame once, half up. The time of repetition k of a cue is
// `at` plus k times `every`, rounded only then, so rhythms do not drift. A random choice depends only on the seed of
// the sheet, the position of the cue and the number of the repetition. Whether a full mixer stole or rejected voices
// has no influence.
//
// A parsed sheet is read-only and safe for concurrent use. docs/cues.md describes every key.
package cue
