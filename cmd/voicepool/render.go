package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"voicepool/cmd/internal/cli/checkreport"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cmd/internal/view/liveview"
	"voicepool/cmd/internal/view/timeline"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/report"
	"voicepool/device/wav"
	"voicepool/internal/words"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

type renderCommand struct {
	Sheet     string          `arg:"" predictor:"sheet" help:"Cue sheet (YAML or JSON); - is standard input."`
	Output    string          `short:"o" required:"" placeholder:"FILE" help:"WAV file to write; - is standard output."`
	Format    flagtype.Format `default:"s24" placeholder:"NAME" help:"Sample format: s16 (dithered), s24 or f32."`
	NoLimiter bool            `name:"no-limiter" help:"Disable the limiter: samples may exceed full scale."`
	goesFlag
	fromFlags
	sheetFlags
	foldFlag
}

// sink is the output of a render.
type sink interface {
	Write([]pcm.Frame) error
	Close() error
	Clipped() int64
}

// Run renders the sheet to the WAV file of --output, faster than real time, and writes the report and the timeline
// that the flags name.
func (r *renderCommand) Run(c *console.Console) error {
	if err := r.check(); err != nil {
		return err
	}
	c.Quiet = r.Quiet
	interrupted := c.Listen()
	defer interrupted.Close()
	sheet, err := loadSheet(interrupted, r.Sheet)
	if err != nil {
		return err
	}
	if sheet.Cues == nil && sheet.List == nil && sheet.Length == nil && r.Length == nil {
		return fmt.Errorf("%s: the sheet has neither `cues` nor a `list`; add one, or a length", oneLine(r.Sheet))
	}
	if err := r.outputs().CheckDistinct(r.addInput(outfiles.SheetInputs(c.In, r.Sheet, sheet))); err != nil {
		return err
	}
	if err := r.goesFlag.read(sheet); err != nil {
		return err
	}
	r.fold(c, sheet)
	sheet = r.apply(sheet)
	if r.NoLimiter {
		sheet.Master.Limiter = false
	}
	if err := play.CheckRender(sheet); err != nil {
		return err
	}
	outfiles.NoteName(c, r.Output)
	return interrupted.Instead(c, r.explain(r.render(c, sheet, interrupted)))
}

// check returns a usage error for invalid flags, for two outputs on standard output, and for a WAV on a terminal.
func (r *renderCommand) check() error {
	switch {
	case r.Output == "-" && (r.JSON || r.Report == "-"):
		return console.Usage("-o - needs standard output for itself; write the report to a file")
	case r.Output == "-" && term.IsTerminal(int(os.Stdout.Fd())):
		return console.Usage("-o -: standard output is a terminal; send it to a file or a pipe")
	}
	return cmp.Or(r.fromFlags.check(), r.sheetFlags.check())
}

// outputs returns all files and streams that the command writes, for List.CheckDistinct, which checks that they replace
// neither an input nor each other.
func (r *renderCommand) outputs() outfiles.List {
	list := r.addReports(outfiles.Of("-o", " ", r.Output))
	if r.Output != "-" {
		return list
	}
	return r.addSummary(list, os.Stderr, "standard error")
}

// render renders sheet, with all flags applied, to the WAV file, then writes the report and the timeline and prints a
// summary. Each file appears only if it is complete; failures of several outputs are printed and returned as one
// error.
func (r *renderCommand) render(c *console.Console, sheet *cue.Sheet, interrupted *console.Interrupts) error {
	reportFile, err := outfiles.Open(interrupted, r.Report)
	if err != nil {
		return err
	}
	defer reportFile.Discard()
	drawing, err := timeline.Open(interrupted, r.Timeline, sheet.Rate, mixerGrid)
	if err != nil {
		return err
	}
	defer drawing.Discard()
	config := wav.Config{Rate: sheet.Rate, Outputs: sheet.Pairs(), Format: r.Format.Format, Seed: sheet.Seed}
	var out sink
	if r.Output == "-" {
		if out, err = wav.NewWriter(outfiles.Standard(), config); err != nil {
			return err
		}
	} else {
		file, err := console.Within(interrupted, func() (*wav.File, error) { return wav.Create(r.Output, config) })
		if err != nil {
			return err
		}
		defer file.Abort()
		out = file
	}
	start := time.Now()
	lib := library.NewLibrary(library.Options{Rate: sheet.Rate, Limits: r.limits(), OnDamage: warnOfDamage(c)})
	options := play.Options{Loading: c.Loading(), Preparing: c.Preparing(), Events: r.Report != "" || r.JSON || r.Timeline != ""}
	r.setStart(&options)
	ranked := 0 // losses decided by priority
	options.Watch = func(e report.Event) {
		if e.ByPriority() {
			ranked++
		}
		if r.Verbose {
			fmt.Fprintln(c.Err, liveview.Describe(e, sheet.Rate))
		}
	}
	player, err := console.Within(interrupted, func() (*play.Player, error) { return play.NewPlayer(interrupted, sheet, lib, options) })
	if err != nil {
		return err
	}
	if err := r.write(c, out, player, drawing, interrupted); err != nil {
		return err
	}
	result := player.Report()
	closed := out.Close()
	failed := c.Outcome(closed, reportFile.SaveFrom(result), drawing.SaveReport("render "+oneLine(r.Sheet), result))
	if r.JSON || r.Report == "-" {
		result.WriteTo(c.Out)
	}
	if !r.Quiet && closed == nil {
		r.summary(c, result, out.Clipped(), ranked, time.Since(start))
	}
	return failed
}

// write reads player block by block and writes the frames to out until the player ends; then it returns nil.
// Otherwise it returns the first error, or the Interruption after a signal. It records levels in drawing, which may
// be nil, and shows the progress. It closes neither player nor out.
func (r *renderCommand) write(c *console.Console, out sink, player *play.Player, drawing *timeline.File, interrupted *console.Interrupts) error {
	defer c.Progress("")
	outputs := player.Outputs()
	block := make([]pcm.Frame, drawing.Block(r.Block)*outputs)
	var (
		frames       int64
		start        = time.Now()
		lastProgress time.Time // time of the last progress update
		rate         = player.Sheet().Rate
	)
	for {
		n, err := player.Read(block)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := out.Write(block[:n]); err != nil {
			return err
		}
		if err := interrupted.Cause(); err != nil {
			return err
		}
		frames += int64(n / outputs)
		left, right := player.Levels()
		drawing.Record(player.Mixer(), player.StartFrame()+frames, left, right)
		if !r.Verbose && time.Since(lastProgress) >= console.ProgressInterval {
			lastProgress = time.Now()
			if frames == 0 {
				start = lastProgress
				c.Progress("seeking to the start: %s", seconds(player.Mixer().Now(), rate))
			} else {
				c.Progress("%s", console.Rendered(frames, player.EstimatedEnd()-player.StartFrame(), rate, time.Since(start)))
			}
		}
	}
}

// warnOfDamage returns a function that prints a warning about damage, a damaged place in file. If c.Quiet is set, the
// function does not print.
func warnOfDamage(c *console.Console) func(string, library.Damage) {
	return func(file string, damage library.Damage) {
		if !c.Quiet {
			c.Say("warning: %s", checkreport.Line(file, damage))
		}
	}
}

// mixerGrid is the interval of the mixer's level updates.
const mixerGrid = 20 * time.Millisecond

// summary prints a line to c.Err: length, format, peak, loudness, counts of voices and speed. A line for each output
// follows. The number clipped counts clipped samples, ranked counts losses decided by priority, and elapsed is the time
// of the render.
func (r *renderCommand) summary(c *console.Console, result *report.Report, clipped int64, ranked int, elapsed time.Duration) {
	name := oneLine(r.Output)
	if r.Output == "-" {
		name = "standard output"
	}
	t := &result.Totals
	length := float64(result.Frames-result.From) / float64(result.Rate)
	byPriority := ""
	if ranked > 0 {
		byPriority = fmt.Sprintf(", %d lost by priority", ranked)
	}
	line := fmt.Sprintf("%s: %s, %v, peak %s dB, %s LUFS; %d requested, %d started, %d stolen%s; %.0f times real time",
		name, seconds(result.Frames-result.From, result.Rate), r.Format.Format, words.Level(float64(result.Peak)), words.Level(float64(result.Loudness)),
		t.Asked, t.Started, t.Stolen, byPriority, length/elapsed.Seconds())
	if clipped > 0 {
		line += fmt.Sprintf("; %d samples clipped", clipped)
	}
	c.Say("%s", line)
	liveview.Outputs(c.Err, result)
}
