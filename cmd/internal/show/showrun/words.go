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

// word is a text command: its name, its arguments, its help text and its function.
type word struct {
	name, takes, does string
	least, most       int // number of arguments
	do                func(s *Show, rest []string) error
}

// table lists the commands in the order of the help. Any other command is an action, as in a cue of
// a sheet.
var table = []word{
	{"go", "[CUE]", "start the cue on standby, or the given cue", 0, maxWords, func(s *Show, rest []string) error { return s.Go(strings.Join(rest, " ")) }},
	{"standby", "CUE", "put a cue on standby", 1, maxWords, func(s *Show, rest []string) error { return s.Standby(strings.Join(rest, " ")) }},
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
	{"mute", "BUS", "mute a bus", 1, 1, func(s *Show, rest []string) error { return s.Mute(rest[0], true) }},
	{"unmute", "BUS", "unmute a bus", 1, 1, func(s *Show, rest []string) error { return s.Mute(rest[0], false) }},
	{"play", "SOUND [KEY=VALUE ...]", "start a sound: gain=-3, pan, pitch, bus, loop=true, id, ...", 1, 99, act("play")},
	{"set", "ID|BUS KEY=VALUE ...", "set gain, pan, pitch, speed, mute ...; over=1s", 2, 99, act("set")},
	{"fade", "ID|BUS to=DB over=TIME", "fade an id or a bus", 2, 99, act("fade")},
	{"release", "ID", "let an id leave its loop when the loop ends", 1, 1, act("release")},
	{"seek", "ID to=TIME", "go to a position in the sound", 2, 99, act("seek")},
	{"scene", "NAME [over=TIME]", "change the scene", 1, 2, act("scene")},
	{"duck", "BUS when=BUS by=DB ...", "change how a bus ducks", 1, 99, act("duck")},
	{"osc", "to=HOST:PORT address=/PATH [args=[1,text]]", "send a message of Open Sound Control", 2, 3, act("osc")},
	{"quit", "", "fade out and end the show", 0, 0, func(s *Show, _ []string) error { s.Quit(); return nil }},
}

// Others are the commands that the client's connection answers. They change no state.
var Others = []string{"state", "events", "help"}

// Help returns a line for each text command that a client may send, also for state and events: the command with its
// arguments, and a description.
func Help() (lines []string) {
	for _, w := range table {
		lines = append(lines, fmt.Sprintf("%-32s %s", strings.TrimSpace(w.name+" "+w.takes), w.does))
	}
	return append(lines, fmt.Sprintf("%-32s %s", "state", "print the state of the show"),
		fmt.Sprintf("%-32s %s", "events on|off", "print events, one line each"))
}

// maxWords is the maximum number of words in a command.
const maxWords = 100

// Do carries out line, a text command of words separated by spaces, such as "go 2". A missing or unknown command, a
// wrong number of arguments, more than 100 words, and an ended show are errors, like a failure of the command itself.
// It does not carry out Others.
func (s *Show) Do(line string) error {
	all := strings.Fields(line)
	switch {
	case len(all) == 0:
		return errors.New("a command is missing, such as: go")
	case len(all) > maxWords:
		return fmt.Errorf("a command has at most %d words", maxWords)
	}
	i := slices.IndexFunc(table, func(w word) bool { return w.name == all[0] })
	if i < 0 {
		return unknown(all[0])
	}
	w, rest := &table[i], all[1:]
	if w.most == 0 && len(rest) > 0 {
		return fmt.Errorf("%s takes no arguments", w.name)
	}
	if len(rest) < w.least || len(rest) > w.most {
		return fmt.Errorf("%s: write %s", w.name, strings.TrimSpace(w.name+" "+w.takes))
	}
	select {
	case <-s.done:
		return errors.New("the show has ended")
	default:
	}
	return w.do(s, rest)
}

// unknown returns the error for the unknown command name. The error suggests the most similar command and lists all.
func unknown(name string) error {
	names := slices.Clone(Others)
	for _, w := range table {
		names = append(names, w.name)
	}
	near := words.Nearest(strings.ToLower(name), names)
	return fmt.Errorf("unknown command %q; did you mean %q? The commands are %s", words.OneLine(name), near, strings.Join(names[len(Others):], ", "))
}

// act returns a function for the table of commands: it carries out the action verb of a sheet, such as play, with the
// words after the command as arguments; see Show.act.
func act(verb string) func(*Show, []string) error {
	return func(s *Show, rest []string) error { return s.act(append([]string{verb}, rest...)) }
}

// act carries out an action in the notation of a sheet's cue and, if it succeeds, reports it as an event. all is the
// verb and its arguments. The error is the player's.
func (s *Show) act(all []string) error {
	err := s.player.Do(all...)
	if err == nil {
		s.Say(strings.Join(all, " "))
	}
	return err
}

// stop carries out the command stop. If rest is empty or only a time, it fades out the running cues; otherwise the id
// or bus rest[0], over the time rest[1]. Without a time the fade takes Fade, 2 s.
func stop(s *Show, rest []string) error {
	if len(rest) == 0 || len(rest) == 1 && isTime(rest[0]) {
		over := Fade
		if len(rest) == 1 {
			t, _ := rules.ParseTime(rest[0])
			over = t.Duration(1e6)
		}
		s.Stop(over)
		return nil
	}
	if len(rest) == 1 {
		rest = append(rest, fmt.Sprint(Fade))
	}
	return s.act(append([]string{"stop"}, rest...))
}

// load carries out the command load: rest[0], a time as in sheets, becomes the start time within the cue on standby.
// Another text, and a show without a cue on standby, are errors.
func load(s *Show, rest []string) error {
	t, err := rules.ParseTime(rest[0])
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

// pause returns the function of the command pause if on is true, otherwise of resume. Without arguments the function
// pauses or resumes the whole show, otherwise the id or bus that is the first argument.
func pause(on bool) func(*Show, []string) error {
	return func(s *Show, rest []string) error {
		if len(rest) == 0 {
			s.Pause(on)
			return nil
		}
		return s.act([]string{map[bool]string{true: "pause", false: "resume"}[on], rest[0]})
	}
}

// master carries out the command master: it changes the gain of every master bus by rest[0], a text in dB.
func master(s *Show, rest []string) error {
	by, err := decibels("master", rest[0])
	if err != nil {
		return err
	}
	return s.Master(by)
}

// trim carries out the command trim: it changes the gain of a cue by rest[0], a text in dB; see Show.Trim.
func trim(s *Show, rest []string) error {
	by, err := decibels("trim", rest[0])
	if err != nil {
		return err
	}
	return s.Trim(by)
}

// decibels parses text, a gain change such as +1 or -3, in dB. Other texts, and changes of more than 200 dB, are errors
// that begin with command, the name of the text command.
func decibels(command, text string) (by float64, err error) {
	by, _, ok := words.ParseDecibels(text)
	if !ok || math.Abs(by) > 200 {
		return 0, fmt.Errorf("%s: %q is not a number of decibels, such as +1 or -3", command, words.OneLine(text))
	}
	return by, nil
}
