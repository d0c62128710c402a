package policytest

import (
	"cmp"
	"context"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cue"
	"voicepool/internal/words"
	"voicepool/sounds"
)

// Load loads the sheet at path and its sounds, and renders the reference as in NewComparison. A length that is not
// nil overrides the end of the sheet. Load calls changes with the sheet in order, before it loads the sounds, and
// stops at the first error. After the first change, the sheet must have an end. If the sheet has several outputs,
// they are mixed into one. c shows the progress.
func Load(c *console.Console, ctx context.Context, path string, length *rules.Time, limits sounds.Limits, changes ...func(*cue.Sheet) error) (*Comparison, *Run, error) {
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
		if err := sheet.CheckRender(); i == 0 && err != nil {
			return nil, nil, err
		}
	}
	lib := sounds.NewLibrary(sounds.Options{Rate: sheet.Rate, Limits: limits})
	if err := console.Do(ctx, func() error { return sheet.LoadSounds(ctx, lib, c.Loading()) }); err != nil {
		return nil, nil, err
	}
	c.Progress("rendering with enough voices")
	return NewComparison(ctx, sheet, lib)
}
