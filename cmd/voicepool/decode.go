package main

import (
	"os"

	"voicepool/cmd/internal/console"
	"voicepool/sounds"
)

// decodeCommand is what --isolate starts this program with: it decodes one file
// from standard input and gives up whatever it does not need for that.
type decodeCommand struct{}

func (decodeCommand) Run(c *console.Console) error {
	return sounds.ServeDecode(c.In, c.Out, sounds.Limits{})
}

// isolateFlag is what all commands have that load sounds.
type isolateFlag struct {
	Isolate bool `help:"Decode each sound in another process, with hard limits."`
}

func (f isolateFlag) limits() sounds.Limits {
	if !f.Isolate {
		return sounds.Limits{}
	}
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0] // the same, unless somebody has named it otherwise
	}
	return sounds.Limits{Isolate: []string{program, "decode"}}
}
