package main

import (
	"fmt"
	"os"

	"voicepool/cmd/internal/output"
	"voicepool/cue"
)

// goesFlag is what commands have that play a list without an operator.
type goesFlag struct {
	Goes string `predictor:"file" placeholder:"FILE" help:"Take the times of GO from a file: a time a line, and behind it, where another cue than the next is meant, its number."`
}

// read gives a sheet the times of the file.
func (g goesFlag) read(sheet *cue.Sheet) error {
	if g.Goes == "" {
		return nil
	}
	text, err := os.ReadFile(g.Goes)
	if err != nil {
		return fmt.Errorf("--goes %s: %w", oneLine(g.Goes), cause(err))
	}
	return sheet.ReadGoes(g.Goes, text)
}

// reads adds the file to what a command reads.
func (g goesFlag) reads(list []output.Input) []output.Input {
	if g.Goes == "" {
		return list
	}
	return append(list, output.Input{Path: g.Goes, What: "the times of GO"})
}
