package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/catalog"
	"voicepool/cmd/internal/console"
	"voicepool/cmd/internal/extent"
	"voicepool/cue"
	rule "voicepool/internal/parse"
	"voicepool/sounds"
)

type checkCommand struct {
	Sheet string `arg:"" predictor:"sheet" help:"Cue sheet, or bank: a file without cues (YAML or JSON); - is standard input."`
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
	Kind    string `json:"kind"` // sheet, sound; no errors: note, of what a render or a game needs besides; warning
	text    string // of the line that is printed
}

func (k *checkCommand) Run(c *console.Console) error {
	c.Quiet = k.Quiet
	interrupted := c.Listen()
	defer interrupted.Close()
	sheet, err := loadSheet(interrupted, k.Sheet)
	understood := err == nil
	wrong, listed := errors.AsType[rules.Errors](err)
	if err != nil && !listed {
		return err
	}
	var notes, warnings rules.Errors
	var lasts *extent.Extent
	if sheet != nil {
		// Of a faulty sheet, the sounds that could be understood.
		lib := sounds.NewLibrary(sounds.Options{Rate: sheet.Rate, Limits: k.limits()})
		err := console.Do(interrupted, func() error { return sheet.LoadSounds(interrupted, lib, c.Loading()) })
		more, listed := errors.AsType[rules.Errors](err)
		if err != nil && !listed {
			return err
		}
		wrong = slices.Concat(wrong, more)
		// What belongs to no line, but to line 0, stays at the end.
		slices.SortStableFunc(wrong, func(x, y *rules.Error) int {
			return cmp.Or(cmp.Compare(uint(x.Line-1), uint(y.Line-1)), cmp.Compare(x.Column, y.Column))
		})
		warnings = catalog.Unheard(interrupted, sheet, lib)
		if understood && (k.JSON || !k.Quiet) {
			if lasts, err = extent.Of(interrupted, sheet, lib); err != nil {
				return err
			}
		}
	}
	var said []problem
	if len(wrong) == 0 {
		errors.As(sheet.CheckRender(), &notes)
		said = problemsOf("note", notes)
		for i := range said {
			if sheet.CheckGoes() == nil {
				said[i].text += " (a run plays on until Ctrl-C)"
			}
		}
		said = append(said, problemsOf("note", asks(sheet))...)
	}
	problems := slices.Concat(problemsOf("sheet", wrong), said, problemsOf("warning", warnings))
	if k.JSON {
		err := c.JSON(struct {
			File     string         `json:"file"`
			OK       bool           `json:"ok"`
			Problems []problem      `json:"problems"`
			Extent   *extent.Extent `json:"extent,omitempty"`
		}{k.Sheet, len(wrong) == 0, append([]problem{}, problems...), lasts})
		if err != nil {
			return err
		}
	}
	found := map[string]int{}
	for i, p := range problems {
		found[p.Kind]++
		if i < len(wrong) || len(wrong) == 0 && !k.Quiet {
			c.Say("%s", p.text)
		}
	}
	if len(wrong) > 0 {
		k.tell(c, lasts)
		return console.Reported{Code: console.ExitCode(wrong)}
	}
	if k.Quiet || k.JSON {
		return nil
	}
	var verdict []string
	for _, kind := range [...]string{"note", "warning"} {
		if found[kind] > 0 {
			verdict = append(verdict, count(found[kind], kind))
		}
	}
	if verdict == nil {
		verdict = []string{"nothing is wrong"}
	}
	fmt.Fprintf(c.Out, "%s: %s: %s\n", oneLine(k.Sheet), contents(sheet), strings.Join(verdict, ", "))
	k.tell(c, lasts)
	return nil
}

// tell says how long the sheet lasts, where that is known.
func (k *checkCommand) tell(c *console.Console, lasts *extent.Extent) {
	if lasts != nil && !k.Quiet && !k.JSON {
		fmt.Fprintf(c.Out, "%s: %v\n", oneLine(k.Sheet), lasts)
	}
}

// contents counts what a sheet has. One without cues is a bank.
func contents(sheet *cue.Sheet) string {
	buses := "1 bus"
	if n := len(sheet.Buses); n != 1 {
		buses = fmt.Sprintf("%d buses", n)
	}
	parts := []string{count(len(sheet.Sounds), "sound"), buses}
	cues := len(sheet.Cues)
	for i := range sheet.List {
		cues -= sheet.List[i].Count
	}
	if cues > 0 || sheet.Cues != nil && sheet.List == nil {
		parts = slices.Insert(parts, 0, count(cues, "cue"))
	}
	if n := len(sheet.List); n > 0 {
		parts = slices.Insert(parts, 0, "a list of "+count(n, "cue"))
	}
	if n := len(sheet.Outputs); n > 0 {
		parts = append(parts, count(n, "output"))
	}
	if n := len(sheet.Scenes); n > 0 {
		parts = append(parts, count(n, "scene"))
	}
	return strings.Join(parts, ", ")
}

// problemsOf returns errors as problems; those of a sound are of a kind of their own.
func problemsOf(kind string, list rules.Errors) (all []problem) {
	for _, e := range list {
		p := problem{e.File, e.Line, e.Column, oneLine(e.Msg), kind, oneLine(e.Error())}
		switch {
		case kind == "note":
			p.text = "note: " + p.text
		case kind == "warning":
			p.text = "warning: " + p.text
		case e.Sound != nil:
			p.Kind = "sound"
		}
		all = append(all, p)
	}
	return all
}

// asks says what a game imports besides for a bank that names embedded sounds.
func asks(sheet *cue.Sheet) rules.Errors {
	if sheet.Cues != nil || sheet.List != nil {
		return nil
	}
	for i := range sheet.Sounds {
		for _, f := range sheet.Sounds[i].Files {
			if _, found := sheet.Find(f.Name); found {
				return rules.Errors{{File: sheet.File, Line: f.Line, Column: f.Column, Msg: fmt.Sprintf(
					"%q is an embedded sound, and a game has those if it imports sounds/embedded: %s", f.Name, rule.AskEmbedded)}}
			}
		}
	}
	return nil
}
