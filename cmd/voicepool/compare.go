package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"voicepool/cue"
	"voicepool/cue/report"
	"voicepool/device/wav"
	"voicepool/internal/steal"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
)

type compareCommand struct {
	Sheet    string        `arg:"" help:"Cue sheet (YAML or JSON); - is standard input."`
	Policies []stealPolicy `placeholder:"NAME,..." help:"Policies to compare: quietest, oldest, gain, reject, masked, grow. Each may have +virtual=N, quietest also +refuse. Default: the first four, and the sheet's own."`
	Voices   *int          `placeholder:"N" help:"Number of voices in the pool; default: as in the sheet."`
	Virtual  *int          `placeholder:"N" help:"Number of virtual voices of policies without +virtual=N; default: as in the sheet."`
	Wav      string        `name:"wav" placeholder:"FOLDER" help:"Write all mixes to this folder (f32, no limiter), named after their policies, and unlimited.wav."`
	Length   *timeFlag     `placeholder:"TIME" help:"Stop after this time."`
	JSON     bool          `name:"json" help:"Print JSON."`
	Quiet    bool          `short:"q" help:"Show no progress."`
	isolateFlag
}

// policyRow is how a policy differs from a pool in which nothing gives way.
type policyRow struct {
	Policy  string  `json:"policy"`
	KError  level   `json:"k_error_db"`
	Tiles   float64 `json:"audible_tiles"`
	Virtual int     `json:"virtual"` // voices beside the pool
	losses
	Grown int          `json:"grown_to,omitempty"`
	Worst *worstMoment `json:"worst"` // null: there is no difference
	Wav   string       `json:"wav,omitempty"`
}

func (b *compareCommand) Run(c *console) error {
	if err := b.check(); err != nil {
		return err
	}
	interrupted := listen(c.restore)
	defer interrupted.close()
	err := b.run(c, interrupted)
	c.progress("")
	if e := interrupted.err(); e != nil && err != nil {
		return e
	}
	return err
}

func (b *compareCommand) check() error {
	seen := map[string]bool{}
	for _, p := range b.Policies {
		if seen[p.name] {
			return usage("--policies: %s stands there twice", p.name)
		}
		seen[p.name] = true
	}
	switch {
	case b.Voices != nil && (*b.Voices < 1 || *b.Voices > 65536):
		return usage("--voices: %d is not in 1..65536", *b.Voices)
	case b.Virtual != nil && (*b.Virtual < 0 || *b.Virtual > 65536):
		return usage("--virtual: %d is not in 0..65536", *b.Virtual)
	}
	return nil
}

func (b *compareCommand) run(c *console, interrupted *interrupts) error {
	sheet, err := loadSheet(interrupted, b.Sheet)
	if err != nil {
		return err
	}
	if b.Length != nil {
		sheet.Length = &b.Length.Time
	}
	if b.Voices != nil {
		sheet.Voices = *b.Voices
	}
	if b.Virtual != nil {
		sheet.Virtual = *b.Virtual
	}
	if err := sheet.CheckRender(); err != nil {
		return err
	}
	if b.Policies == nil {
		b.Policies = defaultPolicies(sheet)
	}
	for i := range b.Policies {
		p := &b.Policies[i]
		if err := p.check(p.virtuals(sheet.Virtual), "masked+virtual=64, or --virtual 64"); err != nil {
			return usage("--policies: %w", err)
		}
	}
	if err := b.prepare(c, sheet); err != nil {
		return err
	}
	bank := sounds.NewBank(sounds.Options{Rate: sheet.Rate, Limits: b.limits()})
	if _, err := within(interrupted, func() (struct{}, error) {
		return struct{}{}, sheet.LoadSounds(interrupted, bank, c.loading(b.Quiet))
	}); err != nil {
		return err
	}
	b.tell(c, "with voices for all")
	whole, needed, err := renderWhole(interrupted, sheet, bank)
	if err != nil {
		return err
	}
	reference, err := steal.NewReference(whole.mix, sheet.Rate)
	if err != nil {
		return err
	}
	if err := b.write("unlimited", sheet, whole.mix); err != nil {
		return err
	}
	var rows []policyRow
	for _, p := range b.Policies {
		b.tell(c, p.name)
		limited, err := renderRun(interrupted, p.apply(sheet, sheet.Voices), bank)
		if err != nil {
			return err
		}
		row := policyRow{
			Policy: p.name, Virtual: p.virtuals(sheet.Virtual), KError: level(reference.KError(limited.mix)), Tiles: reference.Tiles(limited.mix),
			losses: limited.losses(), Worst: findWorst(whole, limited, sheet.Rate),
		}
		if p.overflow == mixer.GrowPool {
			for i := range limited.report.Events {
				row.Grown = max(row.Grown, sheet.Voices, limited.report.Events[i].Slot+1)
			}
		}
		if b.Wav != "" {
			row.Wav = b.path(p.name)
		}
		if err := b.write(p.name, sheet, limited.mix); err != nil {
			return err
		}
		rows = append(rows, row)
	}
	c.progress("")
	if b.JSON {
		return printJSON(c.out, struct {
			Sheet   string      `json:"sheet"`
			Rate    int         `json:"rate"`
			Voices  int         `json:"voices"`
			Virtual int         `json:"virtual"`
			Needed  int         `json:"needed_voices"`
			Whole   limitLosses `json:"unlimited"`
			Rows    []policyRow `json:"rows"`
		}{b.Sheet, sheet.Rate, sheet.Voices, sheet.Virtual, needed, whole.losses().limitLosses, rows})
	}
	b.print(c, sheet, needed, whole.losses(), rows)
	return nil
}

// defaultPolicies are those that are compared when none is named: what a sheet
// says is one of them.
func defaultPolicies(sheet *cue.Sheet) []stealPolicy {
	var list []stealPolicy
	for _, o := range [...]mixer.Overflow{mixer.StealQuietest, mixer.StealOldest, mixer.StealGain, mixer.Reject} {
		list = append(list, stealPolicy{name: o.String(), overflow: o, virtual: asSheet})
	}
	if own := policyOf(sheet); !slices.Contains(list, own) {
		list = append(list, own)
	}
	return list
}

func (b *compareCommand) tell(c *console, what string) {
	if !b.Quiet {
		c.progress("rendering %s", what)
	}
}

// prepare makes the folder of --wav, and finds what must not be replaced in it.
func (b *compareCommand) prepare(c *console, sheet *cue.Sheet) error {
	if b.Wav == "" {
		return nil
	}
	if err := os.MkdirAll(b.Wav, 0o777); err != nil {
		return fmt.Errorf("%s: %w", oneLine(b.Wav), cause(err))
	}
	outputs := fileOutput(nil, "--wav writes", " ", b.path("unlimited"))
	for _, p := range b.Policies {
		outputs = fileOutput(outputs, "--wav writes", " ", b.path(p.name))
	}
	return keepInputs(outputs, sheetInputs(c, b.Sheet, sheet))
}

func (b *compareCommand) path(name string) string { return filepath.Join(b.Wav, name+".wav") }

// write writes a mix, if mixes are wanted.
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

// run is a mix with its report.
type run struct {
	mix    []pcm.Frame
	report *report.Report
}

func renderRun(ctx context.Context, sheet *cue.Sheet, bank *sounds.Bank) (*run, error) {
	mix, report, err := renderAll(ctx, sheet, bank, maxCompared*int64(sheet.Rate))
	return &run{mix, report}, err
}

// renderWhole renders a sheet with so many voices that none has to give way to a
// full pool. The limits of its sounds and buses stay, and so does the policy, which
// decides what gives way to them. It also returns how many voices there were at
// most.
func renderWhole(ctx context.Context, sheet *cue.Sheet, bank *sounds.Bank) (*run, int, error) {
	for voices := max(sheet.Voices, 64); ; voices = min(4*voices, 65536) {
		s := *sheet
		s.Voices, s.Master.Limiter = voices, false
		switch s.Overflow {
		case mixer.GrowPool: // at a limit it chooses as quietest does
			s.Overflow = mixer.StealQuietest
		case mixer.StealMasked: // which is nothing without them
			s.Virtual = max(s.Virtual, 1)
		}
		whole, err := renderRun(ctx, &s, bank)
		switch {
		case err != nil:
			return nil, 0, err
		case !whole.losses().pool():
			return whole, max(int(whole.report.Totals.HighWater), 1), nil
		case voices == 65536:
			return nil, 0, errors.New(oneLine(sheet.File) + ": more than 65536 voices at once")
		}
	}
}

func (b *compareCommand) print(c *console, sheet *cue.Sheet, needed int, whole losses, rows []policyRow) {
	fmt.Fprintf(c.out, "%s: %s", oneLine(b.Sheet), count(sheet.Voices, "voice"))
	if sheet.Virtual > 0 {
		fmt.Fprintf(c.out, " and %d virtual ones", sheet.Virtual)
	}
	fmt.Fprintf(c.out, ", against %d, with which none gives way to a full pool; no limiter\n\n", needed)
	printPolicies(c.out, rows)
	if whole.limits() || slices.ContainsFunc(rows, func(r policyRow) bool { return r.limits() }) {
		fmt.Fprintf(c.out, "\nwith %s: %d stolen and %d refused by limits and cooldowns\n", count(needed, "voice"), whole.LimitSteals, whole.Limited)
	}
	var differ []string
	for _, r := range rows {
		if !r.pool() && r.Worst != nil {
			differ = append(differ, r.Policy)
		}
	}
	if differ != nil {
		own := policyOf(sheet)
		fmt.Fprintf(c.out, "\n%s\n", otherwise(differ, own.label(sheet)))
	}
	for _, r := range rows {
		if r.Grown > 0 {
			fmt.Fprintf(c.out, "\n%s: the pool grew from %d to %d voices\n", r.Policy, sheet.Voices, r.Grown)
		}
	}
	if b.Wav != "" {
		var names []string
		for _, p := range b.Policies {
			names = append(names, p.name)
		}
		fmt.Fprintf(c.out, "\n%s: unlimited.wav, %s.wav\n", oneLine(b.Wav), strings.Join(names, ".wav, "))
	}
}
