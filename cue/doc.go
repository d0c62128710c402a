// Package cue reads cue sheets, lists their errors, and plays them through a mixer.
//
// Parse turns YAML or JSON into a Sheet. A Schedule lists the actions of a sheet, frame by frame. A Player
// plays a sheet with a mixer and a library of sounds:
//
//	// Faster than real time:                // In real time:
//	s, err := cue.Load("show.yaml")          p.Prime()
//	p, err := cue.NewPlayer(ctx, s, library, o) device.Start(p)     // the audio callback: p.Render
//	for {                                    err := p.Feed(ctx)
//		n, err := p.Read(block)
//	}
//	report := p.Report()
//
// To run hundreds of players on one goroutine, call Step on each non-idle player instead of Feed. Fire, Do
// and Start act on a player while it plays: Fire starts a cue of the list, Do runs a cue given as words,
// and Start plays a sound of the sheet.
//
// Times in a sheet are exact decimals. Each is rounded to a frame once, half up. Repetition k is due at
// `at` + k x `every` before rounding, so rhythms do not drift. Random choices are a hash of the sheet's
// seed and the position of the cue, so they do not depend on stolen or rejected voices.
//
// A parsed sheet is read-only and safe for concurrent use. docs/cues.md describes every key.
package cue
