package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/catalog"
	"voicepool/cmd/internal/cli/checkreport"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/sheetlen"
	"voicepool/cue/play"
	"voicepool/mixer"
	"voicepool/sounds/library"
)

type checkCommand struct {
	Sheet string `arg:"" predictor:"sheet" help:"Cue sheet, or bank: a file without cues (YAML or JSON); - is standard input."`
	JSON  bool   `name:"json" help:"Print JSON."`
	Quiet bool   `short:"q" help:"Print errors only."`
	isolateFlag
}

// Run loads the sheet and its sounds, decodes streams to their end, and prints every problem. Errors in the sheet or
// in a sound give exit code 1 or 2, notes and warnings 0.
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
	var notes, odd, warnings rules.Errors
	var lasts *sheetlen.Estimate
	if sheet != nil {
		// For a faulty sheet, these are the sounds that could be parsed.
		damages := &checkreport.Damages{}
		lib := library.NewLibrary(library.Options{Rate: sheet.Rate, Limits: k.limits(), OnDamage: damages.Add})
		err := console.Do(interrupted, func() error { return play.LoadSounds(interrupted, sheet, lib, c.Loading()) })
		more, listed := errors.AsType[rules.Errors](err)
		if err != nil && !listed {
			return err
		}
		damaged, err := console.Within(interrupted, func() (rules.Errors, error) {
			return damages.Damaged(interrupted, &sheet.Rules, lib, more)
		})
		if err != nil {
			return err
		}
		wrong = slices.Concat(wrong, more, damaged, catalog.MusicFaults(interrupted, sheet, lib))
		// Errors without a line have line 0; they are sorted to the end.
		slices.SortStableFunc(wrong, func(x, y *rules.Error) int {
			return cmp.Or(cmp.Compare(uint(x.Line-1), uint(y.Line-1)), cmp.Compare(x.Column, y.Column))
		})
		warnings = catalog.BeyondEnd(interrupted, sheet, lib)
		odd = catalog.FormatNotes(sheet, lib)
		if understood && (k.JSON || !k.Quiet || len(wrong) == 0) {
			if lasts, err = sheetlen.Of(interrupted, sheet, lib); err != nil {
				return err
			}
		}
		if len(wrong) == 0 { // a render would fail with these errors
			wrong = lasts.Faults(sheet.File)
		}
	}
	var noteProblems []checkreport.Problem
	if len(wrong) == 0 {
		errors.As(play.CheckRender(sheet), &notes)
		noteProblems = checkreport.Of("note", notes)
		for i := range noteProblems {
			if sheet.CheckGoes() == nil {
				noteProblems[i].Text += " (a run plays on until Ctrl-C)"
			}
		}
		noteProblems = append(noteProblems, checkreport.Of("note", checkreport.EmbeddedNote(sheet))...)
		noteProblems = append(noteProblems, checkreport.Of("note", odd)...)
		canSteal := sheet.Overflow != mixer.Reject && lasts.CanFillPool()
		noteProblems = append(noteProblems, checkreport.Of("note", checkreport.PoolNotes(sheet, canSteal))...)
	}
	problems := slices.Concat(checkreport.Of("sheet", wrong), noteProblems, checkreport.Of("warning", warnings))
	if k.JSON {
		err := c.JSON(struct {
			File     string                `json:"file"`
			OK       bool                  `json:"ok"`
			Problems []checkreport.Problem `json:"problems"`
			Extent   *sheetlen.Estimate    `json:"extent,omitempty"`
		}{k.Sheet, len(wrong) == 0, append([]checkreport.Problem{}, problems...), lasts})
		if err != nil {
			return err
		}
	}
	found := map[string]int{}
	for i, p := range problems {
		found[p.Kind]++
		if i < len(wrong) || len(wrong) == 0 && !k.Quiet {
			c.Say("%s", p.Text)
		}
	}
	if len(wrong) > 0 {
		k.printEstimate(c, lasts)
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
		verdict = []string{"no problems"}
	}
	fmt.Fprintf(c.Out, "%s: %s: %s\n", oneLine(k.Sheet), checkreport.Contents(sheet), strings.Join(verdict, ", "))
	k.printEstimate(c, lasts)
	return nil
}

// printEstimate prints estimate, the duration of the sheet and its voices, unless estimate is nil or the flags
// suppress it.
func (k *checkCommand) printEstimate(c *console.Console, estimate *sheetlen.Estimate) {
	if estimate != nil && !k.Quiet && !k.JSON {
		fmt.Fprintf(c.Out, "%s: %v\n", oneLine(k.Sheet), estimate)
	}
}
