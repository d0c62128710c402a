package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/internal/explain"
)

type explainCommand struct {
	Report string  `arg:"" predictor:"report" help:"Report (JSON) of --report; - is standard input."`
	Voice  *string `arg:"" optional:"" help:"Number of the voice, from 1. Default: the ten most audible losses."`
	Cue    *string `placeholder:"N" help:"Explain the starts of the cue with this number instead, also the rejected ones. Cues without a number count from 0."`
	Sound  *string `placeholder:"NAME" help:"Summarize all starts of a sound instead."`
	JSON   bool    `name:"json" help:"Print JSON."`
}

// Run prints an explanation of a voice, a cue, a sound, or the ten most audible losses in a report, in words or as
// JSON.
func (e *explainCommand) Run(c *console.Console) error {
	voice, err := e.check()
	if err != nil {
		return err
	}
	in, name, done, err := openReport(c, e.Report)
	if err != nil {
		return err
	}
	defer done()
	interrupted := c.Listen()
	defer interrupted.Close()
	result, err := console.Within(interrupted, func() (answer, error) {
		switch {
		case e.Cue != nil:
			return explain.OfCue(name, in.In, *e.Cue)
		case e.Sound != nil:
			return explain.OfSound(name, in.In, *e.Sound)
		case e.Voice == nil:
			return explain.OfLosses(name, in.In)
		}
		return explain.OfVoice(name, in.In, voice)
	})
	if err != nil {
		return err
	}
	if e.JSON {
		return c.JSON(result)
	}
	result.Print(c.Out)
	return nil
}

// answer is the result of explain, printed as JSON or in words.
type answer interface{ Print(w io.Writer) }

// check returns a usage error for invalid flags or an invalid number of a voice. Otherwise voice is the requested
// number, or 0 if the user has not given one.
func (e *explainCommand) check() (voice uint64, err error) {
	switch {
	case e.Voice != nil && e.Cue != nil, e.Cue != nil && e.Sound != nil, e.Voice != nil && e.Sound != nil:
		return 0, console.Usage("a voice, --cue and --sound exclude each other: give one of them")
	case e.Cue != nil && *e.Cue == "":
		return 0, console.Usage("--cue: give the number of a cue; cues without a number count from 0")
	case e.Voice != nil:
		voice, err = strconv.ParseUint(strings.TrimPrefix(*e.Voice, "#"), 10, 64)
		if err != nil || voice == 0 {
			return 0, console.Usage("voice %q: want a number from 1", oneLine(*e.Voice))
		}
	}
	return voice, nil
}

// openReport opens the report at path for reading; "-" is standard input. It returns the open file as in, and its
// name for messages. The caller must call done, which closes the file; after an error, done is nil.
func openReport(c *console.Console, path string) (in outfiles.Input, name string, done func(), err error) {
	if path == "-" {
		return outfiles.Input{In: c.In, Label: "the report on standard input"}, "standard input", func() {}, nil
	}
	name = oneLine(path)
	file, err := os.Open(path)
	if err != nil {
		return in, name, nil, fmt.Errorf("%s: %w", name, cause(err))
	}
	return outfiles.Input{In: file, Label: "the report " + name}, name, func() { file.Close() }, nil
}
