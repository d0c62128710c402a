package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cue"
	"voicepool/cue/play"
)

// goesFlag is the flag of commands that play a list without an operator.
type goesFlag struct {
	Goes string `predictor:"file" placeholder:"FILE" help:"Read the times of GO from a file: one time per line, followed by the number of the cue if it is not the next one."`
}

// fromFlags are the flags of commands that can start in the middle of a show.
type fromFlags struct {
	From *flagtype.Time `placeholder:"TIME" help:"Begin at this time of the show, in the state that the earlier cues leave: 30s, 1m30s, 1.5."`
	Cue  string         `placeholder:"N" help:"Begin at the cue with this number. If no cue of the sheet has a number, they count from 0."`
}

// setStart copies the start position of --from or --cue to o. Without these flags, the show starts at its beginning.
func (f fromFlags) setStart(o *play.Options) {
	if o.Cue = f.Cue; f.From != nil {
		o.From = rules.Time(*f.From)
	}
}

// check returns a usage error if both --from and --cue are given.
func (f fromFlags) check() error {
	if f.From != nil && f.Cue != "" {
		return console.Usage("--from and --cue exclude each other: give one of them")
	}
	return nil
}

// explain converts err to a usage error that names the flag, if err is a play.ErrStartPosition, an invalid start
// position. Other errors, and nil, are returned as they are.
func (f fromFlags) explain(err error) error {
	switch {
	case !errors.Is(err, play.ErrStartPosition):
		return err
	case f.Cue != "":
		return console.Usage("--cue %s: %s", oneLine(f.Cue), console.Message(err))
	}
	return console.Usage("--from %v: %s", rules.Time(*f.From), console.Message(err))
}

// read reads the times of GO from the file of --goes into sheet. Without the flag it does not change sheet and
// returns nil.
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

// reloader returns a function that loads the sheet at path again with the times of goes and Fold set to fold. The
// function returns nil and no error while the file is unchanged since its last call, and for the first call since
// reloader. For standard input, "-", reloader itself returns nil.
func reloader(path string, goes goesFlag, fold bool) func(context.Context) (*cue.Sheet, error) {
	if path == "-" {
		return nil
	}
	last, _ := os.Stat(path)
	return func(ctx context.Context) (*cue.Sheet, error) {
		now, err := os.Stat(path)
		if err == nil && last != nil && now.ModTime().Equal(last.ModTime()) && now.Size() == last.Size() && os.SameFile(now, last) {
			return nil, nil
		}
		last = now
		sheet, err := loadSheet(ctx, path)
		if err == nil {
			err = goes.read(sheet)
		}
		if err != nil {
			return nil, err
		}
		sheet.Downmix = fold
		return sheet, nil
	}
}

// addInput returns list, the inputs of the command, with the file of --goes added if the flag is given.
func (g goesFlag) addInput(list []outfiles.Input) []outfiles.Input {
	if g.Goes == "" {
		return list
	}
	return append(list, outfiles.Input{Path: g.Goes, Label: "the times of GO"})
}
