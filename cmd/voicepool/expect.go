package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cue/report"
	"voicepool/internal/expect"
	"voicepool/internal/listening"
	"voicepool/internal/sheet/yaml"
	"voicepool/pcm"
	"voicepool/sounds/embedded"
	"voicepool/sounds/library"
)

type expectCommand struct {
	Files []string `arg:"" name:"file" predictor:"report" help:"Report (JSON), recording (WAV or another format), or both; then the rules (YAML or JSON). - is standard input."`
	JUnit string   `name:"junit" predictor:"file" placeholder:"FILE" help:"Write the results as JUnit XML."`
	Quiet bool     `short:"q" help:"Print failures only."`
	isolateFlag
}

// Run checks the report and the recording against the rules. Each failure gives a line, and the timeline follows.
func (x *expectCommand) Run(c *console.Console) error {
	if n := len(x.Files); n < 2 || n > 3 {
		return console.Usage("expect takes a report, a recording or both, and then the rules, not %s", count(n, "file"))
	}
	c.Quiet = x.Quiet
	last := len(x.Files) - 1
	interrupted := c.Listen()
	defer interrupted.Close()
	heard, err := console.Within(interrupted, func() (*recorded, error) {
		var inputs []outfiles.Input
		for _, path := range x.Files {
			inputs = append(inputs, outfiles.Input{Path: path, Label: "the file " + oneLine(path)})
		}
		if err := outfiles.Of("--junit", " ", x.JUnit).CheckDistinct(inputs); err != nil {
			return nil, err
		}
		list, err := loadRules(c, x.Files[last])
		if err != nil {
			return nil, err
		}
		r := &recorded{rules: list, limits: x.limits(), warn: warnOfDamage(c)}
		for _, path := range x.Files[:last] {
			if err := r.read(interrupted, c, path); err != nil {
				return nil, err
			}
		}
		return r, r.complete(interrupted)
	})
	if err != nil {
		return eachRule(c, err)
	}
	junit, err := outfiles.Open(interrupted, x.JUnit)
	if err != nil {
		return err
	}
	defer junit.Discard()
	verdict := heard.Check(heard.rules)
	saved := junit.SaveFrom(verdict)
	if x.JUnit == "-" {
		verdict.WriteTo(c.Out)
	}
	if failed := c.Outcome(saved); !verdict.Print(c.Say, c.Err) || failed != nil {
		return console.Reported{Code: console.ExitFailed}
	}
	if !x.Quiet && x.JUnit != "-" {
		fmt.Fprintf(c.Out, "%s: %s\n", oneLine(x.Files[last]), verdict.Summary())
	}
	return nil
}

// eachRule prints each error of rules in err on its own line, and returns a console.Reported. Any other err is returned
// unchanged.
func eachRule(c *console.Console, err error) error {
	if wrong, ok := errors.AsType[rules.Errors](err); ok {
		return c.Outcome(wrong.Unwrap()...)
	}
	return err
}

// loadRules reads and parses the rules in the file at path; - is standard input.
func loadRules(c *console.Console, path string) (*expect.Rules, error) {
	in := io.Reader(c.In)
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", oneLine(path), cause(err))
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, yaml.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", oneLine(path), cause(err))
	}
	return expect.Parse(path, text)
}

// recorded is the evidence of a report, a recording, or both.
type recorded struct {
	expect.Evidence
	rules      *expect.Rules
	limits     library.Limits
	warn       func(file string, damage library.Damage)
	report     *report.Report // nil: not given
	reportName string
	clip       *library.Clip // nil: not given
	clipName   string
}

// read reads the file at path. If its first byte is {, it is a report, otherwise a recording.
func (r *recorded) read(ctx context.Context, c *console.Console, path string) error {
	in, name, done, err := openReport(c, path)
	if err != nil {
		return err
	}
	defer done()
	buffered := bufio.NewReader(in.In)
	start, _ := buffered.Peek(512)
	if start = bytes.TrimSpace(start); len(start) > 0 && start[0] != '{' {
		if r.clip != nil {
			return console.Usage("%s and %s are both recordings; give one, or a report and a recording", r.clipName, name)
		}
		r.clipName = name
		if r.clip, err = library.Decode(ctx, name, buffered, r.limits); err != nil {
			return err
		}
		for _, damage := range r.clip.Damages {
			r.warn(name, damage)
		}
		return nil
	}
	if r.report != nil {
		return console.Usage("%s and %s are both reports; give one, or a report and a recording", r.reportName, name)
	}
	r.reportName = name
	r.report, err = report.Read(name, buffered, func(e *report.Event) error {
		r.Log.Add(e)
		return nil
	})
	if err == nil && r.report.Totals.EventsLost > 0 {
		err = fmt.Errorf("%s: the report lacks %s; rules need all events", name, count(int(r.report.Totals.EventsLost), "event"))
	}
	return err
}

// complete fills in the evidence from the report and the recording. Without a report, it searches for the sounds of the
// rules in the recording.
func (r *recorded) complete(ctx context.Context) error {
	if err := r.rules.CheckUse(r.report != nil, r.clip != nil); err != nil {
		return err
	}
	r.Over = true
	if r.report != nil {
		r.Rate, r.Range, r.Peak = r.report.Rate, listening.Span{From: r.report.From, To: r.report.Frames}, &r.report.Peak
	}
	if r.clip == nil {
		return nil
	}
	if r.report != nil && r.clip.Rate != r.Rate {
		return fmt.Errorf("%s has %d Hz and %s %d Hz; give the recording of this report", r.clipName, r.clip.Rate, r.reportName, r.Rate)
	}
	frames, err := stereo(r.clip)
	if err != nil {
		return fmt.Errorf("%s: %w", r.clipName, err)
	}
	if n := r.Range.To - r.Range.From; r.report != nil && int64(len(frames)) < n {
		return fmt.Errorf("%s has %d frames, and the show of %s %d; give the whole recording of this report", r.clipName, len(frames), r.reportName, n)
	}
	r.Rate, r.Audio = r.clip.Rate, listening.NewMeter(r.clip.Rate, r.Range.From)
	r.Audio.Write(frames)
	if r.report != nil {
		return nil
	}
	r.Range.To = int64(len(frames))
	return r.search(ctx, frames)
}

// stereo returns the frames of clip. Pairs of channels are summed, as the outputs of a show are.
func stereo(clip *library.Clip) ([]pcm.Frame, error) {
	n := clip.Channels
	if n > 2 && n%2 > 0 {
		return nil, fmt.Errorf("%d channels are neither mono, stereo nor pairs", n)
	}
	frames := make([]pcm.Frame, clip.Frames())
	for i := range frames {
		for c := 0; c < n; c += 2 {
			frames[i][0] += clip.Samples[i*n+c]
			frames[i][1] += clip.Samples[i*n+min(c+1, n-1)]
		}
	}
	return frames, nil
}

// search adds the occurrences of the sounds that the rules name. A sound is in `sounds` of the rules, with paths
// relative to their file, or is embedded.
func (r *recorded) search(ctx context.Context, frames []pcm.Frame) error {
	lib := library.NewLibrary(library.Options{Rate: r.Rate, Limits: r.limits, OnDamage: r.warn})
	var wrong rules.Errors
	for _, name := range r.rules.Names() {
		at := &rules.Error{File: r.rules.File}
		var sources []library.Source
		for _, s := range r.rules.Sounds {
			if s.Name == name {
				at.Line, at.Column = s.Line, s.Column
				for _, file := range s.Files {
					if !filepath.IsAbs(file) {
						file = filepath.Join(filepath.Dir(r.rules.File), file)
					}
					sources = append(sources, library.Source{File: file})
				}
			}
		}
		if sources == nil {
			if _, ok := embedded.Open(name); !ok {
				at.Msg = fmt.Sprintf("the sound %q has no file to search for; add it: sounds: {%[1]q: FILE.wav}", oneLine(name))
				wrong = append(wrong, at)
				continue
			}
			sources = []library.Source{embedded.Source(name)}
		}
		loaded, err := lib.Load(ctx, sources...)
		if err != nil {
			if ctx.Err() != nil {
				return err
			}
			at.Msg, at.Sound = fmt.Sprintf("the sound %q cannot be loaded: %v", oneLine(name), cause(err)), err
			wrong = append(wrong, at)
			continue
		}
		found, best := listening.Find(frames, loaded...)
		r.Log.AddFound(name, found, best)
	}
	if wrong != nil {
		return wrong
	}
	return nil
}
