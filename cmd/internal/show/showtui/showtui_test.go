package showtui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gdamore/tcell/v2"

	"voicepool/cmd/internal/show/lineproto"
	"voicepool/cmd/internal/show/showrun"
	"voicepool/cmd/internal/view/liveview"
)

// fake is a show that records commands.
type fake struct {
	state showrun.State
	asked []string
	fails string // the error of every command except state
	gone  error
}

func (f *fake) ask(command string) (*lineproto.Answer, error) {
	if f.gone != nil {
		return nil, f.gone
	}
	if command == "state" {
		return &lineproto.Answer{OK: true, State: &f.state}, nil
	}
	f.asked = append(f.asked, command)
	return &lineproto.Answer{OK: f.fails == "", Error: f.fails}, nil
}

func newFake() *fake {
	left := 61.24
	f := &fake{state: showrun.State{
		Show: "show.yaml", Time: 12.34, Device: "pulse", Sink: "hall", OutputState: "playing", LatencyMS: 35, Standby: "2.5",
		List: []showrun.ListCue{
			{Cue: "1", Name: "House music", Then: "wait", Armed: true},
			{Cue: "2", Name: "和太鼓 e\u0301", Colour: "red", Then: "continue", Armed: true, Trim: -3},
			{Cue: "2.5", Name: "Thunder", Note: "wait for the lamp", Then: "follow", Armed: true},
			{Cue: "Q8", Name: "Spare\x1b[31m", Then: "wait"},
		},
		Running: []showrun.Running{{Cue: "1", State: "sounding", Elapsed: 3.21, Remaining: &left}, {Cue: "2", State: "waiting"}},
		Buses:   []showrun.Bus{{Bus: "master", Peak: -6}, {Bus: "music", Peak: -120}, {Bus: "sfx", Mute: true, Peak: -120}},
		Voices:  []liveview.Voice{{Sound: "song", Level: -14, State: "playing"}, {Slot: 1, Sound: "rain", Level: -120, State: "paused"}},
		Pool:    32, Playing: 2, Stolen: 1, Events: []string{"go 1"},
	}}
	return f
}

// drawn returns the lines on a screen.
func drawn(t testing.TB, f *fake, w, h int) (*screen, []string) {
	t.Helper()
	sim := tcell.NewSimulationScreen("UTF-8")
	if err := sim.Init(); err != nil {
		t.Fatal(err)
	}
	defer sim.Fini()
	sim.SetSize(w, h)
	s := &screen{send: f.ask, now: time.Now}
	s.refresh()
	s.draw(sim)
	sim.Show()
	return s, text(sim)
}

func text(sim tcell.SimulationScreen) (lines []string) {
	cells, w, h := sim.GetContents()
	for y := range h {
		var b strings.Builder
		for x := 0; x < w; x++ {
			b.WriteString(string(cells[y*w+x].Runes))
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}

// TestDraw checks the screen at several terminal sizes.
func TestDraw(t *testing.T) {
	_, lines := drawn(t, newFake(), 80, 24)
	all := strings.Join(lines, "\n")
	for _, want := range []string{
		" show.yaml  12.3", "pulse hall, playing, 35 ms", "  1    House music", "3.2 -1:01.2", "  2  + 和", "-3 dB waits",
		"> 2.5+ Thunder  wait for the lamp", "x Q8   Spare", "master", " -6", "muted", "2 of 32 voices, 1 stolen", "song", "paused", " GO: 2.5 Thunder", " go 1    ?: keys",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not on the screen\n%s", want, all)
		}
	}
	if strings.Contains(all, ", then Q8") {
		t.Error("a cue that is not armed is said to go on")
	}
	if strings.Contains(all, "\x1b") {
		t.Error("a name reaches the terminal as it is")
	}
	for _, size := range [][2]int{{60, 15}, {120, 40}, {40, 10}, {20, 6}, {19, 5}, {1, 1}, {200, 60}} {
		f := newFake()
		for i := range 300 {
			f.state.List = append(f.state.List, showrun.ListCue{Cue: fmt.Sprint("x", i), Name: strings.Repeat("長い名前", i%20), Armed: true, Then: "wait"})
			f.state.Voices = append(f.state.Voices, liveview.Voice{Slot: i, Sound: "a", State: "playing"})
		}
		f.state.Standby = f.state.List[200].Cue
		f.state.List[200].Name = "here"
		if _, lines := drawn(t, f, size[0], size[1]); size[0] >= 40 && !strings.Contains(strings.Join(lines, "\n"), "here") {
			t.Errorf("%v: what stands by is not on the screen\n%s", size, strings.Join(lines, "\n"))
		}
	}
}

// TestRacks checks that effects appear below their bus, with their bypass and gain reduction. If
// there is little room, buses have priority.
func TestRacks(t *testing.T) {
	f := newFake()
	f.state.Buses[1].Effects = []showrun.BusEffect{{Effect: "tone", Kind: "eq"}, {Effect: "hall", Kind: "reverb", Bypass: true}, {Effect: "compressor", Kind: "compressor"}}
	f.state.Buses[1].Reduction = 3.2
	f.state.Buses[2].Effects = []showrun.BusEffect{{Effect: "re\x1b[31mverb", Kind: "reverb"}}
	_, lines := drawn(t, f, 100, 24)
	for y, want := range []string{"master", "music", "  tone  hall off  compressor     -3.2 dB", "sfx", "  re", "2 of 32 voices"} {
		if !strings.Contains(lines[2+y], want) {
			t.Errorf("line %d is %q, without %q", 2+y, lines[2+y], want)
		}
	}
	f.state.Buses[1].Reduction = 0
	for range 9 {
		f.state.Buses[1].Effects = append(f.state.Buses[1].Effects, showrun.BusEffect{Effect: "delay"})
	}
	_, lines = drawn(t, f, 100, 8)
	all := strings.Join(lines, "\n")
	for _, want := range []string{"master", "music", "sfx", "2 of 32 voices"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not on a low screen\n%s", want, all)
		}
	}
	f.state.Buses[1].Reduction = 24
	if _, lines = drawn(t, f, 100, 24); !strings.HasSuffix(lines[4], " -24.0 dB") || !strings.Contains(lines[4], "  tone  hall off") || strings.Contains(lines[4], "\x1b") {
		t.Errorf("a long rack is %q", lines[4])
	}
}

// TestAlarms checks that lost sound and a pause appear on the second line.
func TestAlarms(t *testing.T) {
	f := newFake()
	f.state.Paused = true
	if _, lines := drawn(t, f, 80, 24); !strings.Contains(lines[1], "PAUSED") {
		t.Errorf("%q", lines[1])
	}
	f.state.Lost = "since 12.4 s: server gone; looking"
	if _, lines := drawn(t, f, 80, 24); lines[1] != " NO SOUND since 12.4 s: server gone; looking" {
		t.Errorf("%q", lines[1])
	}
}

// press sends keys to a screen.
func press(s *screen, keys ...any) {
	for _, k := range keys {
		switch k := k.(type) {
		case rune:
			s.key(tcell.NewEventKey(tcell.KeyRune, k, 0))
		case string:
			for _, r := range k {
				s.key(tcell.NewEventKey(tcell.KeyRune, r, 0))
			}
		case tcell.Key:
			s.key(tcell.NewEventKey(k, 0, 0))
		}
	}
}

// TestKeys checks the command of each key.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []any
		want string
	}{
		{"GO", []any{' '}, "go"},
		{"nothing else is GO", []any{tcell.KeyEnter, 'x', 'y', '2', tcell.KeyTab, tcell.KeyRight}, ""},
		{"a held key: the guard is the show's", []any{' ', ' ', ' '}, "go|go|go"},
		{"standby", []any{tcell.KeyDown, tcell.KeyUp, tcell.KeyUp}, "next|back|back"},
		{"panic", []any{tcell.KeyEscape, tcell.KeyEscape}, "panic|panic"},
		{"stop", []any{'s'}, "stop"},
		{"pause", []any{'P'}, "pause"},
		{"a number", []any{'g', "2.", 'x', tcell.KeyBackspace2, "5", tcell.KeyEnter}, "standby 2.5"},
		{"a space in a number is no GO", []any{'g', " 3 ", tcell.KeyEnter}, "standby 3"},
		{"a number that is given up", []any{'g', "2", tcell.KeyEscape, ' '}, "go"},
		{"no number", []any{'g', tcell.KeyEnter}, ""},
		{"master", []any{"+=-"}, "master +1|master +1|master -1"},
		{"mute", []any{'m', "music", tcell.KeyEnter}, "mute music"},
		{"unmute", []any{'m', "sfx", tcell.KeyEnter}, "unmute sfx"},
		{"trims", []any{"[]w"}, "trim -1|trim +1|write"},
		{"help takes a key", []any{'?', ' ', ' '}, "go"},
		{"Q once", []any{'q'}, ""},
		{"Q twice", []any{'q', 'Q'}, "quit"},
	} {
		f := newFake()
		s, _ := drawn(t, f, 80, 24)
		press(s, c.keys...)
		if got := strings.Join(f.asked, "|"); got != c.want {
			t.Errorf("%s: asked for %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPaste checks that pasted text sends no commands.
func TestPaste(t *testing.T) {
	f := newFake()
	s, _ := drawn(t, f, 80, 24)
	_ = s.handle(nil, tcell.NewEventPaste(true))
	press(s, "  qq s", tcell.KeyEnter, tcell.KeyEscape)
	_ = s.handle(nil, tcell.NewEventPaste(false))
	if len(f.asked) > 0 {
		t.Errorf("asked for %q", f.asked)
	}
	press(s, ' ')
	if len(f.asked) != 1 {
		t.Errorf("after the paste asked for %q", f.asked)
	}
}

// TestErrors checks that errors of the show appear on the last line for a while, and that the
// second Q has a time limit.
func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.fails = "no cue of the list has the number \"7\""
		s, _ := drawn(t, f, 80, 24)
		sim := tcell.NewSimulationScreen("UTF-8")
		if err := sim.Init(); err != nil {
			t.Fatal(err)
		}
		defer sim.Fini()
		press(s, 'g', "7", tcell.KeyEnter)
		s.draw(sim)
		sim.Show()
		if last := text(sim)[24]; last != " "+f.fails {
			t.Errorf("%q", last)
		}
		press(s, 'q')
		time.Sleep(quitWindow)
		press(s, 'q')
		if got := strings.Join(f.asked, "|"); got != "standby 7" {
			t.Errorf("asked for %q", got)
		}
		time.Sleep(messageTime)
		s.draw(sim)
		sim.Show()
		if last := text(sim)[24]; last != " go 1    ?: keys" {
			t.Errorf("%q", last)
		}
	})
}

// TestRun checks that Run ends with the show, and that an attached operator can leave.
func TestRun(t *testing.T) {
	f := newFake()
	gone := errors.New("gone")
	for _, c := range []struct {
		name     string
		attached bool
		gone     error
		want     error
	}{
		{name: "the show has ended", gone: gone},
		{name: "it has ended elsewhere", attached: true, gone: gone, want: gone},
		{name: "left", attached: true, want: ErrLeft},
	} {
		sim := tcell.NewSimulationScreen("UTF-8")
		f.gone = c.gone
		ask := func(command string) (*lineproto.Answer, error) {
			if c.gone == nil { // the terminal is initialized
				_ = sim.PostEvent(tcell.NewEventKey(tcell.KeyCtrlC, 0, 0)) // full: there already is one
			}
			return f.ask(command)
		}
		if err := Run(context.Background(), sim, c.attached, ask); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

// TestMessageGoes checks that a successful key clears an earlier error.
func TestMessageGoes(t *testing.T) {
	f := newFake()
	s, _ := drawn(t, f, 80, 24)
	s.showMessage("no such cue")
	if press(s, ' '); s.message != "" {
		t.Errorf("%q stays after a GO", s.message)
	}
}
