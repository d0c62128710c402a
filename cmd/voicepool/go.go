package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/alecthomas/kong"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/flagtype"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/cmd/internal/serve/remote"
	"voicepool/cmd/internal/show/lineproto"
	"voicepool/cmd/internal/show/liveplay"
	"voicepool/cmd/internal/show/operator"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/cmd/internal/show/showtui"
	"voicepool/cue"
	"voicepool/cue/play"
)

// controlFlags are the flags of commands whose shows can be controlled while they run.
type controlFlags struct {
	Control string         `placeholder:"WHERE" help:"Accept commands, one per line, and answer each with a line of JSON: - is standard input and output, unix:PATH a socket."`
	Midi    string         `predictor:"file" placeholder:"FILE" help:"Follow a MIDI device such as /dev/snd/midiC1D0, or a pipe, with the table midi of the sheet and MIDI Show Control."`
	Guard   *flagtype.Time `placeholder:"TIME" help:"Ignore another GO within this time (300ms)."`
}

// open opens the controls that the flags and o name: standard input, a socket, MIDI, keys, the screen. The result
// controls a show of sheet. The caller must close it.
func (f controlFlags) open(c *console.Console, sheet *cue.Sheet, o operator.Options) (*operator.Console, error) {
	o.Guard = f.guard()
	o.Control, o.Midi, o.In, o.Out = f.Control, f.Midi, c.In, c.Out
	o.Print = func(line string) {
		if o.Screen == nil || c.ErrTerminal == nil { // otherwise the message would overwrite the screen
			c.Say("%s", line)
		}
	}
	return operator.Open(sheet, o)
}

// guard returns the guard time of GOs, by --guard or by default.
func (f controlFlags) guard() time.Duration {
	if f.Guard == nil {
		return showrun.Guard
	}
	return rules.Time(*f.Guard).Duration(1_000_000)
}

// check returns a usage error for an invalid --control, and if the flags l need standard output, too.
func (f controlFlags) check(l *liveFlags) error {
	switch path, unix := strings.CutPrefix(f.Control, "unix:"); {
	case f.Control != "" && f.Control != "-" && (!unix || path == ""):
		return console.Usage("--control: %s: want - for standard input and output, or unix:PATH for a socket", oneLine(f.Control))
	case f.Control == "-" && (l.JSON || l.Report == "-" || l.Device.Standard()):
		return console.Usage("--control - needs standard output for its answers; write the rest to files")
	}
	return nil
}

type goCommand struct {
	Sheet string `arg:"" optional:"" predictor:"sheet" help:"Cue sheet (YAML or JSON) with a list of cues; - is standard input. With --to: the number of a cue; default: the standby cue."`
	remote.Flags
	goesFlag
	fromFlags
	controlFlags
	liveFlags
	foldFlag
	RecordGoes string `name:"record-goes" placeholder:"FILE" help:"Write the time and the cue of each GO, for --goes, to a new or empty file."`
}

// Run plays a show whose cues wait for GO until it ends or a signal interrupts it. With --to it sends GO to a room
// instead. A lost terminal does not end the show.
func (g *goCommand) Run(c *console.Console, app *kong.Context) error {
	switch {
	case g.To != "" && serverFlags(app) != nil:
		return serverFlags(app)
	case g.To != "" && g.Sheet != "":
		return g.Flags.Command(c, "go", g.Sheet)
	case g.To != "":
		return g.Flags.Command(c, "go")
	case g.Sheet == "":
		return console.Usage("the argument <sheet> is missing; voicepool go --help shows the usage")
	}
	if err := cmp.Or(g.fromFlags.check(), g.liveFlags.check(), g.controlFlags.check(&g.liveFlags)); err != nil {
		return err
	}
	if g.Goes != "" && g.From == nil && g.Cue == "" {
		return console.Usage("--goes needs --from or --cue: GOs of the file before that point count as given; the operator gives the others")
	}
	console.IgnoreHangups() // the show continues if its terminal is lost
	interrupted := c.Listen()
	defer interrupted.Close()
	sheet, err := loadSheet(interrupted, g.Sheet)
	if err != nil {
		return err
	}
	if len(sheet.List) == 0 {
		return console.Usage("%s: the sheet has no `list` of cues that wait for GO; voicepool run plays it", oneLine(g.Sheet))
	}
	g.fold(c, sheet)
	if err := g.outputs().And("--record-goes", " ", g.RecordGoes).CheckDistinct(g.addInput(outfiles.SheetInputs(c.In, g.Sheet, sheet))); err != nil {
		return err
	}
	if err := g.goesFlag.read(sheet); err != nil {
		return err
	}
	var draw func(*showrun.Show)
	// If the sheet comes from standard input, keys are read from /dev/tty.
	if c.OutTerminal != nil && (c.InTerminal != nil || g.Sheet == "-") && g.Control != "-" && !g.Quiet && !g.Verbose {
		t, err := tcell.NewScreen()
		if err != nil {
			return fmt.Errorf("cannot draw on this terminal: %w; run the show without a screen by --control or -q", err)
		}
		// If the terminal is lost, the operator can return with attach.
		draw = func(s *showrun.Show) {
			operator.DiscardInput()
			_ = showtui.Run(interrupted, t, false, lineproto.Local(s))
		}
	}
	b, err := g.open(c, sheet, operator.Options{Sheet: g.Sheet, Device: g.Device.String(), Goes: g.RecordGoes, Screen: draw, NoScreen: draw == nil && g.Control != "-"})
	if err != nil {
		return err
	}
	o := liveplay.Options{Title: "go " + oneLine(g.Sheet), Player: play.Options{Live: true}, StartControls: b.StartControls, OnPicture: b.ShowPicture, OnSent: b.Report, HasScreen: draw != nil, Silent: g.Control == "-", Hint: b.Hint}
	o.Sheet, o.LoadAgain, o.ChangeSheet, o.OnMessage = g.Sheet, reloader(g.Sheet, g.goesFlag, g.Fold), b.ChangeSheet, b.Report
	g.setStart(&o.Player)
	return closeControls(c, b, g.explain(g.perform(c, interrupted, sheet, o)))
}

// closeControls closes the controls b after a show that has ended with err. It returns err, or, if err is nil, the
// error of closing. If both failed, it prints the error of closing.
func closeControls(c *console.Console, b *operator.Console, err error) error {
	closed := b.Close()
	if err == nil || closed == nil {
		return cmp.Or(err, closed)
	}
	c.Say("%s", console.Message(closed))
	return err
}

type sendCommand struct {
	Words []string `arg:"" name:"command" passthrough:"" help:"Address of the show (unix:PATH) and a command: go, go 2.5, standby 3, panic, stop house 2s, state; help lists all. With --to: only the command, for a room; help is not available."`
	remote.Flags
}

// sendPatience is the time limit of a show's answer.
const sendPatience = 5 * time.Second

// Run sends a command to a running show, or with --to to a room, and prints the answer. It waits at most 5 s for the
// answer of a show. A refused command is a usage error.
func (s *sendCommand) Run(c *console.Console) error {
	address := s.Words[0]
	if s.To != "" && !strings.HasPrefix(address, "unix:") {
		return s.Flags.Command(c, s.Words...)
	}
	command := strings.Join(s.Words[1:], " ")
	switch bare := strings.TrimSpace(command) == ""; { // a bare line would get no answer
	case bare && !strings.HasPrefix(address, "unix:"):
		return console.Usage("%s: the address of the show is missing; write unix:PATH before the command, or use --to URL", oneLine(address))
	case bare:
		return console.Usage("a command is missing, such as: voicepool send %s go", oneLine(address))
	}
	conn, err := lineproto.Dial(address)
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(sendPatience))
	line, err := lineproto.RoundTrip(conn, bufio.NewReader(conn), command)
	if err != nil {
		return fmt.Errorf("%s: %w", oneLine(address), cause(err))
	}
	fmt.Fprintf(c.Out, "%s", line)
	var answer lineproto.Answer
	if json.Unmarshal(line, &answer) == nil && !answer.OK {
		return console.Usage("%s", answer.Error)
	}
	return nil
}
