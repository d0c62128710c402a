package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"voicepool/cue"
	"voicepool/internal/steal"
	"voicepool/mixer"
	"voicepool/sounds"
)

// maxCompared is the longest mix that is compared, in seconds: two of them are kept
// in memory.
const maxCompared = 600

// comparison is a sheet of the user's with the mix that it makes when nothing is
// stolen.
type comparison struct {
	sheet     *cue.Sheet
	bank      *sounds.Bank
	reference *steal.Reference
	most      int64 // frames that are compared at most
	needed    int   // voices, so that nothing is stolen
	seconds   float64
}

func newComparison(ctx context.Context, c *console, path string, length *timeFlag, limits sounds.Limits, quiet bool) (*comparison, error) {
	sheet, err := loadSheet(ctx, path)
	if err != nil {
		return nil, err
	}
	if length != nil {
		sheet.Length = &length.Time
	}
	if err := sheet.CheckRender(); err != nil {
		return nil, err
	}
	k := &comparison{
		sheet: sheet, bank: sounds.NewBank(sounds.Options{Rate: sheet.Rate, Limits: limits}), most: maxCompared * int64(sheet.Rate),
	}
	if _, err := within(ctx, func() (struct{}, error) {
		return struct{}{}, sheet.LoadSounds(ctx, k.bank, c.loading(quiet))
	}); err != nil {
		return nil, err
	}
	plays := uint64(1)
	for i := range sheet.Cues {
		if v := &sheet.Cues[i]; v.Verb == cue.Play {
			plays = min(plays+v.Times, 65536)
		}
	}
	if !quiet {
		c.progress("rendering with as many voices as there are sounds")
	}
	whole := stealPolicy{overflow: mixer.Reject}
	mix, report, err := renderAll(ctx, whole.apply(sheet, int(plays)), k.bank, k.most)
	switch {
	case err != nil:
		return nil, err
	case report.Totals.Rejected > 0:
		return nil, fmt.Errorf("%s: more than 65536 voices at once", oneLine(path))
	}
	k.needed = max(int(report.Totals.HighWater), 1)
	k.seconds = max(float64(len(mix))/float64(sheet.Rate), 1e-3)
	k.reference, err = steal.NewReference(mix, sheet.Rate)
	return k, err
}

// measure compares the mix of a pool and a policy with the whole one.
func (k *comparison) measure(ctx context.Context, p stealPolicy, voices int) (stealRow, error) {
	if err := p.check(p.virtuals(k.sheet.Virtual), "masked+virtual=64, or give the sheet `virtual: 64`"); err != nil {
		return stealRow{}, usage("%w", err)
	}
	mix, report, err := renderAll(ctx, p.apply(k.sheet, voices), k.bank, k.most)
	if err != nil {
		return stealRow{}, err
	}
	return stealRow{
		Voices: voices, Virtual: p.virtuals(k.sheet.Virtual), Policy: p.name, KError: ref(level(k.reference.KError(mix))), Tiles: ref(k.reference.Tiles(mix)),
		Steals: ref(float64(report.Totals.Stolen) / k.seconds), Rejected: ref(float64(report.Totals.Rejected) / k.seconds),
	}, nil
}

// sheet measures a sheet of the user's.
func (b *stealbenchCommand) sheet(c *console, interrupted *interrupts) error {
	k, err := newComparison(interrupted, c, b.Sheet, b.Length, b.limits(), b.Quiet)
	if err != nil {
		return err
	}
	var rows []stealRow
	for _, voices := range b.Voices {
		for _, p := range b.Policies {
			if !b.Quiet {
				c.progress("rendering %s with %s", p.name, count(voices, "voice"))
			}
			row, err := k.measure(interrupted, p, voices)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
	}
	c.progress("")
	if b.JSON {
		return printJSON(c.out, struct {
			Sheet  string     `json:"sheet"`
			Rate   int        `json:"rate"`
			Needed int        `json:"needed_voices"`
			Rows   []stealRow `json:"rows"`
		}{b.Sheet, k.sheet.Rate, k.needed, rows})
	}
	printSheetSteals(c, rows)
	fmt.Fprintf(c.out, "\n%s: %s sound at once at most. %s.\n", oneLine(b.Sheet), count(k.needed, "voice"), sentence(rows, b.Policies[0].name))
	return nil
}

func printSheetSteals(c *console, rows []stealRow) {
	const line = "%6s  %-24s %8s %8s %9s %9s\n"
	fmt.Fprintf(c.out, line, "voices", "policy", "K-error", "audible", "steals/s", "rejects/s")
	for _, r := range rows {
		fmt.Fprintf(c.out, line, fmt.Sprint(r.Voices), r.Policy, decibels(r.KError), percent(r.Tiles), figure(r.Steals), figure(r.Rejected))
	}
}

// sentence says in words what a policy costs: "With 24 voices you would hear 3 % of
// it go; with 32, 0.4 %".
func sentence(rows []stealRow, policy string) string {
	var parts []string
	for _, r := range rows {
		if r.Policy != policy {
			continue
		}
		if len(parts) == 0 {
			parts = append(parts, fmt.Sprintf("With %s you would hear %s of it go", count(r.Voices, "voice"), plainPercent(*r.Tiles)))
		} else {
			parts = append(parts, fmt.Sprintf("with %d, %s", r.Voices, plainPercent(*r.Tiles)))
		}
		if *r.Tiles == 0 {
			break
		}
	}
	return strings.Join(parts, "; ")
}

// plainPercent prints a share with as many digits as mean something.
func plainPercent(share float64) string {
	switch {
	case share == 0:
		return "nothing"
	case share < 0.0005:
		return "less than 0.1 %"
	case share < 0.02:
		return fmt.Sprintf("%.1f %%", 100*share)
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// smallest returns the row of the smallest pool whose damage is within a limit,
// found by halving.
func (k *comparison) smallest(damage float64, measured func(voices int) (stealRow, error)) (stealRow, error) {
	lo, hi := 0, k.needed // too few; enough
	best, err := measured(hi)
	if err != nil {
		return best, err
	}
	for lo+1 < hi {
		middle := (lo + hi) / 2
		row, err := measured(middle)
		if err != nil {
			return best, err
		}
		if *row.Tiles <= damage {
			best, hi = row, middle
		} else {
			lo = middle
		}
	}
	return best, nil
}

// byVoices sorts rows by the size of their pools.
func byVoices(rows []stealRow) {
	slices.SortFunc(rows, func(a, b stealRow) int { return a.Voices - b.Voices })
}
