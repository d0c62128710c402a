package main

import (
	"fmt"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cmd/internal/lab/policytest"
	"voicepool/cue"
)

type tuneCommand struct {
	Sheet  string             `arg:"" predictor:"sheet" help:"Cue sheet (YAML or JSON); - is standard input."`
	Damage policytest.Damage  `default:"1%" placeholder:"DAMAGE" help:"Largest acceptable damage (${default}): a share of the mix that may audibly differ, as in 1%; a Zimtohrli distance, as in zimtohrli=0.002; or points of the 2f score below 100, as in 2f=40."`
	Policy *policytest.Policy `placeholder:"NAME" help:"Policy of a full pool: quietest, oldest, gain, reject, masked; also quietest+refuse, masked+virtual=64. Default: as in the sheet."`
	Length *flagtype.Time     `placeholder:"TIME" help:"Stop after this time."`
	goesFlag
	trialFlags
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
	found, err := k.Smallest(interrupted, policy, t.Damage, func(voices int) {
		c.Progress("rendering with %s", count(voices, "voice"))
	})
	if err != nil {
		return err
	}
	c.Progress("")
	best := &found.Best
	if t.JSON {
		return c.JSON(struct {
			Sheet   string           `json:"sheet"`
			Damage  float64          `json:"damage"`
			Measure string           `json:"measure"`
			Policy  string           `json:"policy"`
			Voices  int              `json:"voices"`
			Within  bool             `json:"within_damage"`
			Needed  int              `json:"needed_voices"`
			Rows    []policytest.Row `json:"rows"`
		}{t.Sheet, t.Damage.Limit, t.Damage.Measure, best.Policy, best.Voices, found.Within, found.Needed, found.Rows})
	}
	policytest.PrintSheet(c.Out, found.Rows)
	sheet, needed := oneLine(t.Sheet), count(best.Voices, "voice")
	if !found.Within {
		fmt.Fprintf(c.Out, "\n%s: no pool is large enough: even with %s, enough for all sounds at once, %s: %s. %s\n",
			sheet, needed, t.Damage.Describe(best), t.Damage.Exceeded(), policytest.LimitNote([]string{best.Policy}, k.Sheet))
		return nil
	}
	fmt.Fprintf(c.Out, "\n%s: use %s: %s", sheet, needed, t.Damage.Describe(best))
	for i := range found.Rows {
		if r := &found.Rows[i]; r.Voices == best.Voices-1 {
			fmt.Fprintf(c.Out, "; with %d, %s", r.Voices, t.Damage.Value(r))
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
