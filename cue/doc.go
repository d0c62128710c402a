// Package cue reads cue sheets, lists what is wrong with them, and plays them
// through a mixer.
//
// Parse makes a Sheet from YAML or JSON. A Schedule lists what the sheet asks for,
// frame by frame. A Player joins a sheet, a mixer and its sounds:
//
//	// Faster than real time:                // In real time:
//	s, err := cue.Load("show.yaml")          p.Prime()
//	p, err := cue.NewPlayer(ctx, s, library, o) device.Start(p)     // the audio callback: p.Render
//	for {                                    err := p.Feed(ctx)
//		n, err := p.Read(block)
//	}
//	report := p.Report()
//
// Who has hundreds of players calls Turn of each now and then, on one goroutine, in the place of Feed,
// and none of those that are Idle. Fire, Do and Start act on a player while it plays: GO of the list, a
// cue in words, and a sound of the sheet at once.
//
// Times in a sheet are exact decimals, and each becomes a frame by one rounding, half
// up. A repetition is at + k x every before it is rounded, so no rhythm drifts. Random
// choices are a hash of the sheet's seed and of the cue's place, so they do not depend
// on what was stolen or refused.
//
// A sheet is read-only once it is parsed; any goroutine may use it. docs/cues.md lists
// every key.
package cue
