// Package cue reads cue sheets, says exactly what is wrong with them, and plays
// them through a mixer.
//
// A sheet is data: Parse makes it from YAML (so from JSON too), and a Schedule
// lists what it asks for, frame by frame. A Player is a sheet with a mixer and
// its sounds:
//
//	// Faster than real time:                // In real time:
//	s, err := cue.Load("show.yaml")          p.Prime()
//	p, err := cue.NewPlayer(ctx, s, bank, o) device.Start(p)     // the audio callback: p.Render
//	for {                                    err := p.Feed(ctx)
//		n, err := p.Read(block)
//	}
//	report := p.Report()
//
// Times in a sheet are exact decimals. They become frames by one rounding, half
// up, each: a repetition is at + k x every before it is rounded, so that no
// rhythm drifts. What is drawn at random is a hash of the sheet's seed and of
// the cue's place, so it does not depend on what was stolen or refused.
//
// A sheet is read-only once it is parsed; any goroutine may use it.
package cue
