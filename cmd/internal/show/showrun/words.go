package showrun

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/words"
)

// command is a text command: its name, its arguments, its help text and its function.
type command struct {
	name, args, help string
	minArgs, maxArgs int // number of arguments
	run              func(s *Show, args []string) error
}

// commands lists the commands in the order of the help. Any other command is an action, as in a cue of
// a sheet.
var commands = []command{
	{"go", "[CUE]", "start the cue on standby, or the given cue", 0, maxWords, func(s *Show, args []string) error { return s.Go(strings.Join(args, " ")) }},
	{"standby", "CUE", "put a cue on standby", 1, maxWords, func(s *Show, args []string) error { return s.Standby(strings.Join(args, " ")) }},
	{"next", "", "put the next cue on standby", 0, 0, func(s *Show, _ []string) error { return s.Step(1) }},
	{"back", "", "put the previous cue on standby", 0, 0, func(s *Show, _ []string) error { return s.Step(-1) }},
	{"load", "TIME", "start the cue on standby at a time within it, at the next GO", 1, 1, load},
	{"panic", "", "fade everything out in 1 s and cancel waiting cues; again within 1 s: stop at once", 0, 0, func(s *Show, _ []string) error { s.Panic(); return nil }},
	{"stop", "[ID|BUS|all] [TIME]", "fade out the running cues and cancel waiting ones; or fade out an id or a bus", 0, 2, stop},
	{"pause", "[ID|BUS]", "pause everything (voices, timeline, waits), or an id or a bus", 0, 1, pause(true)},
	{"resume", "[ID|BUS]", "resume everything, or an id or a bus", 0, 1, pause(false)},
	{"master", "DB", "change the master gain by decibels: +1, -1", 1, 1, master},
	{"trim", "DB", "change the gain of the last started cue, or of the cue on standby before the first GO: +1, -1", 1, 1, trim},
	{"write", "", "write the trims into the sheet", 0, 0, func(s *Show, _ []string) error { return s.Write() }},
	{"mute", "BUS", "mute a bus", 1, 1, func(s *Show, args []string) error { return s.Mute(args[0], true) }},
	{"unmute", "BUS", "unmute a bus", 1, 1, func(s *Show, args []string) error { return s.Mute(args[0], false) }},
	{"play", "SOUND [KEY=VALUE ...]", "start a sound: gain=-3, pan, pitch, bus, loop=true, id, ...", 1, 99, actionCommand("play")},
	{"set", "ID|BUS KEY=VALUE ...", "set gain, pan, pitch, speed, mute ...; over=1s", 2, 99, actionCommand("set")},
	{"fade", "ID|BUS to=DB over=TIME", "fade an id or a bus", 2, 99, actionCommand("fade")},
	{"release", "ID", "let an id leave its loop when the loop ends", 1, 1, actionCommand("release")},
	{"seek", "ID to=TIME", "go to a position in the sound", 2, 99, actionCommand("seek")},
	{"scene", "NAME [over=TIME]", "change the scene", 1, 2, actionCommand("scene")},
	{"duck", "BUS when=BUS by=DB ...", "change how a bus ducks", 1, 99, actionCommand("duck")},
	{"osc", "to=HOST:PORT address=/PATH [args=[1,text]]", "send a message of Open Sound Control", 2, 3, actionCommand("osc")},
	{"quit", "", "fade out and end the show", 0, 0, func(s *Show, _ []string) error { s.Quit(); return nil }},
}

// ConnectionCommands are the commands that the client's connection answers. They change no state.
var ConnectionCommands = []string{"state", "events", "help"}

// Help returns the help text for the commands that a client may send. Each line has one command, its arguments and a
// description. `state` and `events` are included, although the client's connection answers them, not Show.Do. `help`
// itself is left out.
func Help() (lines []string) {
	for _, w := range commands {
		lines = append(lines, fmt.Sprintf("%-32s %s", strings.TrimSpace(w.name+" "+w.args), w.help))
	}
	return append(lines, fmt.Sprintf("%-32s %s", "state", "print the state of the show"),
		fmt.Sprintf("%-32s %s", "events on|off", "print events, one line each"))
}

// maxWords is the maximum number of words in a command.
const maxWords = 100

// Do carries out line, a text command of words separated by spaces, such as "go 2". It returns the error of the
// command. An empty line, an unknown command, a wrong number of arguments and more than 100 words are errors, too. So
// is any command after Quit. The commands `state`, `events` and `help` are unknown here: the connection of the client
// answers them.
func (s *Show) Do(line string) error {
	all := strings.Fields(line)
	switch {
	case len(all) == 0:
		return errors.New("a command is missing, such as: go")
	case len(all) > maxWords:
		return fmt.Errorf("a command has at most %d words", maxWords)
	}
	i := slices.IndexFunc(commands, func(cmd command) bool { return cmd.name == all[0] })
	if i < 0 {
		return unknown(all[0])
	}
	cmd, args := &commands[i], all[1:]
	if cmd.maxArgs == 0 && len(args) > 0 {
		return fmt.Errorf("%s takes no arguments", cmd.name)
	}
	if len(args) < cmd.minArgs || len(args) > cmd.maxArgs {
		return fmt.Errorf("%s: write %s", cmd.name, strings.TrimSpace(cmd.name+" "+cmd.args))
	}
	select {
	case <-s.done:
		return errors.New("the show has ended")
	default:
	}
	return cmd.run(s, args)
}

// unknown returns the error for a command that does not exist. name is its first word. The error suggests the most
// similar command. It lists all commands except `state`, `events` and `help`.
func unknown(name string) error {
	names := slices.Concat(ConnectionCommands, words.Names(commands, func(w *command) string { return w.name }))
	near := words.Nearest(strings.ToLower(name), names)
	return fmt.Errorf("unknown command %q; did you mean %q? The commands are %s", words.OneLine(name), near, strings.Join(names[len(ConnectionCommands):], ", "))
}

// actionCommand returns the function that runs a text command as an action of a cue sheet. verb is the name of the
// action, such as play. The words after the command become the arguments of the action. On success the function reports
// the action as an event of the show; see Show.doAction.
func actionCommand(verb string) func(*Show, []string) error {
	return func(s *Show, args []string) error { return s.doAction(append([]string{verb}, args...)) }
}

// doAction lets the player carry out an action in the notation of a cue sheet. all is the verb, such as play, followed
// by its arguments. On success doAction reports the words as an event of the show. Otherwise it returns the error of
// the player.
func (s *Show) doAction(all []string) error {
	err := s.player.Do(all...)
	if err == nil {
		s.Report(strings.Join(all, " "))
	}
	return err
}

// stop carries out the text command stop of the show s. If args is empty or only a time, it fades out the running cues
// of the list. Otherwise it fades out args[0]: an id, a bus or the word all. The fade takes the given time, or else
// Fade, which is 2 s. Without a target the result is always nil.
func stop(s *Show, args []string) error {
	if len(args) == 0 || len(args) == 1 && isTime(args[0]) {
		over := Fade
		if len(args) == 1 {
			t, _ := rules.ParseTime(args[0])
			over = t.Duration(1e6)
		}
		s.Stop(over)
		return nil
	}
	if len(args) == 1 {
		args = append(args, fmt.Sprint(Fade))
	}
	return s.doAction(append([]string{"stop"}, args...))
}

// load carries out the text command load. Afterwards the next GO starts the cue on standby at the time args[0] within
// that cue. args[0] is a time as in sheets, such as 2s. An invalid time is an error. Without a cue on standby the error
// is ErrOver.
func load(s *Show, args []string) error {
	t, err := rules.ParseTime(args[0])
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	return s.Load(t.Duration(1e6))
}

// isTime reports whether text is a time in the notation of sheets, such as 2s.
func isTime(text string) bool {
	_, err := rules.ParseTime(text)
	return err == nil
}

// pause returns the function of a text command: pause if on is true, otherwise resume. Without arguments the returned
// function pauses or resumes the whole show. With an argument it pauses or resumes the id or bus of that name.
func pause(on bool) func(*Show, []string) error {
	return func(s *Show, args []string) error {
		if len(args) == 0 {
			s.Pause(on)
			return nil
		}
		return s.doAction([]string{map[bool]string{true: "pause", false: "resume"}[on], args[0]})
	}
}

// master carries out the text command master: it adds args[0], a number of dB as text, to the gain of every master bus.
// An invalid number is an error; see also Show.Master.
func master(s *Show, args []string) error {
	by, err := decibels("master", args[0])
	if err != nil {
		return err
	}
	return s.Master(by)
}

// trim carries out the text command trim: it adds args[0], a number of dB as text, to the gain of one cue. An invalid
// number is an error. Show.Trim chooses the cue.
func trim(s *Show, args []string) error {
	by, err := decibels("trim", args[0])
	if err != nil {
		return err
	}
	return s.Trim(by)
}

// decibels parses text, a change of gain in dB such as +1 or -3. The unit dB may follow the number. A text of another
// form is an error, and so is a change of more than 200 dB up or down. The error begins with the parameter command, the
// name of the text command.
func decibels(command, text string) (by float64, err error) {
	by, _, ok := words.ParseDecibels(text)
	if !ok || math.Abs(by) > 200 {
		return 0, fmt.Errorf("%s: %q is not a number of decibels, such as +1 or -3", command, words.OneLine(text))
	}
	return by, nil
}
