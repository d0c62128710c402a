package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"voicepool/internal/steal"
)

type stealbenchCommand struct {
	Sheet    string        `arg:"" optional:"" help:"Cue sheet to measure; - is standard input. Default: the built-in scenes."`
	Scenes   []string      `name:"scene" default:"fire,plat,rts,amb,rhythm" placeholder:"NAME,..." help:"Scenes to measure (${default})."`
	Voices   []int         `placeholder:"N,..." help:"Pool sizes to measure, 1..65536 (16,32; with a sheet 8,16,24,32,48,64)."`
	Policies []stealPolicy `default:"quietest,oldest,gain,reject" placeholder:"NAME,..." help:"Policies to measure (${default}); also masked. A policy may have +virtual=N, as in masked+virtual=64, and quietest +refuse. Default of both: as in the sheet."`
	Seeds    []uint64      `placeholder:"N,..." help:"Seeds of each scene (1,2)."`
	Corpus   uint64        `default:"1" placeholder:"N" help:"Seed of the built-in sounds (${default})."`
	Sounds   string        `placeholder:"FOLDER" help:"Make the scenes from the sounds of a folder and its subfolders. The first word of a name gives the kind, as in gun-1.wav, or else the nearest folder: gun, laser, explosion, clang, step, speech, bell, pickup, engine or wind. Other sounds are sorted by length into ten equal parts, from short to long: step, pickup, laser, gun, clang, speech, bell, explosion, engine, wind. Engines and winds repeat. Sounds shorter than 50 ms or longer than 10 s, silent or unreadable ones are ignored."`
	All      bool          `help:"Measure six seeds and the sizes 8, 16, 32, 64; takes some minutes."`
	Length   *timeFlag     `placeholder:"TIME" help:"Stop the cue sheet after this time."`
	Write    string        `placeholder:"FOLDER" help:"Write the scenes as cue sheets, with their sounds, to a new folder; measure nothing."`
	SVG      string        `name:"svg" placeholder:"FILE" help:"Draw the figures of the scenes to an SVG file."`
	JSON     bool          `name:"json" help:"Print JSON."`
	Quiet    bool          `short:"q" help:"Show no progress."`
	isolateFlag
}

// stealRow is what was measured, the mean of the seeds.
type stealRow struct {
	Scene   string `json:"scene,omitempty"`
	Voices  int    `json:"voices"`
	Virtual int    `json:"virtual"`
	Policy  string `json:"policy"` // or optimum, bound
	Seed    uint64 `json:"seed,omitempty"`

	KError      *level   `json:"k_error_db,omitempty"`                // of the mix
	Power       *level   `json:"power_error_db,omitempty"`            // as long as voices add up in power
	Optimum     *level   `json:"over_optimum_db,omitempty"`           // KError less that of the optimum
	Tiles       *float64 `json:"audible_tiles,omitempty"`             // a share
	Cuts        *float64 `json:"audible_cuts,omitempty"`              // a share of the steals
	Steals      *float64 `json:"steals_per_second,omitempty"`         // of the reference's length
	Rejected    *float64 `json:"rejects_per_second,omitempty"`        //
	Swaps       *float64 `json:"became_virtual_per_second,omitempty"` // of a sheet, where steals are the pool's alone
	LimitSteals *float64 `json:"limit_steals_per_second,omitempty"`   // of a sheet
	Limited     *float64 `json:"limited_per_second,omitempty"`        // of a sheet
	NsPerPlay   *float64 `json:"ns_per_start,omitempty"`              // in a full pool, without a tail
}

func (b *stealbenchCommand) Run(c *console) error {
	if err := b.check(); err != nil {
		return err
	}
	interrupted := listen(c.restore)
	defer interrupted.close()
	var err error
	switch {
	case b.Sheet != "":
		err = b.sheet(c, interrupted)
	case b.Write != "":
		err = b.write(c, interrupted)
	default:
		err = b.scenes(c, interrupted)
	}
	c.progress("")
	if e := interrupted.err(); e != nil && err != nil {
		return e
	}
	return err
}

func (b *stealbenchCommand) check() error {
	for _, name := range b.Scenes {
		if !slices.Contains(steal.Scenes(), name) {
			return usage("--scene: there is no scene %q, only %s", name, strings.Join(steal.Scenes(), ", "))
		}
	}
	switch {
	case b.Sheet != "" && (b.SVG != "" || b.Write != "" || b.All || b.Seeds != nil || b.Sounds != ""):
		return usage("--svg, --write, --all, --seeds and --sounds belong to the built-in scenes, not to a sheet")
	case b.Sounds != "" && b.Corpus != 1:
		return usage("--corpus makes sounds, --sounds has them: give one of both")
	case b.Sheet == "" && b.Length != nil:
		return usage("--length belongs to a sheet; every built-in scene lasts 8 s")
	}
	orDefault(&b.Seeds, b.All, []uint64{1, 2, 3, 4, 5, 6}, []uint64{1, 2})
	if b.Sheet != "" {
		orDefault(&b.Voices, false, nil, []int{8, 16, 24, 32, 48, 64})
	}
	orDefault(&b.Voices, b.All, []int{8, 16, 32, 64}, []int{16, 32})
	for i := range b.Policies {
		p := &b.Policies[i]
		if err := p.sized(); err != nil {
			return usage("--policies: %w", err)
		}
		if err := p.check(p.virtuals(0), "masked+virtual=64"); err != nil && b.Sheet == "" {
			return usage("--policies: %w", err)
		}
	}
	for _, n := range b.Voices {
		if n < 1 || n > 65536 {
			return usage("--voices: %d is not in 1..65536", n)
		}
	}
	slices.Sort(b.Voices)
	b.Voices = slices.Compact(b.Voices)
	return nil
}

// orDefault gives an empty list its default.
func orDefault[T any](list *[]T, all bool, large, small []T) {
	switch {
	case *list != nil:
	case all:
		*list = large
	default:
		*list = small
	}
}

// scenes measures the built-in scenes and prints a table.
func (b *stealbenchCommand) scenes(c *console, interrupted *interrupts) error {
	var drawing *reportFile
	var err error
	if drawing, err = createReport(b.SVG); err != nil {
		return err
	}
	defer drawing.discard()
	corpus, own, err := b.recordings(interrupted, c)
	if err != nil {
		return err
	}
	stage, err := newStealStage(corpus)
	if err != nil {
		return err
	}
	defer stage.close()
	begin := time.Now()
	runs, err := b.measureAll(c, interrupted, stage)
	if err != nil {
		return err
	}
	rows := means(runs)
	for i := range rows {
		for _, p := range b.Policies {
			if rows[i].Policy == p.name {
				ns, err := stage.nsPerStart(p, rows[i].Voices)
				if err != nil {
					return err
				}
				rows[i].NsPerPlay = &ns
			}
		}
	}
	clicks, err := stage.clicks(b.Seeds[0])
	if err != nil {
		return err
	}
	if err := drawing.fill(func(w io.Writer) error { return drawSteals(w, rows, b.Scenes) }); err != nil {
		return err
	}
	if err := drawing.commit(); err != nil {
		return err
	}
	c.progress("")
	if b.JSON {
		made := &b.Corpus
		if own != nil {
			made = nil
		}
		return printJSON(c.out, struct {
			Rate    int          `json:"rate"`
			Corpus  *uint64      `json:"corpus,omitempty"`
			Sounds  *stealSounds `json:"sounds,omitempty"`
			Seeds   []uint64     `json:"seeds"`
			Seconds float64      `json:"seconds"`
			Rows    []stealRow   `json:"rows"`
			Runs    []stealRow   `json:"runs"`
			Clicks  []clickShare `json:"clicks"`
		}{steal.Rate, made, own, b.Seeds, time.Since(begin).Seconds(), rows, runs, clicks})
	}
	if own != nil {
		own.print(c.out)
	}
	printSteals(c.out, rows)
	fmt.Fprintln(c.out)
	for _, s := range clicks {
		fmt.Fprintf(c.out, "clicks of cuts, %-22s %5.1f %%\n", s.Name, 100*s.Share)
	}
	return nil
}

// printSteals prints a table; what a row does not have is left out.
func printSteals(w io.Writer, rows []stealRow) {
	const line = "%-7s %6s %7s  %-24s %8s %8s %8s %8s %8s %9s %9s\n"
	fmt.Fprintf(w, line, "scene", "voices", "virtual", "policy", "K-error", "power", "to best", "audible", "cuts", "steals/s", "ns/start")
	fmt.Fprintf(w, line, "", "", "", "", "dB", "dB", "dB", "tiles", "audible", "", "")
	last := rows[0]
	for _, r := range rows {
		if r.Scene != last.Scene || r.Voices != last.Voices {
			fmt.Fprintln(w)
		}
		last = r
		fmt.Fprintf(w, line, r.Scene, fmt.Sprint(r.Voices), fmt.Sprint(r.Virtual), r.Policy, decibels(r.KError), decibels(r.Power), decibels(r.Optimum),
			percent(r.Tiles), percent(r.Cuts), figure(r.Steals), figure(r.NsPerPlay))
	}
}

func decibels(l *level) string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(*l))
}

func percent(share *float64) string {
	if share == nil {
		return ""
	}
	return fmt.Sprintf("%.2f %%", 100**share)
}

// figure prints a figure with as many digits as mean something.
func figure(x *float64) string {
	switch {
	case x == nil:
		return ""
	case *x == 0:
		return "0"
	case *x < 0.05:
		return "<0.1"
	case *x < 9.95:
		return fmt.Sprintf("%.1f", *x)
	}
	return fmt.Sprintf("%.0f", *x)
}

// means returns the mean over all seeds of what was measured.
func means(runs []stealRow) []stealRow {
	type key struct {
		scene, policy string
		voices        int
	}
	at := map[key]int{}
	var rows []stealRow
	var counts []float64
	for _, r := range runs {
		k := key{r.Scene, r.Policy, r.Voices}
		i, ok := at[k]
		if !ok {
			i = len(rows)
			at[k] = i
			rows, counts = append(rows, stealRow{Scene: r.Scene, Voices: r.Voices, Virtual: r.Virtual, Policy: r.Policy}), append(counts, 0)
		}
		counts[i]++
		n := counts[i]
		rolling(&rows[i].KError, r.KError, n)
		rolling(&rows[i].Power, r.Power, n)
		rolling(&rows[i].Optimum, r.Optimum, n)
		rolling(&rows[i].Tiles, r.Tiles, n)
		rolling(&rows[i].Cuts, r.Cuts, n)
		rolling(&rows[i].Steals, r.Steals, n)
		rolling(&rows[i].Rejected, r.Rejected, n)
	}
	return rows
}

// rolling makes mean the mean of n values, of which x is the last. A figure that
// no seed has stays without a value.
func rolling[F ~float64](mean **F, x *F, n float64) {
	if x == nil {
		return
	}
	if *mean == nil {
		*mean = new(F)
	}
	**mean += (*x - **mean) / F(n)
}
