package main

import (
	"fmt"
	"strconv"
	"strings"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cmd/internal/lab/policytest"
	"voicepool/cue"
)

type tuneCommand struct {
	Sheet  string             `arg:"" predictor:"sheet" help:"Cue sheet (YAML or JSON); - is standard input."`
	Damage shareFlag          `default:"1%" placeholder:"SHARE" help:"Share of the mix that may audibly differ (${default})."`
	Policy *policytest.Policy `placeholder:"NAME" help:"Policy of a full pool: quietest, oldest, gain, reject, masked; also quietest+refuse, masked+virtual=64. Default: as in the sheet."`
	Length *flagtype.Time     `placeholder:"TIME" help:"Stop after this time."`
	goesFlag
	trialFlags
}

// shareFlag is a share such as 1% or 0.01.
type shareFlag float64

// UnmarshalText parses a share, from 0 to 1 or from 0% to 100%. Other text is an error and leaves s unchanged.
func (s *shareFlag) UnmarshalText(text []byte) error {
	number, percent := strings.CutSuffix(string(text), "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		x /= 100
	}
	if err != nil || !(x >= 0 && x <= 1) {
		return fmt.Errorf("invalid share %q (want 0%% to 100%%, or 0 to 1)", text)
	}
	*s = shareFlag(x)
	return nil
}

// Run finds and prints the smallest pool with a loss within --damage.
func (t *tuneCommand) Run(c *console.Console) error { return t.runInterruptible(c, t.run) }

// run finds by bisection the smallest pool with a loss within --damage, and prints it with the losses of all sizes
// that it has tried. A sheet that no pool satisfies is not an error.
func (t *tuneCommand) run(c *console.Console, interrupted *console.Interrupts) error {
	var policy policytest.Policy
	k, _, err := policytest.Load(c, interrupted, t.Sheet, t.Length.Value(), t.limits(), t.read, func(sheet *cue.Sheet) (err error) {
		policy, err = t.policy(sheet)
		if err == nil {
			err = policy.Check(policy.Virtuals(sheet.Virtual), moreVirtual)
		}
		if err != nil {
			return console.Usage("%w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	found, err := k.Smallest(interrupted, policy, float64(t.Damage), func(voices int) {
		c.Progress("rendering with %s", count(voices, "voice"))
	})
	if err != nil {
		return err
	}
	c.Progress("")
	best := &found.Best
	if t.JSON {
		return c.JSON(struct {
			Sheet  string           `json:"sheet"`
			Damage float64          `json:"damage"`
			Policy string           `json:"policy"`
			Voices int              `json:"voices"`
			Within bool             `json:"within_damage"`
			Needed int              `json:"needed_voices"`
			Rows   []policytest.Row `json:"rows"`
		}{t.Sheet, float64(t.Damage), best.Policy, best.Voices, found.Within, found.Needed, found.Rows})
	}
	policytest.PrintSheet(c.Out, found.Rows)
	sheet, needed := oneLine(t.Sheet), count(best.Voices, "voice")
	if !found.Within {
		fmt.Fprintf(c.Out, "\n%s: no pool is large enough: even with %s, enough for all sounds at once, you would hear %s: more than %.3g %%. %s\n",
			sheet, needed, best.AudibleShare(" of it go"), 100*t.Damage, policytest.LimitNote([]string{best.Policy}, k.Sheet))
		return nil
	}
	fmt.Fprintf(c.Out, "\n%s: use %s: you would hear %s", sheet, needed, best.AudibleShare(" of it go"))
	for i := range found.Rows {
		if r := &found.Rows[i]; r.Voices == best.Voices-1 {
			fmt.Fprintf(c.Out, "; with %d, %s", r.Voices, r.AudibleShare(""))
		}
	}
	fmt.Fprintf(c.Out, ". A pool of %d needs no steals.\n", found.Needed)
	return nil
}

// policy returns the policy of --policy, or without the flag the policy of sheet. A policy without a fixed pool size,
// such as grow, is an error.
func (t *tuneCommand) policy(sheet *cue.Sheet) (policytest.Policy, error) {
	p, own := policytest.PolicyOf(sheet), t.Policy == nil
	set(&p, t.Policy)
	err := p.Sized()
	switch {
	case err != nil && own:
		err = fmt.Errorf("%s: overflow %s: %w; use --policy quietest", oneLine(t.Sheet), p.Name, err)
	case err != nil:
		err = fmt.Errorf("--policy: %w", err)
	}
	return p, err
}
