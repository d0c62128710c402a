package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	mangokong "github.com/alecthomas/mango-kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/muesli/roff"
	"github.com/posener/complete"

	"voicepool/cmd/internal/console"
	"voicepool/sounds/embedded"
)

// completionCommand prints what a start-up file of a shell reads. The shell then asks the
// program itself what a word may become, by the variable COMP_LINE.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// shellScripts has for each shell what registers the program %[1]s for completion.
var shellScripts = map[string]string{
	"bash": "complete -o default -o bashdefault -C %[1]s voicepool\n",
	"zsh":  "autoload -U +X bashcompinit && bashcompinit\ncomplete -o default -o bashdefault -C %[1]s voicepool\n",
	"fish": `function __complete_voicepool
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    %[1]s
end
complete -f -c voicepool -a "(__complete_voicepool)"
`,
}

func (p *completionCommand) Run(c *console.Console) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	quoted := "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	fmt.Fprintf(c.Out, shellScripts[p.Shell], quoted)
	return nil
}

// Help is what stands below the usage of the command.
func (p *completionCommand) Help() string {
	return "bash: add to ~/.bashrc: source <(voicepool completion bash)\n\n" +
		"zsh: add to ~/.zshrc: source <(voicepool completion zsh)\n\n" +
		"fish: run voicepool completion fish > ~/.config/fish/completions/voicepool.fish"
}

// predictors say what the arguments and flags with such a tag may be.
func predictors() map[string]complete.Predictor {
	return map[string]complete.Predictor{
		"sheet":    either(complete.PredictFiles("*.yaml"), complete.PredictFiles("*.yml"), complete.PredictFiles("*.json")),
		"report":   complete.PredictFiles("*.json"),
		"file":     complete.PredictFiles("*"),
		"sound":    either(complete.PredictSet(embedded.Names()...), complete.PredictFiles("*")),
		"overflow": complete.PredictSet("quietest", "oldest", "gain", "reject", "grow", "masked"),
		"quality":  complete.PredictSet("linear", "cubic", "best"),
		"device":   complete.PredictSet("auto", "pulse", "oto", "null", "wav:", "raw:", "raw16:", "-"),
	}
}

// either predicts what any of some predicts, each once: all files predict the same folders.
func either(all ...complete.Predictor) complete.Predictor {
	return complete.PredictFunc(func(a complete.Args) []string {
		words := complete.PredictOr(all...).Predict(a)
		slices.Sort(words)
		return slices.Compact(words)
	})
}

// completes answers a shell that asks what the words of its line may become, if one does.
func completes(parser *kong.Kong, c *console.Console) (bool, error) {
	if os.Getenv("COMP_LINE") == "" {
		return false, nil
	}
	command, err := kongcompletion.Command(parser, kongcompletion.WithPredictors(predictors()))
	if err != nil {
		return false, err
	}
	answer := complete.New("voicepool", command)
	answer.Out = c.Out
	return answer.Complete(), nil
}

// manCommand prints the page of the manual.
type manCommand struct{}

func (m *manCommand) Run(c *console.Console, app *kong.Context) error {
	app.Model.Help, app.Model.Detail = strings.TrimSuffix(purpose, "."), capacity // the first is in the head of the page, too
	page := mangokong.NewManPage(1, app.Model)
	for _, s := range manual {
		page = page.WithSection(s.title, s.text)
	}
	fmt.Fprint(c.Out, page.Build(roff.NewDocument()))
	return nil
}

// manual is what the page has besides the commands and their flags.
var manual = []struct{ title, text string }{
	{"Exit Status", "0: all is done. 1: the work failed. 2: the command line or the sheet is wrong. 141: nobody reads the output any more. 128 and the number of a signal: it was interrupted."},
	{"Environment", "PULSE_SERVER and PULSE_SINK: the sound server and its sink. NO_COLOR: no colours."},
	{"Files", "Cue sheets and banks are YAML or JSON; docs/cues.md and docs/banks.md say what is in them. voicepool schema prints a schema for editors."},
}
