package main

import "voicepool/cue"

type runCommand struct {
	Sheet string `arg:"" help:"The cue sheet (YAML or JSON); - is standard input."`
	liveFlags
}

func (r *runCommand) Run(c *console) error {
	if err := r.check(); err != nil {
		return err
	}
	sheet, err := cue.Load(r.Sheet)
	if err != nil {
		return err
	}
	return r.perform(c, sheet, "run "+oneLine(r.Sheet))
}
