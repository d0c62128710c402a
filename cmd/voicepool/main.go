// Command voicepool plays cue sheets with a fixed pool of voices: live, or faster than real time
// into a file. This package parses flags and prints results. The packages of the module do the
// work.
//
//	voicepool demo
//	voicepool play coin bell shot.wav
//	voicepool run sheet.yaml
//	voicepool render sheet.yaml -o out.wav
//
// The exit code is 0 on success, 1 if the work failed, and 2 for wrong usage or a faulty sheet. If
// a signal interrupted the command, the exit code is 128 + the signal's number (130 after Ctrl-C,
// 143 after SIGTERM). Before that, sounds fade out and the report is written. The exit code is 141
// if the reader of the output has closed the pipe; a show still plays to its end. A signal that is
// ignored at the start, such as SIGHUP under nohup, stays ignored.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"voicepool/cmd/internal/cli/catalog"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/drivers"
	"voicepool/cmd/internal/cluster/renderfarm"
	"voicepool/cmd/internal/cluster/roomscmd"
	"voicepool/cue"
	"voicepool/internal/words"
)

// grammar defines the command line.
type grammar struct {
	Demo       demoCommand        `cmd:"" help:"Play the embedded show with the embedded sounds."`
	Play       playCommand        `cmd:"" help:"Play sounds now, all at once."`
	Run        runCommand         `cmd:"" help:"Play a cue sheet in real time."`
	Go         goCommand          `cmd:"" help:"Run a show: cues that wait for GO, from a terminal, a socket, MIDI or standard input."`
	Attach     attachCommand      `cmd:"" help:"Return to the screen of a running show."`
	Serve      serveCommand       `cmd:"" help:"Serve rooms in which people and programs play sounds, over HTTP, WebSocket and OSC."`
	Send       sendCommand        `cmd:"" help:"Send a command to a running show or to a server, and print the answer."`
	Rooms      roomscmd.Rooms     `cmd:"" help:"List the rooms of a cluster of servers, and which node plays each."`
	Drain      roomscmd.Drain     `cmd:"" help:"Move the rooms off a node of a cluster."`
	Watch      watchCommand       `cmd:"" help:"Show the voices and events of a room of a server."`
	Render     renderCommand      `cmd:"" help:"Write a cue sheet to a WAV file, faster than real time."`
	Check      checkCommand       `cmd:"" help:"Check a cue sheet or a bank, and its sounds; print every error."`
	Schema     schemaCommand      `cmd:"" help:"Print a JSON schema of cue sheets and banks, for editors."`
	Sounds     soundsCommand      `cmd:"" help:"List sounds: format, length, peak, loudness, envelope."`
	Effects    catalog.Effects    `cmd:"" help:"List the effects of buses: parameters, units, ranges, defaults."`
	Devices    drivers.Command    `cmd:"" help:"List devices and drivers, and the one that auto chooses."`
	Doctor     doctorCommand      `cmd:"" help:"Find out why there is no sound, and how to fix it."`
	Bench      benchCommand       `cmd:"" help:"Measure how many voices this machine can mix."`
	Explain    explainCommand     `cmd:"" help:"Explain from a report why a sound was stolen, rejected or not heard."`
	Expect     expectCommand      `cmd:"" help:"Check a report or a recording against rules: sounds, times, levels, sides, steals, silence."`
	Timeline   timelineCommand    `cmd:"" help:"Draw voices over time from a report."`
	Stealbench stealbenchCommand  `cmd:"" help:"Measure the audible loss by voice stealing, on built-in scenes or a cue sheet."`
	Tune       tuneCommand        `cmd:"" help:"Find the smallest pool for a cue sheet."`
	Compare    compareCommand     `cmd:"" help:"Render a cue sheet under several policies and compare their losses."`
	Hear       hearCommand        `cmd:"" help:"Compare two sound files by how different they sound."`
	Farm       renderfarm.Command `cmd:"" help:"Run renders and measurements on many machines, over NATS."`
	Completion completionCommand  `cmd:"" help:"Print the script with which a shell completes commands, flags and names."`
	Man        manCommand         `cmd:"" help:"Print the manual page: voicepool man | man -l -"`
	Version    versionCommand     `cmd:"" help:"Print the version, as --version does."`
	Decode     decodeCommand      `cmd:"" hidden:""`
}

// The purpose of the program, for its help and the man page.
const (
	purpose  = "Play sounds through a fixed pool of voices."
	capacity = "When all are busy, steal the least audible one."
)

// main runs the command line and exits with its exit code.
func main() {
	console.IgnoreBrokenPipes()
	os.Exit(command(os.Args[1:], console.New()))
}

// grammarOf returns a pointer to a struct that is the grammar of kong for parsing args. For most commands it has only
// the field of the command args[0], because kong needs milliseconds for all commands. For completions, the manual and
// other arguments it is a *grammar.
func grammarOf(args []string) any {
	if len(args) > 0 && args[0] != "man" && !completing() {
		for _, command := range reflect.VisibleFields(reflect.TypeFor[grammar]()) {
			if strings.ToLower(command.Name) == args[0] {
				return reflect.New(reflect.StructOf([]reflect.StructField{command})).Interface()
			}
		}
	}
	return &grammar{}
}

// knownCommand returns a usage error with the nearest command if name, the first argument, is not a command of
// model. It returns nil for a flag.
func knownCommand(model *kong.Node, name string) error {
	if strings.HasPrefix(name, "-") {
		return nil
	}
	var names []string
	for _, command := range model.Children {
		if command.Name == name {
			return nil
		}
		if !command.Hidden {
			names = append(names, command.Name)
		}
	}
	return console.Usage("unknown command %s; the nearest is %s, and voicepool --help lists all", oneLine(name), words.Nearest(name, names))
}

// command parses and runs the command in args, which do not include the program's name. It prints errors to c and
// returns the exit code.
func command(args []string, c *console.Console) int {
	if len(args) > 0 {
		switch args[0] {
		case "--version":
			args = append([]string{"version"}, args[1:]...)
		case "help": // help COMMAND is COMMAND --help
			args = append(args[1:], "--help")
		}
	}
	helped := false
	parser, err := kong.New(grammarOf(args),
		kong.Name("voicepool"),
		kong.Description(purpose+" "+capacity),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.WithHyphenPrefixedParameters(true), // permits --gain -6
		kong.OptionFunc(numberFlags),
		kong.Writers(c.Out, c.Err),
		kong.Exit(func(int) { helped = true }),
	)
	if err != nil {
		return c.Finish(err)
	}
	addExamples(parser.Model.Node)
	if completed, err := answerCompletion(parser, c); completed || err != nil {
		return c.Finish(err)
	}
	if len(args) == 0 {
		return c.Finish(console.Usage("a command is missing; voicepool --help lists them"))
	}
	if err := knownCommand(parser.Model.Node, args[0]); err != nil {
		return c.Finish(err)
	}
	ctx, err := parser.Parse(args)
	switch {
	case helped, c.Out.Err != nil: // kong would report a closed output as wrong usage
		return c.Finish(nil)
	case err != nil:
		return c.Finish(console.Usage("%s", parseMessage(err)))
	}
	return c.Finish(ctx.Run(c))
}

// parseMessage returns the message of err, an error of kong's parser, as a sentence with a remedy, such as the help
// of the command. Unknown messages are returned as they are.
func parseMessage(err error) string {
	text, command := err.Error(), "voicepool"
	if parse, ok := errors.AsType[*kong.ParseError](err); ok && parse.Context != nil {
		if node := parse.Context.Selected(); node != nil {
			command = node.FullPath()
		}
	}
	verb := func(list string) string {
		if strings.Contains(list, ", ") {
			return "are"
		}
		return "is"
	}
	help := command + " --help"
	if flags, ok := strings.CutPrefix(text, "missing flags: "); ok {
		return fmt.Sprintf("%s %s missing; %s describes the flags", flags, verb(flags), help)
	}
	if argument, ok := strings.CutPrefix(text, `expected "<`); ok {
		return fmt.Sprintf("the argument <%s is missing; %s shows the usage", strings.TrimSuffix(argument, `"`), help)
	}
	if names, ok := strings.CutPrefix(text, "expected one of "); ok {
		return fmt.Sprintf("%s needs a command (want %s); %s lists them", strings.TrimPrefix(command, "voicepool "), strings.ReplaceAll(names, `"`, ""), help)
	}
	if before, names, ok := strings.Cut(text, ", did you mean "); ok {
		names = strings.ReplaceAll(strings.TrimPrefix(names, "one of "), `"`, "")
		return before + "; did you mean " + strings.ReplaceAll(names, ", ", " or ")
	}
	if strings.HasPrefix(text, "unknown flag ") || strings.HasPrefix(text, "unexpected argument ") {
		return text + "; " + help + " shows the usage"
	}
	return text
}

// Short names for the functions used in messages.
var (
	oneLine = words.OneLine
	seconds = words.Seconds
	count   = words.Count
	cause   = words.Cause
)

// loadSheet loads the sheet at path, without its sounds. When ctx ends, it abandons the reading and returns the
// cause.
func loadSheet(ctx context.Context, path string) (*cue.Sheet, error) {
	return console.Within(ctx, func() (*cue.Sheet, error) { return cue.Load(path) })
}
