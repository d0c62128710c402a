package main

import (
	"voicepool/cmd/internal/cli/console"
	"voicepool/cue"
)

type schemaCommand struct{}

// Run prints the JSON schema of sheets.
func (schemaCommand) Run(c *console.Console) error {
	_, err := c.Out.Write(cue.Schema())
	return err
}
