package main

import (
	"testing"

	"github.com/alecthomas/kong"
)

// TestGrammarOf checks that the grammar of the arguments of a command has only that command, except for the manual,
// which has all of them.
func TestGrammarOf(t *testing.T) {
	model := func(args ...string) *kong.Node {
		parser, err := kong.New(grammarOf(args))
		if err != nil {
			t.Fatal(err)
		}
		return parser.Model.Node
	}
	all := model()
	for _, command := range all.Children {
		only := model(command.Name, "--voices")
		if command.Name == "man" {
			if len(only.Children) != len(all.Children) {
				t.Errorf("the manual has %d commands, want %d", len(only.Children), len(all.Children))
			}
			continue
		}
		if len(only.Children) != 1 || only.Children[0].Name != command.Name || len(only.Children[0].Flags) != len(command.Flags) {
			t.Errorf("%s: %d commands", command.Name, len(only.Children))
		}
	}
	for _, name := range []string{"--help", "rendr", ""} {
		if got := len(model(name).Children); got != len(all.Children) || got < 20 {
			t.Errorf("%q has %d commands, want %d", name, got, len(all.Children))
		}
	}
}
