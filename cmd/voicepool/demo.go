package main

import (
	"bytes"
	_ "embed"
	"regexp"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/show/liveplay"
	"voicepool/cue"
)

// demoSheet is the show. It is a cue sheet like any other: save it with
// `voicepool demo --sheet`, change it, and run it.
//
//go:embed demo.yaml
var demoSheet []byte

// demoLoops matches the sounds of the show that its cues loop.
var demoLoops = regexp.MustCompile(`(?m)^  (theme|rain|wind|engine): +\{`)

// demoBank returns the demo show without its cues as YAML: a bank of the sounds and their rules. Sounds that the cues
// loop have loop: true in it.
func demoBank() []byte {
	bank, _, _ := bytes.Cut(demoSheet, []byte("\ncues:"))
	return append(demoLoops.ReplaceAll(bank, []byte("  $1: {loop: true, ")), '\n')
}

type demoCommand struct {
	Sheet bool `help:"Print the cue sheet of the show instead of playing it."`
	liveFlags
}

// Run plays the demo show, or with --sheet prints its sheet.
func (d *demoCommand) Run(c *console.Console) error {
	if err := d.check(); err != nil {
		return err
	}
	if d.Sheet {
		c.Out.Write(demoSheet)
		return nil
	}
	sheet, err := cue.Parse("demo.yaml", demoSheet)
	if err != nil {
		return err
	}
	if err := d.outputs().CheckDistinct(nil); err != nil {
		return err
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	return d.perform(c, interrupted, sheet, liveplay.Options{Title: "demo"})
}
