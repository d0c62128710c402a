package cue_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/bounds"
	"voicepool/internal/longtest"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/library"
)

// parse parses a valid sheet.
func parse(t testing.TB, text string) *cue.Sheet {
	t.Helper()
	s, err := cue.Parse("sheet.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wholeSheet is the sheet of the documentation without its stream.
const wholeSheet = `
voices: 16                     # slots
virtual: 0
overflow: grow
grow: {step: 8, max: 128, idle: 2s}
rate: 44100
seed: 7
length: 60s
refuse: true
quality: linear
master: {gain: -1, limiter: false}
buses:
  sfx:   {gain: 0, voices: 24, mute: true, pan: 0.5, pitch: -1}
  music: {gain: -6, duck: {when: sfx, by: 9, attack: 20ms, release: 300ms}}
sounds:
  boom:  {file: sfx/boom.ogg, gain: -3, priority: 5, limit: 4, cooldown: 50ms, bus: sfx}
  step:  {files: [step1.wav, step2.wav], pick: shuffle, gain: [-6, -3], pitch: [-1, 1]}
  song:  {file: music/theme.flac, stream: false, loop: true, speed: 0.5, lufs: -18, replaygain: true}
  coin:
  zap: zap.wav
cues:
  - {at: 0s, play: song, id: theme, bus: music, loop: true, fade_in: 2s}
  - {at: 1.5s, play: boom, gain: -6, pan: -0.5, pitch: 2}
  - {at: 1.5s, play: step, every: 400ms, times: 20}
  - {at: 1.5s, play: step, every: 400ms, until: 9s}
  - {at: 3s, play: boom, from: 100ms, for: 800ms, priority: 9, protect: true}
  - {at: 8s, set: theme, pan: 0.3, speed: 0.9, over: 500ms}
  - {at: 9s, pause: theme}
  - {at: 9.5s, resume: theme}
  - {at: 10s, fade: theme, to: -60, over: 2s}
  - {at: 11s, set: sfx, gain: -12, mute: false, over: 100ms}
  - {at: 12s, stop: theme, over: 20ms}
  - {at: 13s, stop: all}
  - {at: 14, play: glass}
  - at: 15
    play: ./x.wav
`

// TestParseWhole checks the parsed fields of a sheet that uses many keys.
func TestParseWhole(t *testing.T) {
	s := parse(t, wholeSheet)
	if s.Voices != 16 || s.Overflow != mixer.GrowPool || s.Rate != 44100 || s.Seed != 7 || s.Length.String() != "60s" ||
		!s.Refuse || s.Quality != sounds.Linear || !reflect.DeepEqual(s.Master, rules.Master{Gain: -1}) {
		t.Errorf("the head of the sheet came as %+v", s)
	}
	if g := s.Grow; g.Step != 8 || g.Max != 128 || g.Idle.String() != "2s" {
		t.Errorf("grow came as %+v", g)
	}
	if b := s.Buses[0]; b.Name != "sfx" || b.Voices != 24 || !b.Mute || b.Pan != 0.5 || b.Pitch != -1 {
		t.Errorf("the first bus came as %+v", b)
	}
	if b := s.Buses[1]; b.Gain != -6 || b.Duck == nil || b.Duck.When != "sfx" || b.Duck.By != 9 || b.Duck.Release.String() != "0.3s" {
		t.Errorf("the second bus came as %+v", b)
	}
	var names []string
	for _, v := range s.Sounds {
		names = append(names, fmt.Sprint(v.Name, " ", v.Listed))
	}
	if got := strings.Join(names, ", "); got != "boom true, step true, song true, coin true, zap true, glass false, ./x.wav false" {
		t.Errorf("the sounds are %s", got)
	}
	if v := s.Sounds[1]; v.Gain != (rules.Range{From: -6, To: -3}) || v.Pitch != (rules.Range{From: -1, To: 1}) || v.Pick != rules.PickShuffle || len(v.Files) != 2 {
		t.Errorf("step came as %+v", v)
	}
	if v := s.Sounds[2]; v.Leveling != (library.Leveling{LUFS: -18, Tags: true}) {
		t.Errorf("song came as %+v", v)
	}
	play := func(i int) *cue.Play { return s.Cues[i].Action.(*cue.Play) }
	if c := play(1); c.Bus != "sfx" || c.Priority != 5 || c.Gain != -6 || c.Pan != -0.5 || c.Pitch != 2 || s.Cues[1].Line != 23 || s.Cues[1].Column != 5 {
		t.Errorf("the cue takes from its sound what it does not say: %+v", c)
	}
	if c := play(4); c.Priority != 9 || !c.Protect || c.From.String() != "0.1s" || c.For.String() != "0.8s" {
		t.Errorf("the cue replaces what its sound says: %+v", c)
	}
	if got, want := s.Cues[2].Times, uint64(20); got != want {
		t.Errorf("%d repetitions, want %d", got, want)
	}
	if got, want := s.Cues[3].Times, uint64(19); got != want { // 1.5 + 18 x 0.4 = 8.7, the next would be 9.1
		t.Errorf("%d repetitions until 9s, want %d", got, want)
	}
	if c := s.Cues[9].Action.(*cue.Set); c.Target.Scope != cue.OnBus || c.Change.Fields != mixer.FieldGain|mixer.FieldMute || c.Change.Gain != -12 {
		t.Errorf("set came as %+v", c)
	}
	if c := s.Cues[8].Action.(*cue.Set); c.Target.Scope != cue.OnID || c.Change.Fields != mixer.FieldGain || c.Change.Gain != pcm.Decibels(-60) || c.Over.String() != "2s" {
		t.Errorf("fade came as %+v", c)
	}
}

// TestParseDefaults checks the defaults of an empty sheet.
func TestParseDefaults(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n", "{}", "cues: []", "{\"cues\": []}"} {
		s := parse(t, text)
		if s.Voices != 32 || s.Rate != 48000 || s.Seed != 1 || s.Length != nil || !s.Master.Limiter || s.Overflow != mixer.StealQuietest || len(s.Cues) != 0 {
			t.Errorf("%q came as %+v", text, s)
		}
	}
}

// TestSameInEveryStyle parses a sheet in block style, in flow style, as JSON, with anchors, with Windows line
// ends and with a byte order mark.
func TestSameInEveryStyle(t *testing.T) {
	want := parse(t, "voices: 4\ncues:\n  - {at: 1s, play: coin, gain: -6}\n  - {at: 2s, play: coin, gain: -6}\n")
	for _, text := range []string{
		"voices: 4\ncues:\n- at: 1s\n  play: coin # a coin\n  gain: -6\n-\n  at: 2s\n  play: \"coin\"\n  gain: -6\n",
		"{\"voices\": 4,\n\t\"cues\": [{\"at\": 1, \"play\": \"coin\", \"gain\": -6.0},\n\t\t{\"at\": 2e0, \"play\": \"coin\", \"gain\": -6}]}",
		"---\nvoices: 4\ncues: [{at: 1s, play: coin, gain: &g -6},\n  {at: 2s, play: 'coin', gain: *g}]\n...\n",
		`{"voices":4,"cues":[{"at":1,"play":"coin","gain":-6},{"at":2,"play":"\u0063oin","gain":-60e-1}]}`,
		"voices: 4\r\ncues:\r\n  - {at: 1s, play: coin, gain: -6}\r\n  - {at: 2s, play: coin, gain: -6}\r\n",
		"\ufeffvoices: 4\ncues:\n  - {at: 1s, play: coin, gain: -6,}\n  - at:\n      2s\n    play: \"c\\u006fin\"\n    gain:\n      -6\n",
	} {
		got := parse(t, text)
		for i := range got.Cues {
			got.Cues[i].Line, got.Cues[i].Column = want.Cues[i].Line, want.Cues[i].Column
		}
		if !reflect.DeepEqual(got.Cues, want.Cues) || got.Voices != 4 {
			t.Errorf("%q:\ncame as %+v,\nwant    %+v", text, got.Cues, want.Cues)
		}
	}
}

// TestFaults compares all messages of faulty sheets with testdata/faults.txt, which has sheets followed by
// their messages.
func TestFaults(t *testing.T) {
	data, err := os.ReadFile("testdata/faults.txt")
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(string(data), "=====\n")
	for _, c := range cases[1:] {
		sheet, want, ok := strings.Cut(c, "-----\n")
		if !ok {
			t.Fatalf("a case without an answer:\n%s", c)
		}
		sheet = strings.ReplaceAll(sheet, "<TAB>", "\t")
		s, err := cue.Parse("s.yaml", []byte(sheet))
		if err == nil {
			err = bounds.CheckRender(s)
		}
		if err == nil {
			t.Errorf("nothing is wrong with\n%s", sheet)
			continue
		}
		if !errors.Is(err, rules.ErrFile) || errors.Is(err, rules.ErrSound) {
			t.Errorf("%v is not an ErrSheet", err)
		}
		if got := err.Error() + "\n"; got != want {
			t.Errorf("the sheet\n%sgot\n%swant\n%s", sheet, got, want)
		}
	}
	if len(cases) < 50 {
		t.Errorf("only %d cases were found", len(cases))
	}
}

// TestNotText checks the errors of sheets that are not valid text, too large or nested too deeply.
func TestNotText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a: \xff\n", "x:1:4: the sheet is not UTF-8 text"},
		{"voices: 3\n\x00", "x:2:1: the sheet has a control character here; it must be a text"},
		{strings.Repeat("#\n", 9<<20), "x: the sheet has more than 16 MiB"},
		{strings.Repeat("[", 100000), "x:1:32: this is nested deeper than 32 levels"},
		{strings.Repeat("- ", 100000), "x:1:65: this is nested deeper than 32 levels"},
		{strings.Repeat("{a: ", 100000), "x:1:125: this is nested deeper than 32 levels"},
		{"[" + strings.Repeat("&a ", 100000), "x:1:5: unexpected \"&a\"; is the indentation right?"},
		{strings.Repeat("&a ", 100000), "x:1:4: unexpected \"&a\"; is the indentation right?"},
		{"voices: " + strings.Repeat("9", 70000), "x:1:9: this text is longer than 65536 bytes"},
	} {
		_, err := cue.Parse("x", []byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%.20q...: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestLoadSheet loads a file, a missing file and a folder.
func TestLoadSheet(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.yaml")
	if err := os.WriteFile(path, []byte("voices: 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := cue.Load(path); err != nil || s.Voices != 3 || s.File != path {
		t.Errorf("Load gave %+v, %v", s, err)
	}
	missing := filepath.Join(dir, "none.yaml")
	if _, err := cue.Load(missing); !errors.Is(err, os.ErrNotExist) || errors.Is(err, rules.ErrFile) || strings.Count(err.Error(), missing) != 1 {
		t.Errorf("a missing sheet: %v", err)
	}
	if _, err := cue.Load(dir); err == nil || errors.Is(err, rules.ErrFile) {
		t.Errorf("a directory: %v", err)
	}
}

// manyCues returns a sheet with n cues in flow or block style.
func manyCues(n int, block bool) []byte {
	var b strings.Builder
	b.WriteString("cues:\n")
	for i := range n {
		if block {
			fmt.Fprintf(&b, "  - at: %d.%ds\n    play: coin\n    gain: -6.5\n    pan: -0.5\n    pitch: 2\n", i/10, i%10)
		} else {
			fmt.Fprintf(&b, "  - {at: %d.%ds, play: coin, gain: -6.5, pan: -0.5, pitch: 2}\n", i/10, i%10)
		}
	}
	return []byte(b.String())
}

// BenchmarkParse20000 measures parsing a sheet of 20,000 cues in flow and block style.
func BenchmarkParse20000(b *testing.B) {
	for name, block := range map[string]bool{"flow": false, "block": true} {
		src := manyCues(20000, block)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, err := cue.Parse("x", src)
				if err != nil || len(s.Cues) != 20000 {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestErrorsAreInOrder checks that the errors of a sheet are sorted by line and column.
func TestErrorsAreInOrder(t *testing.T) {
	_, err := cue.Parse("s", []byte("cues: [{at: 1, stop: nobody}, {}]\nrate: 1\nvoices: 0\n"))
	var all rules.Errors
	if !errors.As(err, &all) {
		t.Fatalf("%T is no Errors", err)
	}
	if len(all) < 4 || !slices.IsSortedFunc(all, func(a, b *rules.Error) int { return (a.Line-b.Line)*1000 + a.Column - b.Column }) {
		t.Errorf("not in order:\n%v", err)
	}
}

// TestTooMuch checks that oversized input is rejected in bounded memory. The short variant repeats values by
// aliases, which count like copies.
func TestTooMuch(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50)) // for sheets that take hundreds of megabytes
	type much struct{ text, last string }
	cases := []much{
		{"cues: [" + strings.Repeat("0,", 500001) + "]", "x:1:7: cues has 500001 entries; a sheet has at most 500000"},
		{"cues: [&a [" + strings.Repeat("[],", 2046) + "], " + strings.Repeat("*a,", 1022) + strings.Repeat("0,", 4000) + "]", "x:1:15357: the sheet has more than 2097152 values"},
		{"cues: [" + strings.Repeat("{},", 3000) + "]", "x: and 5000 more"},
		{"cues: [{" + strings.Repeat("at: 0, ", 100) + "play: coin}]", "x:1:702: \"at\" is in a cue twice, first in line 1"},
	}
	if longtest.Enabled() {
		cases = append(cases, much{"cues: [" + strings.Repeat("[],", 2100000) + "]", "x:1:6291458: the sheet has more than 2097152 values"})
	}
	for _, c := range cases {
		_, err := cue.Parse("x", []byte(c.text))
		var all rules.Errors
		if !errors.As(err, &all) || all[len(all)-1].Error() != c.last {
			t.Errorf("%.20q...: %.200v", c.text, err)
		}
	}
}
