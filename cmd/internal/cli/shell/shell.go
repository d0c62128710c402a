// Package shell has the command-line completions for shells, and the extra sections of the man
// page.
package shell

import (
	"slices"

	"github.com/posener/complete"

	"voicepool/sounds/embedded"
)

// Scripts holds for each shell the script that registers the program %[1]s for completion.
var Scripts = map[string]string{
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

// Predictors returns the completions of arguments and flags for a shell. The keys are the values that the struct tag
// predictor has in commands.
func Predictors() map[string]complete.Predictor {
	return map[string]complete.Predictor{
		"sheet":    anyOf(complete.PredictFiles("*.yaml"), complete.PredictFiles("*.yml"), complete.PredictFiles("*.json")),
		"report":   complete.PredictFiles("*.json"),
		"file":     complete.PredictFiles("*"),
		"sound":    anyOf(complete.PredictSet(embedded.Names()...), complete.PredictFiles("*")),
		"overflow": complete.PredictSet("quietest", "oldest", "gain", "reject", "grow", "masked"),
		"quality":  complete.PredictSet("linear", "cubic", "best"),
		"device":   complete.PredictSet("auto", "pulse", "oto", "null", "wav:", "raw:", "raw16:", "-"),
	}
}

// anyOf returns a predictor that combines the predictors in the parameter all. It predicts each of their words once,
// in sorted order.
func anyOf(all ...complete.Predictor) complete.Predictor {
	return complete.PredictFunc(func(a complete.Args) []string {
		words := complete.PredictOr(all...).Predict(a)
		slices.Sort(words)
		return slices.Compact(words)
	})
}

// Section is a section of the man page.
type Section struct{ Title, Text string }

// Manual holds the sections of the man page that do not describe commands and flags.
var Manual = []Section{
	{"Exit Status", "0: success. 1: the work failed. 2: the command line or the sheet is wrong. 141: the reader of the output has closed it. 128 plus the number of a signal: it was interrupted."},
	{"Environment", "PULSE_SERVER and PULSE_SINK: the sound server and its sink. NO_COLOR: no colours. VOICEPOOL_URL and VOICEPOOL_TOKEN: the server and the token of --to."},
	{"Files", "Cue sheets and banks are YAML or JSON; docs/cues.md and docs/banks.md describe them. voicepool schema prints a schema for editors."},
}
