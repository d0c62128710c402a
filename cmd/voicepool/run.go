package main

type runCommand struct {
	Sheet string `arg:"" help:"The cue sheet (YAML or JSON); - is standard input."`
	liveFlags
}

func (r *runCommand) Run(c *console) error {
	if err := r.check(); err != nil {
		return err
	}
	interrupted := listen(c.restore)
	defer interrupted.close()
	sheet, err := loadSheet(interrupted, r.Sheet)
	if err != nil {
		return err
	}
	if err := keepInputs(r.outputs(), sheetInputs(c, r.Sheet, sheet)); err != nil {
		return err
	}
	return r.perform(c, interrupted, sheet, "run "+oneLine(r.Sheet))
}
