package main

import (
	"fmt"
	"strconv"
	"strings"
)

type tuneCommand struct {
	Sheet  string       `arg:"" help:"Cue sheet (YAML or JSON); - is standard input."`
	Damage shareFlag    `default:"1%" placeholder:"SHARE" help:"Share of what is heard that may audibly differ (${default})."`
	Policy *stealPolicy `placeholder:"NAME" help:"Policy of a full pool: quietest, oldest, gain, reject, masked; also quietest+refuse, masked+virtual=64. Default: as in the sheet."`
	Length *timeFlag    `placeholder:"TIME" help:"Stop after this time."`
	JSON   bool         `name:"json" help:"Print JSON."`
	Quiet  bool         `short:"q" help:"Show no progress."`
	isolateFlag
}

// shareFlag is a share of something, as 1% or 0.01.
type shareFlag float64

func (s *shareFlag) UnmarshalText(text []byte) error {
	number, percent := strings.CutSuffix(string(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) {
		return fmt.Errorf("%q is no share, want 0%% to 100%%, or 0 to 1", text)
	}
	*s = shareFlag(x)
	return nil
}

// Run finds the smallest pool whose damage is within the limit while that of the
// next smaller one is not. Damage falls as pools grow, but for near-ties.
func (t *tuneCommand) Run(c *console) error {
	interrupted := listen(c.restore)
	defer interrupted.close()
	err := t.run(c, interrupted)
	c.progress("")
	if e := interrupted.err(); e != nil && err != nil {
		return e
	}
	return err
}

func (t *tuneCommand) run(c *console, interrupted *interrupts) error {
	k, err := newComparison(interrupted, c, t.Sheet, t.Length, t.limits(), t.Quiet)
	if err != nil {
		return err
	}
	policy, err := t.policy(k)
	if err != nil {
		return err
	}
	if err := policy.check(policy.virtuals(k.sheet.Virtual), "masked+virtual=64, or give the sheet `virtual: 64`"); err != nil {
		return usage("%w", err)
	}
	needed, err := k.enough(interrupted, policy)
	if err != nil {
		return err
	}
	var rows []stealRow
	best, err := smallest(float64(t.Damage), needed, func(voices int) (stealRow, error) {
		if !t.Quiet {
			c.progress("rendering with %s", count(voices, "voice"))
		}
		row, err := k.measure(interrupted, policy, voices)
		rows = append(rows, row)
		return row, err
	})
	if err != nil {
		return err
	}
	c.progress("")
	byVoices(rows)
	within := *best.Tiles <= float64(t.Damage)
	if t.JSON {
		return printJSON(c.out, struct {
			Sheet  string     `json:"sheet"`
			Damage float64    `json:"damage"`
			Policy string     `json:"policy"`
			Voices int        `json:"voices"`
			Within bool       `json:"within_damage"`
			Needed int        `json:"needed_voices"`
			Rows   []stealRow `json:"rows"`
		}{t.Sheet, float64(t.Damage), best.Policy, best.Voices, within, needed, rows})
	}
	printSheetSteals(c.out, rows)
	if !within {
		own := policyOf(k.sheet)
		fmt.Fprintf(c.out, "\n%s: no pool is enough: even with %s, where nothing gives way to a full pool, you would hear %s: more than %s. %s\n", oneLine(t.Sheet),
			count(best.Voices, "voice"), best.heard(" of it go"), fmt.Sprintf("%.3g %%", 100*t.Damage), otherwise([]string{best.Policy}, own.label(k.sheet)))
		return nil
	}
	fmt.Fprintf(c.out, "\n%s: take %s: you would hear %s", oneLine(t.Sheet), count(best.Voices, "voice"), best.heard(" of it go"))
	for i := range rows {
		if r := &rows[i]; r.Voices == best.Voices-1 {
			fmt.Fprintf(c.out, "; with %d, %s", r.Voices, r.heard(""))
		}
	}
	fmt.Fprintf(c.out, ". From %d on nothing gives way to a full pool.\n", needed)
	return nil
}

// policy is the one of the flag, or of the sheet.
func (t *tuneCommand) policy(k *comparison) (stealPolicy, error) {
	if t.Policy != nil {
		if err := t.Policy.sized(); err != nil {
			return *t.Policy, usage("--policy: %w", err)
		}
		return *t.Policy, nil
	}
	p := policyOf(k.sheet)
	if err := p.sized(); err != nil {
		return p, usage("%s: its overflow is %s: %w; say --policy quietest", oneLine(t.Sheet), p.name, err)
	}
	return p, nil
}
