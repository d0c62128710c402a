package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cmd/internal/lab/policytest"
	"voicepool/cue"
	"voicepool/device/wav"
	"voicepool/pcm"
)

type compareCommand struct {
	Sheet    string              `arg:"" predictor:"sheet" help:"Cue sheet (YAML or JSON); - is standard input."`
	Policies []policytest.Policy `placeholder:"NAME,..." help:"Policies to compare: quietest, oldest, gain, reject, masked, grow. Each may have +virtual=N, quietest also +refuse. Default: the first four, and the sheet's own."`
	Voices   *int                `placeholder:"N" help:"Number of voices in the pool; default: as in the sheet."`
	Virtual  *int                `placeholder:"N" help:"Number of virtual voices of policies without +virtual=N; default: as in the sheet."`
	Wav      string              `name:"wav" placeholder:"FOLDER" help:"Write all mixes to this folder (f32, no limiter), named after their policies, and unlimited.wav."`
	Length   *flagtype.Time      `placeholder:"TIME" help:"Stop after this time."`
	goesFlag
	trialFlags
}

// Run checks the flags and then calls run, which compares the policies, until it ends or a signal interrupts it.
func (b *compareCommand) Run(c *console.Console) error {
	for i, p := range b.Policies {
		if slices.ContainsFunc(b.Policies[:i], func(q policytest.Policy) bool { return q.Name == p.Name }) {
			return console.Usage("--policies: %s is listed twice; list it once", p.Name)
		}
	}
	if err := pool(b.Voices, b.Virtual); err != nil {
		return err
	}
	return b.runInterruptible(c, b.run)
}

// run renders the sheet without steals and once for each policy, and prints the losses as tables or JSON. With --wav
// it also writes each mix to a file. If b.Policies is nil, run sets it to the default policies.
func (b *compareCommand) run(c *console.Console, interrupted *console.Interrupts) error {
	k, whole, err := policytest.Load(c, interrupted, b.Sheet, b.Length.Value(), b.limits(), b.read, func(sheet *cue.Sheet) error {
		set(&sheet.Voices, b.Voices)
		set(&sheet.Virtual, b.Virtual)
		if b.Policies == nil {
			b.Policies = policytest.DefaultPolicies(sheet)
		}
		for i := range b.Policies {
			p := &b.Policies[i]
			if err := p.Check(p.Virtuals(sheet.Virtual), "masked+virtual=64, or --virtual 64"); err != nil {
				return console.Usage("--policies: %w", err)
			}
		}
		return b.prepare(c, sheet)
	})
	if err != nil {
		return err
	}
	sheet := k.Sheet
	if err := b.write("unlimited", sheet, whole.Mix); err != nil {
		return err
	}
	var rows []policytest.PolicyRow
	for _, p := range b.Policies {
		c.Progress("rendering %s", p.Name)
		row, mix, err := k.Policy(interrupted, p, whole)
		if err != nil {
			return err
		}
		if b.Wav != "" {
			row.Wav = b.path(p.Name)
		}
		if err := b.write(p.Name, sheet, mix); err != nil {
			return err
		}
		rows = append(rows, row)
	}
	c.Progress("")
	if b.JSON {
		return c.JSON(struct {
			Sheet   string                 `json:"sheet"`
			Rate    int                    `json:"rate"`
			Voices  int                    `json:"voices"`
			Virtual int                    `json:"virtual"`
			Needed  int                    `json:"needed_voices"`
			Whole   policytest.LimitLosses `json:"unlimited"`
			Rows    []policytest.PolicyRow `json:"rows"`
		}{b.Sheet, sheet.Rate, sheet.Voices, sheet.Virtual, k.Needed, whole.Losses().LimitLosses, rows})
	}
	b.print(c, sheet, k.Needed, whole.Losses(), rows)
	return nil
}

// prepare makes the folder of --wav, unless it exists. It returns an error if a file that will be written there is an
// input of sheet. Without --wav it returns nil.
func (b *compareCommand) prepare(c *console.Console, sheet *cue.Sheet) error {
	if b.Wav == "" {
		return nil
	}
	if err := os.MkdirAll(b.Wav, 0o777); err != nil {
		return fmt.Errorf("%s: %w", oneLine(b.Wav), cause(err))
	}
	outputs := outfiles.Of("--wav writes", " ", b.path("unlimited"))
	for _, p := range b.Policies {
		outputs = outputs.And("--wav writes", " ", b.path(p.Name))
	}
	return outputs.CheckDistinct(outfiles.SheetInputs(c.In, b.Sheet, sheet))
}

// path returns the path of NAME.wav in the folder of --wav.
func (b *compareCommand) path(name string) string { return filepath.Join(b.Wav, name+".wav") }

// write writes mix, at the rate of sheet, as 32-bit float to the file b.path(name). Without --wav it has no effect.
func (b *compareCommand) write(name string, sheet *cue.Sheet, mix []pcm.Frame) error {
	if b.Wav == "" {
		return nil
	}
	file, err := wav.Create(b.path(name), wav.Config{Rate: sheet.Rate, Format: wav.F32})
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := file.Write(mix); err != nil {
		return err
	}
	return file.Close()
}

// print prints the table of rows, and remarks about limits, grown pools and the WAV files, to c.Out. needed is the
// pool size of the mix without steals, and whole are the losses of that mix.
func (b *compareCommand) print(c *console.Console, sheet *cue.Sheet, needed int, whole policytest.Losses, rows []policytest.PolicyRow) {
	fmt.Fprintf(c.Out, "%s: %s", oneLine(b.Sheet), count(sheet.Voices, "voice"))
	if sheet.Virtual > 0 {
		fmt.Fprintf(c.Out, " and %d virtual ones", sheet.Virtual)
	}
	fmt.Fprintf(c.Out, ", compared with %d, enough for all sounds at once; no limiter\n\n", needed)
	policytest.PrintPolicies(c.Out, rows)
	if whole.Limits() || slices.ContainsFunc(rows, func(r policytest.PolicyRow) bool { return r.Limits() }) {
		fmt.Fprintf(c.Out, "\nwith %s: %d stolen and %d rejected by limits and cooldowns\n", count(needed, "voice"), whole.LimitSteals, whole.Limited)
	}
	var differ []string
	for _, r := range rows {
		if !r.Pool() && r.Worst != nil {
			differ = append(differ, r.Policy)
		}
	}
	if differ != nil {
		fmt.Fprintf(c.Out, "\n%s\n", policytest.LimitNote(differ, sheet))
	}
	for _, r := range rows {
		if r.Grown > 0 {
			fmt.Fprintf(c.Out, "\n%s: the pool grew from %d to %d voices\n", r.Policy, sheet.Voices, r.Grown)
		}
	}
	if b.Wav != "" {
		fmt.Fprintf(c.Out, "\n%s: unlimited.wav", oneLine(b.Wav))
		for _, p := range b.Policies {
			fmt.Fprintf(c.Out, ", %s.wav", p.Name)
		}
		fmt.Fprintln(c.Out)
	}
}
