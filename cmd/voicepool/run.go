package main

import (
	"voicepool/cmd/internal/console"
	"voicepool/cmd/internal/output"
)

type runCommand struct {
	Sheet string `arg:"" help:"Cue sheet (YAML or JSON); - is standard input."`
	liveFlags
	Record string `placeholder:"FILE" help:"Write what was played as a cue sheet that renders to the same bits."`
	Reload bool   `help:"Reload files that change on disk; their next start plays the new sound."`
}

func (r *runCommand) Run(c *console.Console) error {
	if err := r.check(); err != nil {
		return err
	}
	if err := r.checkRecord(); err != nil {
		return err
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	sheet, err := loadSheet(interrupted, r.Sheet)
	if err != nil {
		return err
	}
	if err := r.outputs().And("--record", " ", r.Record).Keep(output.SheetInputs(c.In, r.Sheet, sheet)); err != nil {
		return err
	}
	r.reload, r.record = r.Reload, r.Record
	return r.perform(c, interrupted, sheet, "run "+oneLine(r.Sheet))
}
