package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"voicepool/cue"
	"voicepool/internal/steal"
	"voicepool/sounds"
)

// maxCompared is the longest mix that is compared, in seconds: two of them are kept
// in memory.
const maxCompared = 600

// comparison is a sheet of the user's with the mix that it makes when nothing gives
// way to a full pool.
type comparison struct {
	sheet     *cue.Sheet
	bank      *sounds.Bank
	reference *steal.Reference
	needed    int // voices, so that nothing gives way to the pool
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
	k := &comparison{sheet: sheet, bank: sounds.NewBank(sounds.Options{Rate: sheet.Rate, Limits: limits})}
	if _, err := within(ctx, func() (struct{}, error) {
		return struct{}{}, sheet.LoadSounds(ctx, k.bank, c.loading(quiet))
	}); err != nil {
		return nil, err
	}
	if !quiet {
		c.progress("rendering with voices for all")
	}
	whole, needed, err := renderWhole(ctx, sheet, k.bank)
	if err != nil {
		return nil, err
	}
	k.needed = needed
	k.seconds = max(float64(len(whole.mix))/float64(sheet.Rate), 1e-3)
	k.reference, err = steal.NewReference(whole.mix, sheet.Rate)
	return k, err
}

// enough is how many voices a policy needs so that nothing gives way to the pool.
// It may be another number than with the sheet's own, since that acts at the limits
// of buses too.
func (k *comparison) enough(ctx context.Context, p stealPolicy) (int, error) {
	if p.overflow == k.sheet.Overflow && p.refuse == k.sheet.Refuse && p.virtuals(k.sheet.Virtual) == k.sheet.Virtual {
		return k.needed, nil
	}
	_, needed, err := renderWhole(ctx, p.apply(k.sheet, 1), k.bank)
	return needed, err
}

// label is the name of a policy with what it takes from a sheet.
func (p *stealPolicy) label(sheet *cue.Sheet) string {
	if p.virtual == asSheet && sheet.Virtual > 0 {
		return fmt.Sprintf("%s+virtual=%d", p.name, sheet.Virtual)
	}
	return p.name
}

// measure compares the mix of a pool and a policy with the whole one.
func (k *comparison) measure(ctx context.Context, p stealPolicy, voices int) (stealRow, error) {
	if err := p.check(p.virtuals(k.sheet.Virtual), "masked+virtual=64, or give the sheet `virtual: 64`"); err != nil {
		return stealRow{}, usage("%w", err)
	}
	r, err := renderRun(ctx, p.apply(k.sheet, voices), k.bank)
	if err != nil {
		return stealRow{}, err
	}
	n := r.losses()
	perSecond := func(n int64) *float64 { return ref(float64(n) / k.seconds) }
	return stealRow{
		Voices: voices, Virtual: p.virtuals(k.sheet.Virtual), Policy: p.label(k.sheet), KError: ref(level(k.reference.KError(r.mix))), Tiles: ref(k.reference.Tiles(r.mix)),
		Steals: perSecond(n.Steals), Rejected: perSecond(n.Rejected), Swaps: perSecond(n.Swaps), LimitSteals: perSecond(n.LimitSteals), Limited: perSecond(n.Limited),
	}, nil
}

// differs reports whether a mix differs although the pool took nothing.
func (r *stealRow) differs() bool {
	return *r.Steals == 0 && *r.Rejected == 0 && *r.Swaps == 0 && *r.KError > -60
}

// heard says in words how much is lost: "3 %". Where nothing can be heard but much
// has gone, as of two sounds that are the same, it says so.
func (r *stealRow) heard(of string) string {
	text := plainPercent(*r.Tiles) + of
	if *r.Tiles == 0 && *r.KError > -20 {
		text += fmt.Sprintf(", though the K-error is %.1f dB", float64(*r.KError))
	}
	return text
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
	printSheetSteals(c.out, rows)
	fmt.Fprintf(c.out, "\n%s: %s at once at most. %s.\n", oneLine(b.Sheet), soundAtOnce(k.needed), sentence(rows, b.Policies[0].label(k.sheet)))
	var differ []string
	for i := range rows {
		if r := &rows[i]; r.differs() && !slices.Contains(differ, r.Policy) {
			differ = append(differ, r.Policy)
		}
	}
	if differ != nil {
		own := policyOf(k.sheet)
		fmt.Fprintln(c.out, otherwise(differ, own.label(k.sheet)))
	}
	return nil
}

func soundAtOnce(voices int) string {
	if voices == 1 {
		return "1 voice sounds"
	}
	return count(voices, "voice") + " sound"
}

// sentence says in words what a policy costs: "With 24 voices you would hear 3 % of
// it go; with 32, 0.4 %".
func sentence(rows []stealRow, policy string) string {
	var parts []string
	for i := range rows {
		r := &rows[i]
		if r.Policy != policy {
			continue
		}
		if len(parts) == 0 {
			parts = append(parts, fmt.Sprintf("With %s you would hear %s", count(r.Voices, "voice"), r.heard(" of it go")))
		} else {
			parts = append(parts, fmt.Sprintf("with %d, %s", r.Voices, r.heard("")))
		}
		if *r.Tiles == 0 && *r.KError <= -20 {
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
// found by halving; that of the pool that is enough for all when not even that is
// within it.
func smallest(damage float64, enough int, measured func(voices int) (stealRow, error)) (stealRow, error) {
	lo, hi := 0, enough // too few; enough
	best, err := measured(hi)
	if err != nil || *best.Tiles > damage {
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
