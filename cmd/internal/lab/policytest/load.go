package policytest

import (
	"cmp"
	"context"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/words"
	"voicepool/sounds/library"
)

// Load loads the cue sheet at path and its sounds, then renders the reference, a mix without steals. It returns a
// Comparison with this reference, and the run that rendered it. If length is not nil, it replaces the end of the sheet.
// Before the sounds are loaded, Load calls each function of changes with the sheet, in order, and stops at the first
// error. A sheet without an end is an error. That is checked only once, after the first change, and not at all without
// changes. If the sheet has several outputs, they are mixed into one. c shows the progress. The end of ctx is an error.
func Load(c *console.Console, ctx context.Context, path string, length *rules.Time, limits library.Limits, changes ...func(*cue.Sheet) error) (*Comparison, *Run, error) {
	sheet, err := console.Within(ctx, func() (*cue.Sheet, error) { return cue.Load(path) })
	if err != nil {
		return nil, nil, err
	}
	sheet.Length = cmp.Or(length, sheet.Length)
	if sheet.Downmix = len(sheet.Outputs) > 0; sheet.Downmix && !c.Quiet { // two stereo mixes are compared
		c.Say("%s: its outputs are mixed into one for the comparison", words.OneLine(path))
	}
	for i, change := range changes {
		if err := change(sheet); err != nil {
			return nil, nil, err
		}
		if err := play.CheckRender(sheet); i == 0 && err != nil {
			return nil, nil, err
		}
	}
	lib := library.NewLibrary(library.Options{Rate: sheet.Rate, Limits: limits})
	if err := console.Do(ctx, func() error { return play.LoadSounds(ctx, sheet, lib, c.Loading()) }); err != nil {
		return nil, nil, err
	}
	c.Progress("rendering with enough voices")
	return NewComparison(ctx, sheet, lib)
}
