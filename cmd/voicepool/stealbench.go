package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"voicepool/cmd/internal/cli/catalog"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cmd/internal/lab/policytest"
	"voicepool/cmd/internal/lab/steal"
	"voicepool/cue"
)

type stealbenchCommand struct {
	Sheet    string              `arg:"" predictor:"sheet" optional:"" help:"Cue sheet to measure; - is standard input. Default: the built-in scenes."`
	Scenes   []string            `name:"scene" placeholder:"NAME,..." help:"Scenes to measure (fire,plat,rts,amb,rhythm; with --judge all); also walls, engines, crowd, music and menu."`
	Voices   []int               `placeholder:"N,..." help:"Pool sizes to measure, 1..65536 (16,32; with a sheet 8,16,24,32,48,64)."`
	Policies []policytest.Policy `placeholder:"NAME,..." help:"Policies to measure (quietest,oldest,gain,reject; with --judge also these and masked with 64 virtual voices); also masked. A policy may have +end (endless sounds can be lost, too), +blind (ignores filters, effects and sends) and +virtual=N, as in masked+virtual=64; quietest may have +refuse. Default of +virtual and +refuse: as in the sheet."`
	Seeds    []uint64            `placeholder:"N,..." help:"Seeds of each scene (1,2)."`
	Corpus   uint64              `default:"1" placeholder:"N" help:"Seed of the built-in sounds (${default})."`
	Sounds   string              `placeholder:"FOLDER" help:"Make the scenes from the sounds of a folder and its subfolders. The first word of a name gives the kind, as in gun-1.wav, or else the nearest folder: gun, laser, explosion, clang, step, speech, bell, pickup, engine or wind. Other sounds are sorted by length into ten equal parts, from short to long: step, pickup, laser, gun, clang, speech, bell, explosion, engine, wind. Engines and winds repeat. Sounds shorter than 50 ms or longer than 10 s, silent or unreadable ones are ignored."`
	All      bool                `help:"Measure six seeds and the sizes 8, 16, 32, 64; takes some minutes."`
	Length   *flagtype.Time      `placeholder:"TIME" help:"Stop the cue sheet, or each scene, after this time; a scene lasts 8 s."`
	Write    string              `placeholder:"FOLDER" help:"Write the scenes as cue sheets, with their sounds, to a new folder instead of measuring them."`
	Judge    string              `placeholder:"FOLDER" help:"Compare all policies with quietest in all scenes, by six seeds and the sizes 8, 16, 32, 64, and write table.md, runs.csv and picture.svg to a new folder."`
	SVG      string              `name:"svg" placeholder:"FILE" help:"Draw the figures of the scenes to an SVG file."`
	trialFlags
}

// Run measures the built-in scenes or a sheet, or with --write writes the scenes.
func (b *stealbenchCommand) Run(c *console.Console) error {
	if err := b.check(); err != nil {
		return err
	}
	work := b.scenes
	switch {
	case b.Sheet != "":
		work = b.sheet
	case b.Write != "":
		work = b.write
	case b.Judge != "":
		work = b.judge
	}
	return b.runInterruptible(c, work)
}

// check returns a usage error for invalid flags. It also sets b.Scenes, b.Policies, b.Seeds and b.Voices to their
// defaults if they are nil, and sorts b.Voices.
func (b *stealbenchCommand) check() error {
	for _, name := range b.Scenes {
		if !slices.Contains(steal.Scenes(), name) {
			return console.Usage("--scene: unknown scene %q (want %s)", name, strings.Join(steal.Scenes(), ", "))
		}
	}
	if i := repeated(b.Scenes); i >= 0 {
		return console.Usage("--scene: %s appears twice (want each scene once)", b.Scenes[i])
	}
	if i := repeated(b.Seeds); i >= 0 {
		return console.Usage("--seeds: %d appears twice (want each seed once)", b.Seeds[i])
	}
	switch {
	case b.Sheet != "" && (b.SVG != "" || b.Write != "" || b.Judge != "" || b.All || b.Seeds != nil || b.Sounds != ""):
		return console.Usage("--svg, --write, --judge, --all, --seeds and --sounds are for the built-in scenes; omit them with a sheet")
	case b.Judge != "" && (b.SVG != "" || b.Write != "" || b.JSON):
		return console.Usage("--judge writes files of its own; omit --svg, --write and --json")
	case b.Sounds != "" && b.Corpus != 1:
		return console.Usage("--corpus and --sounds exclude each other: sounds are either generated or read from a folder")
	case b.Sheet == "" && b.Length != nil && (b.frames() < 1 || b.frames() > steal.SceneFrames):
		return console.Usage("--length: want more than 0 s, and at most the 8 s of a scene")
	}
	seeds, voices := []uint64{1, 2}, []int{16, 32}
	switch {
	case b.All, b.Judge != "":
		seeds, voices = []uint64{1, 2, 3, 4, 5, 6}, []int{8, 16, 32, 64}
	case b.Sheet != "":
		voices = []int{8, 16, 24, 32, 48, 64}
	}
	if b.Scenes == nil {
		b.Scenes = []string{"fire", "plat", "rts", "amb", "rhythm"}
		if b.Judge != "" {
			b.Scenes = steal.Scenes()
		}
	}
	if b.Policies == nil {
		b.Policies = policytest.JudgedPolicies()
		if b.Judge == "" {
			b.Policies = b.Policies[:4]
		}
	}
	if b.Seeds == nil {
		b.Seeds = seeds
	}
	if b.Voices == nil {
		b.Voices = voices
	}
	for i := range b.Policies {
		p := &b.Policies[i]
		if err := p.Sized(); err != nil {
			return console.Usage("--policies: %w", err)
		}
		if err := p.Check(p.Virtuals(0), "masked+virtual=64"); err != nil && b.Sheet == "" {
			return console.Usage("--policies: %w", err)
		}
	}
	if b.Judge != "" {
		if len(b.Seeds) < 2 {
			return console.Usage("--seeds: --judge needs two or more, because its intervals are over seeds")
		}
		if err := policytest.CheckJudged(b.Policies); err != nil {
			return console.Usage("--policies: %w", err)
		}
	}
	if err := pools(b.Voices); err != nil {
		return err
	}
	slices.Sort(b.Voices)
	b.Voices = slices.Compact(b.Voices)
	return nil
}

// repeated returns the index of the first value that is equal to a value before it, or -1.
func repeated[T comparable](values []T) int {
	for i, v := range values {
		if slices.Contains(values[:i], v) {
			return i
		}
	}
	return -1
}

// frames returns the length of a scene.
func (b *stealbenchCommand) frames() int64 {
	if b.Length == nil {
		return steal.SceneFrames
	}
	return b.Length.Value().Frames(steal.Rate)
}

// plan returns the measurements that the flags select. Call check before.
func (b *stealbenchCommand) plan() *policytest.Plan {
	return &policytest.Plan{Scenes: b.Scenes, Seeds: b.Seeds, Voices: b.Voices, Policies: b.Policies, Frames: b.frames(), Brief: b.Judge != ""}
}

// recordings returns the sounds for the scenes: generated from the seed b.Corpus, or loaded from the folder --sounds.
// own describes the sounds of that folder; it is nil for generated sounds. A folder that lacks a kind of sound is an
// error.
func (b *stealbenchCommand) recordings(ctx context.Context, c *console.Console) (corpus []steal.Recording, own *policytest.Corpus, err error) {
	if b.Sounds == "" {
		return steal.Corpus(b.Corpus), nil, nil
	}
	files, err := catalog.InFolder(b.Sounds)
	if err != nil {
		return nil, nil, fmt.Errorf("--sounds %s: %w", oneLine(b.Sounds), cause(err))
	}
	return policytest.Recordings(ctx, b.Sounds, files, b.limits(), c.Loading())
}

// write writes the scenes as sheets, with their sounds, to the new folder of --write.
func (b *stealbenchCommand) write(c *console.Console, interrupted *console.Interrupts) error {
	corpus, own, err := b.recordings(interrupted, c)
	if err != nil {
		return err
	}
	if err := b.plan().Write(b.Write, corpus); err != nil {
		return err
	}
	own.Print(c.Out)
	return nil
}

// judge compares the policies with quietest and writes the table, the runs and the picture to the new folder --judge.
// It prints the summary. If a measurement fails or is interrupted, it writes the runs of the finished pairs only.
func (b *stealbenchCommand) judge(c *console.Console, interrupted *console.Interrupts) error {
	if err := os.Mkdir(b.Judge, 0o777); err != nil {
		return fmt.Errorf("%s: %w", oneLine(b.Judge), cause(err))
	}
	defer os.Remove(b.Judge) // has an effect only if the folder is empty, after an error
	corpus, own, err := b.recordings(interrupted, c)
	if err != nil {
		return err
	}
	stage, err := policytest.NewStage(corpus)
	if err != nil {
		return err
	}
	defer stage.Close()
	start := time.Now()
	runs, failure := b.plan().Measure(interrupted, stage, c.Work("measuring"))
	if failure != nil && len(runs) == 0 {
		return failure
	}
	seconds, from := float64(b.frames())/steal.Rate, fmt.Sprintf("corpus %d", b.Corpus)
	if b.Sounds != "" {
		from = oneLine(b.Sounds)
	}
	judgment := &policytest.Judgment{}
	files := map[string]func(io.Writer) error{"runs.csv": func(w io.Writer) error { return policytest.WriteCSV(w, runs, seconds, from) }}
	if failure == nil {
		judgment = policytest.Judge(runs)
		about := fmt.Sprintf("Scenes of %g s, seeds %v, voices %v, sounds: %s.", seconds, b.Seeds, b.Voices, from)
		files["table.md"] = func(w io.Writer) error { return judgment.Markdown(w, about) }
		files["picture.svg"] = func(w io.Writer) error { return policytest.Draw(w, policytest.Means(runs), b.Scenes, true) }
	}
	for name, write := range files {
		file, err := outfiles.Create(filepath.Join(b.Judge, name))
		if err != nil {
			return errors.Join(failure, err)
		}
		defer file.Discard()
		if err := file.Save(write); err != nil {
			return errors.Join(failure, err)
		}
	}
	if failure != nil {
		c.Progress("")
		fmt.Fprintf(c.Out, "%s: incomplete: runs.csv has the %s of the finished pairs of scene and seed\n", oneLine(b.Judge), count(len(runs), "run"))
		return failure
	}
	c.Progress("")
	own.Print(c.Out)
	judgment.Summary(c.Out)
	fmt.Fprintf(c.Out, "%s: table.md, runs.csv and picture.svg; %s in %.0f s\n", oneLine(b.Judge), count(len(runs), "run"), time.Since(start).Seconds())
	return nil
}

// scenes measures the policies on the built-in scenes and prints the losses, the time per start and the shares of
// clicks, as a table or JSON. With --svg it also draws the losses. Call check before.
func (b *stealbenchCommand) scenes(c *console.Console, interrupted *console.Interrupts) error {
	drawing, err := outfiles.Create(b.SVG)
	if err != nil {
		return err
	}
	defer drawing.Discard()
	corpus, own, err := b.recordings(interrupted, c)
	if err != nil {
		return err
	}
	stage, err := policytest.NewStage(corpus)
	if err != nil {
		return err
	}
	defer stage.Close()
	start := time.Now()
	runs, err := b.plan().Measure(interrupted, stage, c.Work("measuring"))
	if err != nil {
		return err
	}
	rows := policytest.Means(runs)
	for i := range rows {
		k := slices.IndexFunc(b.Policies, func(p policytest.Policy) bool { return p.Name == rows[i].Policy })
		if k < 0 { // optimum, bound
			continue
		}
		ns, err := stage.NsPerStart(b.Policies[k], rows[i].Voices)
		if err != nil {
			return err
		}
		rows[i].NsPerPlay = &ns
	}
	clicks, err := stage.Clicks(b.Seeds[0])
	if err != nil {
		return err
	}
	if err := drawing.Save(func(w io.Writer) error { return policytest.Draw(w, rows, b.Scenes, false) }); err != nil {
		return err
	}
	c.Progress("")
	if b.JSON {
		made := &b.Corpus
		if own != nil {
			made = nil
		}
		return c.JSON(struct {
			Rate    int                     `json:"rate"`
			Corpus  *uint64                 `json:"corpus,omitempty"`
			Sounds  *policytest.Corpus      `json:"sounds,omitempty"`
			Seeds   []uint64                `json:"seeds"`
			Seconds float64                 `json:"seconds"`
			Rows    []policytest.Row        `json:"rows"`
			Runs    []policytest.Row        `json:"runs"`
			Clicks  []policytest.ClickShare `json:"clicks"`
		}{steal.Rate, made, own, b.Seeds, time.Since(start).Seconds(), rows, runs, clicks})
	}
	own.Print(c.Out)
	policytest.PrintScenes(c.Out, rows)
	fmt.Fprintln(c.Out)
	for _, s := range clicks {
		fmt.Fprintf(c.Out, "clicks of cuts, %-22s %5.1f %%\n", s.Name, 100*s.Share)
	}
	return nil
}

// moreVirtual describes how to get virtual voices, for messages.
const moreVirtual = "masked+virtual=64, or give the sheet `virtual: 64`"

// sheet measures each policy with each pool size on the sheet b.Sheet, and prints the losses as a table or JSON. Call
// check before.
func (b *stealbenchCommand) sheet(c *console.Console, interrupted *console.Interrupts) error {
	k, _, err := policytest.Load(c, interrupted, b.Sheet, b.Length.Value(), b.limits(), goesFlag{}.read, func(sheet *cue.Sheet) error {
		for _, p := range b.Policies {
			if err := p.Check(p.Virtuals(sheet.Virtual), moreVirtual); err != nil {
				return console.Usage("%w", err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var rows []policytest.Row
	for _, voices := range b.Voices {
		for _, p := range b.Policies {
			c.Progress("rendering %s with %s", p.Name, count(voices, "voice"))
			row, err := k.Measure(interrupted, p, voices)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
	}
	c.Progress("")
	if b.JSON {
		return c.JSON(struct {
			Sheet  string           `json:"sheet"`
			Rate   int              `json:"rate"`
			Needed int              `json:"needed_voices"`
			Rows   []policytest.Row `json:"rows"`
		}{b.Sheet, k.Sheet.Rate, k.Needed, rows})
	}
	policytest.PrintSheet(c.Out, rows)
	fmt.Fprintf(c.Out, "\n%s: %s at once at most. %s.\n", oneLine(b.Sheet), policytest.AtOnce(k.Needed), policytest.Sentence(rows, b.Policies[0].Label(k.Sheet)))
	var differ []string
	for i := range rows {
		if r := &rows[i]; r.Differs() && !slices.Contains(differ, r.Policy) {
			differ = append(differ, r.Policy)
		}
	}
	if differ != nil {
		fmt.Fprintln(c.Out, policytest.LimitNote(differ, k.Sheet))
	}
	return nil
}
