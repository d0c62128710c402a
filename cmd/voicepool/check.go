package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"voicepool/cue"
	"voicepool/sounds"
)

type checkCommand struct {
	Sheet string `arg:"" help:"The cue sheet (YAML or JSON); - is standard input."`
	JSON  bool   `name:"json" help:"Print JSON."`
	Quiet bool   `short:"q" help:"Print errors only."`
	isolateFlag
}

// problem is one thing that is wrong.
type problem struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
	Kind    string `json:"kind"` // sheet, sound; note: no error, only a render needs a length
}

func (k *checkCommand) Run(c *console) error {
	interrupted := listen(c.restore)
	defer interrupted.close()
	sheet, err := loadSheet(interrupted, k.Sheet)
	var wrong, notes cue.Errors
	if err != nil && !errors.As(err, &wrong) {
		return err
	}
	if sheet != nil {
		// Of a faulty sheet, the sounds that could be understood.
		missing := k.load(interrupted, c, sheet)
		var more cue.Errors
		if missing != nil && !errors.As(missing, &more) {
			return missing
		}
		wrong = inOrder(wrong, more)
	}
	if len(wrong) == 0 {
		errors.As(sheet.CheckRender(), &notes)
	}
	if k.JSON {
		if err := k.print(c, wrong, notes); err != nil {
			return err
		}
	}
	for _, e := range wrong {
		c.say("%s", oneLine(e.Error()))
	}
	if len(wrong) > 0 {
		return silentFailure{exitCode(wrong)}
	}
	if k.Quiet {
		return nil
	}
	for _, e := range notes {
		c.say("note: %s (a run plays on until Ctrl-C)", oneLine(e.Error()))
	}
	if !k.JSON {
		verdict := "nothing is wrong"
		if len(notes) > 0 {
			verdict = count(len(notes), "note")
		}
		fmt.Fprintf(c.out, "%s: %s, %s, %s: %s\n", oneLine(k.Sheet),
			count(len(sheet.Cues), "cue"), count(len(sheet.Sounds), "sound"), buses(len(sheet.Buses)), verdict)
	}
	return nil
}

func (k *checkCommand) load(ctx context.Context, c *console, sheet *cue.Sheet) error {
	bank := sounds.NewBank(sounds.Options{Rate: sheet.Rate, Limits: k.limits()})
	_, err := within(ctx, func() (struct{}, error) {
		return struct{}{}, sheet.LoadSounds(ctx, bank, c.loading(k.Quiet))
	})
	return err
}

// inOrder joins two lists in the order of the sheet's lines. What belongs to no
// line stays at the end.
func inOrder(a, b cue.Errors) cue.Errors {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(x, y *cue.Error) int {
		if (x.Line == 0) != (y.Line == 0) {
			return cmp.Compare(y.Line, x.Line)
		}
		return cmp.Or(cmp.Compare(x.Line, y.Line), cmp.Compare(x.Column, y.Column))
	})
	return all
}

func (k *checkCommand) print(c *console, wrong, notes cue.Errors) error {
	all := []problem{}
	add := func(e *cue.Error, kind string) {
		all = append(all, problem{e.File, e.Line, e.Column, oneLine(e.Msg), kind})
	}
	for _, e := range wrong {
		kind := "sheet"
		if e.Sound != nil {
			kind = "sound"
		}
		add(e, kind)
	}
	for _, e := range notes {
		add(e, "note")
	}
	return printJSON(c.out, struct {
		File     string    `json:"file"`
		OK       bool      `json:"ok"`
		Problems []problem `json:"problems"`
	}{k.Sheet, len(wrong) == 0, all})
}

func buses(n int) string {
	if n == 1 {
		return "1 bus"
	}
	return fmt.Sprintf("%d buses", n)
}
