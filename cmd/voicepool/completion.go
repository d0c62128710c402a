package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/muesli/roff"
	"github.com/posener/complete"

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/shell"
)

// completionCommand prints code for the start-up file of a shell. For each completion, the shell
// then starts this program with the variable COMP_LINE.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script that registers this program for completion in the shell p.Shell.
func (p *completionCommand) Run(c *console.Console) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	quoted := "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	fmt.Fprintf(c.Out, shell.Scripts[p.Shell], quoted)
	return nil
}

// Help returns the text below the usage of the command: how to install the script in each shell.
func (p *completionCommand) Help() string {
	return "bash: add to ~/.bashrc: source <(voicepool completion bash)\n\nzsh: add to ~/.zshrc: source <(voicepool completion zsh)\n\n" +
		"fish: run voicepool completion fish > ~/.config/fish/completions/voicepool.fish"
}

// completing reports whether a shell has started this program for completions.
func completing() bool { return os.Getenv("COMP_LINE") != "" }

// answerCompletion answers a request of a shell for completions, which is in the variable COMP_LINE, by printing them
// to c.Out. It reports whether there was such a request.
func answerCompletion(parser *kong.Kong, c *console.Console) (bool, error) {
	if !completing() {
		return false, nil
	}
	command, err := kongcompletion.Command(parser, kongcompletion.WithPredictors(shell.Predictors()))
	if err != nil {
		return false, err
	}
	answer := complete.New("voicepool", command)
	answer.Out = c.Out
	return answer.Complete(), nil
}

// manCommand prints the man page.
type manCommand struct{}

// Run prints the man page of app as roff, with the examples in a section of their own. It changes the help texts in
// app.
func (m *manCommand) Run(c *console.Console, app *kong.Context) error {
	build := &manPage{Document: roff.NewDocument()}
	var calls []string
	for _, command := range app.Model.Children { // the details have the examples, which get a section
		command.Detail = ""
	}
	for _, leaf := range app.Model.Leaves(true) {
		leaf.Detail = ""
		build.usages = append(build.usages, app.Model.Name+" "+leaf.Summary())
		calls = append(calls, examples[leaf.Path()]...)
	}
	app.Model.Help, app.Model.Detail = strings.TrimSuffix(purpose, "."), capacity // the header of the page shows Help, too
	page := mangokong.NewManPage(1, app.Model)
	page = page.WithSection("Examples", strings.Join(calls, "\n"))
	for _, s := range shell.Manual {
		page = page.WithSection(s.Title, s.Text)
	}
	fmt.Fprint(c.Out, page.Build(build))
	return nil
}
