package main

import (
	"cmp"
	"os"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cmd/internal/show/liveplay"
	"voicepool/cmd/internal/show/operator"
	"voicepool/internal/expect"
	"voicepool/internal/words"
)

// keysHint lists the keys of a run.
const keysHint = "keys: space pauses, Esc panics, Q quits"

type runCommand struct {
	Sheet string `arg:"" predictor:"sheet" help:"Cue sheet (YAML or JSON); - is standard input."`
	goesFlag
	fromFlags
	controlFlags
	liveFlags
	foldFlag
	Record string `placeholder:"FILE" help:"Save the played show as a cue sheet that renders to the same bits."`
	Expect string `predictor:"file" placeholder:"RULES" help:"Check the run against rules, and exit with 1 if one does not hold; see voicepool expect."`
	JUnit  string `name:"junit" predictor:"file" placeholder:"FILE" help:"Write the results of --expect as JUnit XML."`
	Reload bool   `help:"Reload files that change on disk; their next start plays the new sound."`
}

// Run plays the sheet in real time until it ends or a signal interrupts it, then closes the controls. It writes the
// outputs that the flags name.
func (r *runCommand) Run(c *console.Console) error {
	if err := cmp.Or(r.fromFlags.check(), r.controlFlags.check(&r.liveFlags), r.liveFlags.check()); err != nil {
		return err
	}
	switch {
	case r.Record == "-":
		return console.Usage("--record -: standard output shows the run; name a file")
	case r.Record != "" && r.Reload:
		return console.Usage("--record and --reload exclude each other: a sheet cannot record a change of a file")
	}
	switch {
	case r.JUnit != "" && r.Expect == "":
		return console.Usage("--junit needs --expect, whose results it writes")
	case r.Expect == "-" || r.JUnit == "-":
		return console.Usage("--expect and --junit need files; standard input and output are for the run")
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	sheet, err := loadSheet(interrupted, r.Sheet)
	if err != nil {
		return err
	}
	r.fold(c, sheet)
	var expected *expect.Rules
	inputs := r.addInput(outfiles.SheetInputs(c.In, r.Sheet, sheet))
	if r.Expect != "" {
		inputs = append(inputs, outfiles.Input{Path: r.Expect, Label: "the rules " + oneLine(r.Expect)})
		if expected, err = loadRules(c, r.Expect); err == nil {
			err = expected.CheckNames(words.Names(sheet.Sounds, func(s *rules.Sound) string { return s.Name }))
		}
		if err != nil {
			return eachRule(c, err)
		}
	}
	if err := r.outputs().And("--record", " ", r.Record).And("--junit", " ", r.JUnit).CheckDistinct(inputs); err != nil {
		return err
	}
	if err := r.goesFlag.read(sheet); err != nil {
		return err
	}
	if err := sheet.CheckGoes(); err != nil {
		return err
	}
	o := liveplay.Options{Title: "run " + oneLine(r.Sheet), Record: r.Record, Reload: r.Reload, Expect: expected, JUnit: r.JUnit}
	r.setStart(&o.Player)
	var keys *os.File
	if c.OutTerminal != nil && r.Control != "-" && r.Sheet != "-" {
		if keys = c.InTerminal; keys != nil && !r.Quiet {
			c.Say(keysHint)
			o.Hint = func() string { return keysHint }
		}
	}
	b, err := r.open(c, sheet, operator.Options{Sheet: r.Sheet, Device: r.Device.String(), Keys: keys})
	if err != nil {
		return err
	}
	o.StartControls, o.OnPicture, o.OnSent, o.Silent = b.StartControls, b.ShowPicture, b.Report, r.Control == "-"
	if r.Record == "" { // a recording is for a single version of the sheet
		o.Sheet, o.LoadAgain, o.ChangeSheet, o.OnMessage = r.Sheet, reloader(r.Sheet, r.goesFlag, r.Fold), b.ChangeSheet, b.Report
	}
	return closeControls(c, b, r.explain(r.perform(c, interrupted, sheet, o)))
}
