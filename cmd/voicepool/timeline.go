package main

import (
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cmd/internal/view/timeline"
)

type timelineCommand struct {
	Report string `arg:"" predictor:"report" help:"Report (JSON) of --report; - is standard input."`
	Output string `short:"o" required:"" placeholder:"FILE" help:"Picture to write: an .svg, .png or .html file."`
}

// Run draws the voices of a report to the file of -o. A report contains no levels, so the voices are drawn without
// them.
func (t *timelineCommand) Run(c *console.Console) error {
	if err := checkTimeline("-o", t.Output); err != nil {
		return err
	}
	in, name, done, err := openReport(c, t.Report)
	if err != nil {
		return err
	}
	defer done()
	if err := outfiles.Of("-o", " ", t.Output).CheckDistinct([]outfiles.Input{in}); err != nil {
		return err
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	drawn, err := console.Within(interrupted, func() (*timeline.Timeline, error) { return timeline.Read(name, name, in.In, nil) })
	if err != nil {
		return err
	}
	file, err := outfiles.Open(interrupted, t.Output)
	if err != nil {
		return err
	}
	defer file.Discard()
	return drawn.Save(file, t.Output)
}

// checkTimeline returns a usage error that names flag if the extension of path is not .svg, .png or .html. An empty
// path is valid.
func checkTimeline(flag, path string) error {
	if _, ok := timeline.FormatOf(path); !ok && path != "" {
		return console.Usage("%s: %s: want an .svg, .png or .html file", flag, oneLine(path))
	}
	return nil
}
