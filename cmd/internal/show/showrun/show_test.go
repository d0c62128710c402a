package showrun_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/cmd/internal/view/liveview"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/mixer"
	"voicepool/pcm"
)

// player is a Player that records its calls.
type player struct {
	mixer   *mixer.Mixer
	asked   []string
	playing []play.Running
	fails   error
}

func (p *player) note(format string, args ...any) {
	p.asked = append(p.asked, fmt.Sprintf(format, args...))
}

func (p *player) FireFrom(list int, from time.Duration) error {
	if p.fails == nil {
		p.note("fire %d%s", list, map[bool]string{true: " from " + from.String()}[from > 0])
	}
	return p.fails
}
func (p *player) Standby() int                         { return 0 }
func (p *player) Panic(over time.Duration)             { p.note("panic %v", over) }
func (p *player) StopCue(list int, over time.Duration) { p.note("cease %d %v", list, over) }
func (p *player) Hold(on bool)                         { p.note("hold %v", on) }
func (p *player) Playing() []play.Running              { return p.playing }
func (p *player) Finish()                              { p.note("finish") }
func (p *player) Mixer() *mixer.Mixer                  { return p.mixer }
func (p *player) Trim(list int, by pcm.Decibels)       { p.note("trim %d %v", list, by) }
func (p *player) Do(words ...string) error {
	p.note("do %s", strings.Join(words, " "))
	return p.fails
}

// take returns the calls since the last take.
func (p *player) take() string {
	defer func() { p.asked = nil }()
	return strings.Join(p.asked, ", ")
}

const sheet = `
buses: {music: {}, sfx: {mute: true}}
list:
  - {cue: 1, name: One, play: coin}
  - {cue: 2, play: coin, then: continue, wait: 1s}
  - {cue: 2.5, play: coin, arm: false}
  - {cue: 3, play: coin, then: follow}
  - {cue: 4, play: coin}
  - {cue: Q5, play: coin}
`

func newShow(t testing.TB, o showrun.Options) (*showrun.Show, *player) { return showOf(t, sheet, o) }

func showOf(t testing.TB, sheet string, o showrun.Options) (*showrun.Show, *player) {
	t.Helper()
	s, err := cue.Parse("show.yaml", []byte(sheet))
	if err != nil {
		t.Fatal(err)
	}
	config := s.Config()
	config.Meters = true
	m, err := mixer.New(config)
	if err != nil {
		t.Fatal(err)
	}
	p := &player{mixer: m}
	return showrun.New(s, p, o), p
}

// TestWords checks the calls and the errors of each text command.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		name, says string // commands, separated by semicolons
		asks, err  string // the error of the last command
		standby    string
	}{
		{name: "GO moves past the chain", says: "go;go", asks: "fire 0, fire 1", standby: "Q5"},
		{name: "GO of a cue", says: "go 2.50", err: "arm: false", standby: "1"},
		{name: "GO of a number", says: "go 4", asks: "fire 4", standby: "Q5"},
		{name: "GO at the end", says: "go Q5;go", asks: "fire 5", err: "the list is over"},
		{name: "GO of none", says: "go 7", err: `no cue of the list has the number "7"`, standby: "1"},
		{name: "load", says: "load 2.5s;go;go", asks: "fire 0 from 2.5s, fire 1", standby: "Q5"},
		{name: "load, then another", says: "load 1m;next;go;load soon", asks: "fire 1", err: "\"soon\" is not a time", standby: "Q5"},
		{name: "load, and another by its number", says: "load 3s;go 4", asks: "fire 4", standby: "Q5"},
		{name: "load at the end", says: "go Q5;load 1s", asks: "fire 5", err: "the list is over"},
		{name: "standby", says: "standby 3;go", asks: "fire 3", standby: "Q5"},
		{name: "standby of none", says: "standby Q6", err: `the nearest is "Q5"`, standby: "1"},
		{name: "next and back", says: "next;next;back;next", standby: "3"},
		{name: "before the first", says: "back", err: "the list has no further cue", standby: "1"},
		{name: "to the end, and no further", says: "next;next;next;next;next;next", err: "the list has no further cue", standby: ""},
		{name: "two words of none", says: "go Act 7", err: `no cue of the list has the number "Act 7"`, standby: "1"},
		{name: "panic", says: "panic;panic", asks: "panic 1s, panic 5ms", standby: "1"},
		{name: "pause", says: "pause;pause;go", asks: "hold true", err: "paused", standby: "1"},
		{name: "resume", says: "pause;resume;go", asks: "hold true, hold false, fire 0", standby: "2"},
		{name: "panic in a pause", says: "pause;panic", asks: "hold true, hold false, panic 1s", standby: "1"},
		{name: "pause of one", says: "pause house;resume house", asks: "do pause house, do resume house", standby: "1"},
		{name: "stop of one", says: "stop house 3s;stop house", asks: "do stop house 3s, do stop house 2s", standby: "1"},
		{name: "actions", says: "play bell gain=-3;set music gain=-6 over=1s;release a", asks: "do play bell gain=-3, do set music gain=-6 over=1s, do release a", standby: "1"},
		{name: "too few words", says: "set music", err: "set: write set ID|BUS KEY=VALUE", standby: "1"},
		{name: "too many", says: "panic now", err: "panic takes no arguments", standby: "1"},
		{name: "no command", says: "pannic", err: `unknown command "pannic"; did you mean "panic"?`, standby: "1"},
		{name: "nothing", says: " ", err: "a command is missing", standby: "1"},
		{name: "no decibels", says: "master loud", err: "master: \"loud\" is not a number of decibels", standby: "1"},
		{name: "nor that", says: "master NaN", err: "not a number of decibels", standby: "1"},
		{name: "no bus", says: "mute musik", err: `"music"`, standby: "1"},
		{name: "trims", says: "trim -1;trim -1;go;trim +2.5dB", asks: "trim 0 -1, trim 0 -1, fire 0, trim 0 2.5", standby: "2"},
		{name: "too much of a trim", says: "trim 20;trim 20", asks: "trim 0 20", err: `cue "1" would be trimmed by +40 dB`, standby: "1"},
		{name: "no trim", says: "trim loud", err: "trim: \"loud\" is not a number of decibels", standby: "1"},
		{name: "nothing to write", says: "write", err: "write: no cue is trimmed", standby: "1"},
		{name: "quit", says: "quit;go", asks: "finish", err: "the show has ended", standby: "1"},
	} {
		s, p := newShow(t, showrun.Options{})
		var err error
		for command := range strings.SplitSeq(c.says, ";") {
			err = s.Do(command)
		}
		if got := p.take(); got != c.asks {
			t.Errorf("%s: asked for %q, want %q", c.name, got, c.asks)
		}
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
		if got := s.State().Standby; got != c.standby && c.standby != "" {
			t.Errorf("%s: %q stands by, want %q", c.name, got, c.standby)
		}
	}
}

// TestGuard checks that a double press or a held key is one GO.
func TestGuard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newShow(t, showrun.Options{Guard: 300 * time.Millisecond})
		for range 50 { // a held key
			_ = s.Do("go")
			time.Sleep(30 * time.Millisecond)
		}
		if got := p.take(); got != "fire 0" {
			t.Errorf("a held key asked for %q", got)
		}
		time.Sleep(269 * time.Millisecond) // 299 ms since the last
		if err := s.Do("go 4"); err == nil {
			t.Error("a GO after 299 ms counts")
		}
		time.Sleep(300 * time.Millisecond)
		if err := s.Do("go 4"); err != nil || p.take() != "fire 4" {
			t.Errorf("a GO after 300 ms: %v", err)
		}
	})
}

// TestPanicAgain checks that only a second panic during the first fade is immediate.
func TestPanicAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p := newShow(t, showrun.Options{})
		for _, pause := range []time.Duration{999 * time.Millisecond, 2 * time.Second, 500 * time.Millisecond, 600 * time.Millisecond} {
			_ = s.Do("panic")
			time.Sleep(pause)
		}
		if got := p.take(); got != "panic 1s, panic 5ms, panic 1s, panic 5ms" {
			t.Errorf("asked for %q", got)
		}
	})
}

// TestStop checks that all running and waiting cues are stopped.
func TestStop(t *testing.T) {
	s, p := newShow(t, showrun.Options{})
	p.playing = []play.Running{{List: 1}, {List: 4, Waiting: true}}
	if err := errors.Join(s.Do("stop"), s.Do("stop 500ms")); err != nil {
		t.Fatal(err)
	}
	if got := p.take(); got != "cease 1 2s, cease 4 2s, cease 1 500ms, cease 4 500ms" {
		t.Errorf("asked for %q", got)
	}
}

// TestState checks the state for screens.
func TestState(t *testing.T) {
	s, p := newShow(t, showrun.Options{})
	p.playing = []play.Running{{List: 0, StartFrame: 48000, Remaining: 24000}, {List: 4, StartFrame: -1, Remaining: -1, Waiting: true}}
	if err := errors.Join(s.Do("go"), s.Do("master -3"), s.Do("mute music"), s.Do("unmute sfx")); err != nil {
		t.Fatal(err)
	}
	p.mixer.Render(make([]pcm.Frame, 96000))
	s.SetPicture(liveview.Picture{Output: liveview.Output{Device: "pulse", Sink: "hall", State: "playing", Latency: 35 * time.Millisecond}, Failures: []string{"one"}})
	s.SetPicture(liveview.Picture{Failures: []string{"one", "two"}})
	st := s.State()
	if st.Standby != "2" || st.Last != "1" || st.Time != 2 || st.Show != "show.yaml" || len(st.List) != 6 || st.List[0].Name != "One" || st.List[1].Name != "play coin" || st.List[2].Armed {
		t.Errorf("%+v", st)
	}
	half := 0.5
	want := []showrun.Running{{Cue: "1", Name: "One", State: "sounding", Elapsed: 1, Remaining: &half}, {Cue: "4", Name: "play coin", State: "waiting"}}
	if len(st.Running) != 2 || *st.Running[0].Remaining != half || st.Running[0].Elapsed != want[0].Elapsed || st.Running[1] != want[1] {
		t.Errorf("running %+v", st.Running)
	}
	if !reflect.DeepEqual(st.Buses, []showrun.Bus{{Bus: "master", Gain: -3, Peak: -120}, {Bus: "music", Mute: true, Peak: -120}, {Bus: "sfx", Peak: -120}}) {
		t.Errorf("buses %+v", st.Buses)
	}
	if got := strings.Join(st.Events, "|"); got != "go 1|one|two" {
		t.Errorf("said %q", got)
	}
}

// TestWatch checks that watchers get events, and that a slow reader loses some.
func TestWatch(t *testing.T) {
	s, _ := newShow(t, showrun.Options{})
	quick, slow := make(chan string, 10), make(chan string, 1)
	s.Watch(quick)
	s.Watch(slow)
	for _, command := range []string{"go", "pause", "resume", "panic"} {
		if err := s.Do(command); err != nil {
			t.Fatal(err)
		}
	}
	s.Unwatch(quick)
	_ = s.Do("quit")
	close(quick)
	var got []string
	for line := range quick {
		got = append(got, line)
	}
	if strings.Join(got, "|") != "go 1|pause|resume|panic" || len(slow) != 1 {
		t.Errorf("told %q, and %d", got, len(slow))
	}
}

// TestAnyCommands checks random commands. Standby is always an armed cue or the end of the list, a
// GO fires the cue on standby, and no GO succeeds within the guard.
func TestAnyCommands(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(*testing.T) {
			s, p := newShow(t, showrun.Options{Guard: 300 * time.Millisecond})
			last := time.Time{}
			for range rapid.IntRange(1, 100).Draw(rt, "commands") {
				command := rapid.SampledFrom([]string{"go", "go", "go", "go 1", "go 2.5", "go 4", "standby 3", "standby 2.5", "next", "back", "panic", "pause", "resume", "stop", "x"}).Draw(rt, "command")
				time.Sleep(time.Duration(rapid.IntRange(0, 600).Draw(rt, "ms")) * time.Millisecond)
				before := s.State()
				err := s.Do(command)
				after := s.State()
				asked := p.take()
				if strings.HasPrefix(command, "go") {
					if fired := strings.HasPrefix(asked, "fire"); fired != (err == nil) || fired && (time.Since(last) < 300*time.Millisecond || before.Paused) {
						rt.Fatalf("%s: %v, asked for %q, %v after the last", command, err, asked, time.Since(last))
					}
					if command != "go 2.5" && !before.Paused && (command != "go" || before.Standby != "") { // otherwise there is no cue to start
						last = time.Now()
					}
					if want := slices.IndexFunc(after.List, func(c showrun.ListCue) bool { return c.Cue == before.Standby }); command == "go" && err == nil && asked != fmt.Sprintf("fire %d", want) {
						rt.Fatalf("%s asked for %q, want %d", command, asked, want)
					}
				} else if strings.Contains(asked, "fire") {
					rt.Fatalf("%s asked for %q", command, asked)
				}
				if i := slices.IndexFunc(after.List, func(c showrun.ListCue) bool { return c.Cue == after.Standby }); after.Standby != "" && (i < 0 || !after.List[i].Armed) {
					rt.Fatalf("%s: %q stands by", command, after.Standby)
				}
			}
		})
	})
}

// TestWrite checks that trims are written into the sheet, and that after an error the sheet is
// unchanged.
func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "show.yaml")
	text := "# a show\nlist:\n  - {cue: 1, play: coin}   # first\n  - {cue: 2, play: coin, gain: -3}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sheet, err := cue.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mixer.New(sheet.Config())
	if err != nil {
		t.Fatal(err)
	}
	s := showrun.New(sheet, &player{mixer: m}, showrun.Options{})
	for _, command := range []string{"trim -1", "go", "go", "trim -1", "trim -0.5", "write"} {
		if err := s.Do(command); err != nil {
			t.Fatal(command, err)
		}
	}
	want := "# a show\nlist:\n  - {cue: 1, play: coin, gain: -1}   # first\n  - {cue: 2, play: coin, gain: -4.5}\n"
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s, %v, want\n%s", got, err, want)
	}
	if st := s.State(); st.List[0].Trim != 0 || s.Do("write") == nil {
		t.Error("the trims are written twice")
	}
	if err := os.WriteFile(file, []byte("list: [broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = s.Do("trim -1")
	if err := s.Do("write"); err == nil || s.State().List[1].Trim != -1 {
		t.Errorf("into a broken sheet: %v", err)
	}
	if got, _ := os.ReadFile(file); string(got) != "list: [broken" {
		t.Errorf("it is %q now", got)
	}
}
