package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/console"
	"voicepool/cmd/internal/control"
	"voicepool/cmd/internal/live"
	"voicepool/cmd/internal/midi"
	"voicepool/cmd/internal/output"
	"voicepool/cmd/internal/performance"
	"voicepool/cmd/internal/show"
	"voicepool/cue"
)

// controlFlags are those of the commands that others may run while they play.
type controlFlags struct {
	Control    string    `placeholder:"WHERE" help:"Take commands, one a line, and answer each with a line of JSON: - is standard input and output, unix:PATH a socket."`
	Midi       string    `predictor:"file" placeholder:"FILE" help:"Follow a MIDI device: a raw one, as /dev/snd/midiC1D0, or a pipe; by the table midi of the sheet, and MIDI Show Control."`
	Guard      *timeFlag `placeholder:"TIME" help:"After a GO, ignore others for this long (300ms)."`
	RecordGoes string    `name:"record-goes" placeholder:"FILE" help:"Write the time and the cue of each GO, for --goes."`
}

type goCommand struct {
	Sheet string `arg:"" predictor:"sheet" help:"Cue sheet (YAML or JSON) with a list of cues."`
	controlFlags
	liveFlags
}

func (g *goCommand) Run(c *console.Console) error {
	if err := g.check(); err != nil {
		return err
	}
	if g.Control == "-" && g.JSON {
		return console.Usage("--control - and --json both want standard output")
	}
	interrupted := c.Listen()
	defer interrupted.Close()
	sheet, err := loadSheet(interrupted, g.Sheet)
	if err != nil {
		return err
	}
	if len(sheet.List) == 0 {
		return console.Usage("%s has no list of cues that wait for GO; voicepool run plays it", oneLine(g.Sheet))
	}
	if err := g.outputs().And("--record-goes", " ", g.RecordGoes).Keep(g.reads(output.SheetInputs(c.In, g.Sheet, sheet))); err != nil {
		return err
	}
	l, err := g.open(sheet)
	if err != nil {
		return err
	}
	o := performance.Options{Title: "go " + oneLine(g.Sheet), Player: cue.Options{Live: true, Went: l.went}, Attend: func(p *cue.Player) error { return l.begin(c, p) }, View: l.look}
	return l.end(g.perform(c, interrupted, sheet, o))
}
