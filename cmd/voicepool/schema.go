package main

import (
	"voicepool/cmd/internal/cli/console"
	"voicepool/cue"
	"voicepool/internal/expect"
)

type schemaCommand struct {
	Rules bool `help:"Print the schema of the rules of voicepool expect instead."`
}

// Run prints the JSON schema of sheets, or of rules.
func (s schemaCommand) Run(c *console.Console) error {
	schema := cue.Schema
	if s.Rules {
		schema = expect.Schema
	}
	_, err := c.Out.Write(schema())
	return err
}
