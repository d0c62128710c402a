package main

import (
	"context"
	"errors"
	"fmt"

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
	sheet, err := cue.Load(k.Sheet)
	var notes error
	if err == nil {
		bank := sounds.NewBank(sounds.Options{Rate: sheet.Rate, Limits: k.limits()})
		err = sheet.LoadSounds(context.Background(), bank, c.loading(k.Quiet))
		notes = sheet.CheckRender()
	}
	var wrong cue.Errors
	if err != nil && !errors.As(err, &wrong) {
		return err
	}
	if k.JSON {
		if err := k.print(c, wrong, notes); err != nil {
			return err
		}
	}
	for _, e := range wrong {
		c.say("%s", oneLine(e.Error()))
	}
	if err != nil {
		return silentFailure{exitCode(err)}
	}
	var hints cue.Errors
	if errors.As(notes, &hints) && !k.Quiet {
		for _, e := range hints {
			c.say("%s (a run plays on until Ctrl-C)", oneLine(e.Error()))
		}
	}
	if !k.Quiet && !k.JSON {
		fmt.Fprintf(c.out, "%s: %s, %s, %s: nothing is wrong\n", oneLine(k.Sheet),
			count(len(sheet.Cues), "cue"), count(len(sheet.Sounds), "sound"), buses(len(sheet.Buses)))
	}
	return nil
}

func (k *checkCommand) print(c *console, wrong cue.Errors, notes error) error {
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
	var hints cue.Errors
	errors.As(notes, &hints)
	for _, e := range hints {
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
