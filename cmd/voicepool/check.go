package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"voicepool/cmd/internal/catalog"
	"voicepool/cmd/internal/console"
	"voicepool/cue"
	"voicepool/sounds"
)

type checkCommand struct {
	Sheet string `arg:"" help:"Cue sheet (YAML or JSON); - is standard input."`
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
	Kind    string `json:"kind"` // sheet, sound; no errors: note, only a render needs a length; warning
}

func (k *checkCommand) Run(c *console.Console) error {
	c.Quiet = k.Quiet
	interrupted := c.Listen()
	defer interrupted.Close()
	sheet, err := loadSheet(interrupted, k.Sheet)
	var wrong, notes, warnings cue.Errors
	if err != nil && !errors.As(err, &wrong) {
		return err
	}
	if sheet != nil {
		// Of a faulty sheet, the sounds that could be understood.
		bank, missing := k.load(interrupted, c, sheet)
		var more cue.Errors
		if missing != nil && !errors.As(missing, &more) {
			return missing
		}
		wrong = inOrder(wrong, more)
		warnings = unheard(interrupted, sheet, bank)
	}
	if len(wrong) == 0 {
		errors.As(sheet.CheckRender(), &notes)
	}
	if k.JSON {
		if err := k.print(c, wrong, notes, warnings); err != nil {
			return err
		}
	}
	for _, e := range wrong {
		c.Say("%s", oneLine(e.Error()))
	}
	if len(wrong) > 0 {
		return console.Reported{Code: console.ExitCode(wrong)}
	}
	if k.Quiet {
		return nil
	}
	for _, e := range notes {
		c.Say("note: %s (a run plays on until Ctrl-C)", oneLine(e.Error()))
	}
	for _, e := range warnings {
		c.Say("warning: %s", oneLine(e.Error()))
	}
	if !k.JSON {
		var found []string
		if len(notes) > 0 {
			found = append(found, count(len(notes), "note"))
		}
		if len(warnings) > 0 {
			found = append(found, count(len(warnings), "warning"))
		}
		verdict := "nothing is wrong"
		if len(found) > 0 {
			verdict = strings.Join(found, ", ")
		}
		fmt.Fprintf(c.Out, "%s: %s, %s, %s: %s\n", oneLine(k.Sheet),
			count(len(sheet.Cues), "cue"), count(len(sheet.Sounds), "sound"), buses(len(sheet.Buses)), verdict)
	}
	return nil
}

func (k *checkCommand) load(ctx context.Context, c *console.Console, sheet *cue.Sheet) (*sounds.Bank, error) {
	bank := sounds.NewBank(sounds.Options{Rate: sheet.Rate, Limits: k.limits()})
	err := console.Do(ctx, func() error { return sheet.LoadSounds(ctx, bank, c.Loading()) })
	return bank, err
}

// unheard finds the starts that begin at or beyond the end of their sound, and
// end as they begin.
func unheard(ctx context.Context, sheet *cue.Sheet, bank *sounds.Bank) (list cue.Errors) {
	lengths := make([][]int64, len(sheet.Sounds)) // of each file; -1: it could not be loaded
	for i := range sheet.Cues {
		c := &sheet.Cues[i]
		from := c.From.Frames(sheet.Rate)
		sound := &sheet.Sounds[c.Sound]
		if c.Verb != cue.Play || from == 0 || c.Loop || sound.Stream {
			continue
		}
		if lengths[c.Sound] == nil {
			lengths[c.Sound] = framesOf(ctx, sheet, sound, bank)
		}
		for j, frames := range lengths[c.Sound] {
			if frames < 0 || from < frames {
				continue
			}
			name := sound.Name
			if f := &sound.Files[j]; len(sound.Files) > 1 {
				name += ", " + f.Path + f.Name
			}
			list = append(list, &cue.Error{File: sheet.File, Line: c.Line, Column: c.Column, Msg: fmt.Sprintf(
				"from: %v is beyond the end of %q, which lasts %s, so nothing of it is heard", c.From, oneLine(name), catalog.Length(float64(frames)/float64(sheet.Rate)))})
		}
	}
	return list
}

// framesOf returns how long the files of a sound are, -1 for what could not be loaded.
func framesOf(ctx context.Context, sheet *cue.Sheet, sound *cue.Sound, bank *sounds.Bank) []int64 {
	frames := make([]int64, len(sound.Files))
	for i, f := range sound.Files {
		frames[i] = -1
		if loaded, err := bank.Load(ctx, sheet.Source(sound, f, false)); err == nil {
			frames[i] = loaded[0].Frames()
		}
	}
	return frames
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

func (k *checkCommand) print(c *console.Console, wrong, notes, warnings cue.Errors) error {
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
	for _, e := range warnings {
		add(e, "warning")
	}
	return c.JSON(struct {
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
