package liveview

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicepool/cmd/internal/view/cellwidth"
	"voicepool/cue/report"
	"voicepool/mixer"
)

// asTerminal returns a file that acts as a terminal of 80 x 24, and a function that returns the
// text drawn on it.
func asTerminal(t *testing.T) (*os.File, func() string) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "terminal"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file, func() string {
		drawn, err := os.ReadFile(file.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(drawn)
	}
}

func show(t *testing.T, colour bool, p Picture) string {
	t.Helper()
	terminal, drawn := asTerminal(t)
	screen := OpenScreen(terminal, colour)
	NewView(screen, "test", "").Show(p)
	screen.Close()
	text, ok := strings.CutPrefix(drawn(), "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H")
	if !ok {
		t.Fatalf("it begins with %q", drawn()[:20])
	}
	text, ok = strings.CutSuffix(text, "\x1b[?7h\x1b[?25h\x1b[?1049l")
	if !ok {
		t.Fatal("the terminal is not given back")
	}
	return text
}

var sample = Picture{
	Rate: 48000, Stats: mixer.Stats{Frame: 96000, Playing: 2, Voices: 4, Asked: 9, Started: 7, Ended: 4, Stolen: 1, Rejected: 2},
	Left: 1, Right: 0,
	voices: []voiceLane{
		{slot: 1, number: 7, sound: "bell", level: -30, pan: -1, victim: &report.Event{Sound: "drip"}, age: 4800},
		{slot: 3, number: 2, sound: "theme", colour: 1, level: -15, pan: 1, looping: true},
	},
	events: []report.Event{{Frame: 91200, Kind: mixer.EventStolen, Sound: "drip", By: 7, BySound: "bell", Audibility: -61, Candidates: 2, RunnerUp: -30, HasRunnerUp: true}},
}

func TestLiveView(t *testing.T) {
	got := strings.Split(show(t, false, sample), "\r\n")
	want := []string{
		"voicepool test   2.0 s   2 of 4 voices   Ctrl-C ends it",
		"L " + strings.Repeat("█", 29) + "   0 dB  R " + strings.Repeat(" ", 36),
		"asked 9   started 7   ended 4   stopped 0   stolen 1   rejected 2   limited 0",
		"slot  voice  sound           how loud it will be        left   right",
		"   0      -",
		"   1      7  bell            █████████          -30 dB  ●────────────  < drip",
		"   2      -",
		"   3      2  theme           █████████████▌     -15 dB  ────────────●  loop",
		"",
		"drip lost its voice to bell at 1.9 s: it would have been heard at -61 dB, the",
		"  next of 2 counted as -30",
		"\x1b[J",
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d: %q", len(got), len(want), got)
	}
	for i := range want {
		if line := strings.TrimPrefix(got[i], "\x1b[K"); line != want[i] {
			t.Errorf("line %d is\n%q, want\n%q", i, line, want[i])
		}
	}
	if coloured := show(t, true, sample); !strings.Contains(coloured, "\x1b[7;38;5;33m   1      7  bell") || !strings.Contains(coloured, "\x1b[38;5;208m   3      2  theme") || !strings.Contains(coloured, "\x1b[31mL █") {
		t.Errorf("the steal does not flash, sounds have not their own colours, or the meter is not red: %q", coloured)
	}
}

func TestLiveViewIsNeverTooHigh(t *testing.T) {
	p := sample
	p.voices, p.Stats.Voices = nil, 4096
	for slot := range 100 {
		p.voices = append(p.voices, voiceLane{slot: 40 * slot, number: uint64(slot + 1), sound: "bell"})
	}
	for range maxSteals {
		p.events = append(p.events, p.events[0])
	}
	text := show(t, false, p)
	if lines := strings.Count(text, "\r\n") + 1; lines > 24 || !strings.Contains(text, "... and 86 more") {
		t.Errorf("%d lines in a window of 24:\n%s", lines, text)
	}
}

func TestLineView(t *testing.T) {
	var out strings.Builder
	v := NewLines(&out, false)
	p := Picture{Rate: 1000, Stats: mixer.Stats{Frame: 900, Playing: 2, Voices: 4}}
	for i := range 3 {
		p.events = append(p.events, report.Event{Frame: int64(100 * i), Kind: mixer.EventStarted, Voice: uint64(i + 1), Slot: i, Sound: "bell"})
	}
	p.events = append(p.events, report.Event{Frame: 300, Kind: mixer.EventStarted, Voice: 4, Slot: 3, Sound: "drip"}, report.Event{Frame: 350, Kind: mixer.EventEnded, Voice: 4, Slot: 3, Sound: "drip"})
	v.Show(p, false)
	if out.Len() > 0 {
		t.Errorf("a second that is not over: %q", out.String())
	}
	p.events = []report.Event{
		{Frame: 1200, Kind: mixer.EventStolen, Voice: 1, Sound: "bell", By: 9, BySound: "gong", Audibility: -40, Candidates: 1},
		{Frame: 1200, Kind: mixer.EventStarted, Voice: 9, Sound: "gong"},
		{Frame: 1300, Kind: mixer.EventRejected, Sound: "drip"},
		{Frame: 1300, Kind: mixer.EventLimited, Sound: "drip"},
		{Frame: 1400, Kind: mixer.EventMissed},
	}
	p.Stats.Frame = 1500
	v.Show(p, false)
	p.events = []report.Event{{Frame: 2100, Kind: mixer.EventEnded, Voice: 9, Sound: "gong"}} // not listed by itself
	p.Stats.Frame = 2200
	v.Show(p, true)
	// The maximum of the second, not the count at its end.
	want := `  0 s   4/4 voices  started 4 (bell 3, drip)
  1 s   3/4 voices  started 1 (gong); stolen 1 (bell); rejected 1 (drip); limited 1 (drip); 1 cue found no voice
                     bell lost its voice to gong at 1.2 s: it would have been heard at -40 dB, as the only candidate
`
	if out.String() != want {
		t.Errorf("printed\n%swant\n%s", &out, want)
	}
	out.Reset()
	v = NewLines(&out, true)
	p.events = []report.Event{{
		Frame: 1200, Kind: mixer.EventStolen, Voice: 4, Slot: 2, Cue: 3, Sound: "bell", By: 9, BySound: "gong", Audibility: -40, Newcomer: -20, RunnerUp: -30,
		HasRunnerUp: true, Candidates: 7, Reason: mixer.ReasonPoolFull,
	}}
	v.Show(p, true)
	if want := "    1.200 s  stolen   bell #4 slot 2 cue 3, by gong #9, -40.0 dB against -20.0, next -30.0, of 7 (pool)\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	e := p.events[0]
	e.Importance, e.NewcomerImportance = -6, 3
	if got, want := Describe(e, 1000), ", by gong #9, -34.0 dB against -23.0, with importance -40.0 dB against -20.0, next -30.0, of 7 (pool)"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	refused := report.Event{Kind: mixer.EventRejected, Sound: "bell", Audibility: -40, Newcomer: -40, RunnerUp: -30, HasRunnerUp: true, Candidates: 7, Importance: -6, NewcomerImportance: -6, Reason: mixer.ReasonQuieter}
	if got, want := Describe(refused, 1000), ", -34.0 dB against -34.0, with importance -40.0 dB against -40.0, next -30.0, of 7 (quieter)"; !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestPlace(t *testing.T) {
	if got := panBar(-2) + panBar(0) + panBar(1); got != "●──────────────────●──────────────────●" {
		t.Errorf("places: %q", got)
	}
}

// TestNarrowView checks that lines fit each window width, and that the most important parts are
// kept the longest.
func TestNarrowView(t *testing.T) {
	p := sample
	p.Stats = mixer.Stats{Frame: 48000 * 754, Playing: 28, Voices: 32, Asked: 12345, Started: 12001, Ended: 9876, Stolen: 2097, Rejected: 99, Limited: 245, Coalesced: 7}
	for width := 1; width <= 130; width++ {
		v := &View{title: "run a-sheet-with-a-rather-long-name.yaml", screen: &Screen{width: width}}
		for _, line := range []string{v.head(p), totals(&p.Stats, width)} {
			if n := cellwidth.Width(line); n > width && width >= 11 {
				t.Errorf("in %d characters there are %d: %q", width, n, line)
			}
		}
	}
	for _, c := range []struct {
		width        int
		head, totals string
	}{
		{
			width:  130,
			head:   "voicepool run a-sheet-with-a-rather-long-name.yaml   12m34s   28 of 32 voices   Ctrl-C ends it",
			totals: "asked 12345   started 12001   ended 9876   stopped 0   stolen 2097   rejected 99   limited 245   coalesced 7",
		},
		{
			width:  100,
			head:   "voicepool run a-sheet-with-a-rather-long-name.yaml   12m34s   28 of 32 voices   Ctrl-C ends it",
			totals: "asked 12345  started 12001  ended 9876  stolen 2097  rejected 99  limited 245  coalesced 7",
		},
		{
			width:  80,
			head:   "voicepool run a-sheet-with-a-rather-long-name.yaml   12m34s   28 of 32 voices",
			totals: "asked 12345  started 12001  stolen 2097  rejected 99  limited 245  coalesced 7",
		},
		{
			width:  60,
			head:   "voicepool run a-sheet-with-a-rat…   12m34s   28 of 32 voices",
			totals: "started 12001  stolen 2097  rejected 99",
		},
		{width: 30, head: "12m34s  28 of 32 voices", totals: "started 12001  stolen 2097"},
		{width: 15, head: "12m34s  28/32", totals: "stolen 2097"},
	} {
		v := &View{title: "run a-sheet-with-a-rather-long-name.yaml", screen: &Screen{width: c.width}}
		if got := v.head(p); got != c.head {
			t.Errorf("the head in %d characters is %q, want %q", c.width, got, c.head)
		}
		if got := totals(&p.Stats, c.width); got != c.totals {
			t.Errorf("the totals in %d characters are %q, want %q", c.width, got, c.totals)
		}
	}
}

// TestLinesOfNewKinds checks lines of coalesced starts, underruns, faults and broken streams.
func TestLinesOfNewKinds(t *testing.T) {
	var out strings.Builder
	v := NewLines(&out, false)
	p := Picture{Rate: 1000, Stats: mixer.Stats{Frame: 2000, Voices: 4}, events: []report.Event{
		{Kind: mixer.EventStarted, Voice: 1, Sound: "shot"},
		{Frame: 1, Kind: mixer.EventCoalesced, Sound: "shot", Slot: -1, By: 1, BySound: "shot"},
		{Frame: 2, Kind: mixer.EventCoalesced, Sound: "shot", Slot: -1, By: 1, BySound: "shot"},
		{Frame: 3, Kind: mixer.EventUnderrun, Sound: "song", Slot: 1},
		{Frame: 4, Kind: mixer.EventFault, Sound: "bad", Slot: 2},
		{Frame: 4, Kind: mixer.EventBroken, Sound: "tape", Slot: 3},
		{Frame: 5, Kind: mixer.EventVirtual, Voice: 1, Slot: -1, Sound: "shot"},
	}}
	v.Show(p, false)
	if want := "  0 s   1/4 voices, 1 virtual  started 1 (shot); became virtual 1 (shot); coalesced 2 (shot 2); ran dry 1 (song); faulty 1 (bad); broke 1 (tape)\n"; out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	if got, want := Describe(p.events[1], 1000), "    0.001 s  coalesced shot cue 0, into shot #1"; got != want {
		t.Errorf("described as %q, want %q", got, want)
	}
}

// TestLinesOfVirtualVoices checks that virtual voices do not count as voices with slots.
func TestLinesOfVirtualVoices(t *testing.T) {
	var out strings.Builder
	v := NewLines(&out, false)
	v.Show(Picture{Rate: 1000, Stats: mixer.Stats{Frame: 3000, Voices: 1}, events: []report.Event{
		{Frame: 0, Kind: mixer.EventStarted, Voice: 1, Sound: "a"},
		{Frame: 10, Kind: mixer.EventVirtual, Voice: 1, Slot: -1, Sound: "a", By: 2},
		{Frame: 10, Kind: mixer.EventStarted, Voice: 2, Sound: "b"},
		{Frame: 20, Kind: mixer.EventStarted, Voice: 3, Slot: -1, Sound: "c"},
		{Frame: 20, Kind: mixer.EventVirtual, Voice: 3, Slot: -1, Sound: "c"},
		{Frame: 30, Kind: mixer.EventStarted, Voice: 4, Slot: -1, Sound: "empty"},
		{Frame: 30, Kind: mixer.EventEnded, Voice: 4, Slot: -1, Sound: "empty"},
		{Frame: 1000, Kind: mixer.EventEnded, Voice: 2, Sound: "b"},
		{Frame: 1000, Kind: mixer.EventReal, Voice: 1, Sound: "a"},
		{Frame: 1100, Kind: mixer.EventStolen, Voice: 3, Slot: -1, Sound: "c", By: 9, Reason: mixer.ReasonVirtualFull},
		{Frame: 2000, Kind: mixer.EventEnded, Voice: 1, Sound: "a"},
		{Frame: 2000, Kind: mixer.EventStarted, Voice: 9, Sound: "d"},
	}}, false)
	var got []string
	for _, l := range strings.Split(out.String(), "\n") {
		if head, _, ok := strings.Cut(l, " voices"); ok {
			_, rest, _ := strings.Cut(l, " voices")
			rest, _, _ = strings.Cut(rest, "  ")
			got = append(got, head+rest)
		}
	}
	if want := "  0 s   1/1, 2 virtual|  1 s   1/1, 2 virtual|  2 s   1/1"; strings.Join(got, "|") != want {
		t.Errorf("the lines begin %q, want %q:\n%s", strings.Join(got, "|"), want, &out)
	}
	p := sample
	p.Stats.Playing, p.Stats.Voices, p.Stats.Virtual = 10, 6, 4
	if drawn := show(t, false, p); !strings.Contains(drawn, "   6 of 6 voices, 4 virtual   ") {
		t.Errorf("the head is\n%s", drawn)
	}
}

// TestColumns checks that wide and combining letters keep the columns aligned, and that no line is
// wider than the window.
func TestColumns(t *testing.T) {
	p := sample
	p.events = []report.Event{{Kind: mixer.EventStolen, Sound: "日本語の鐘の音", By: 7, BySound: "한국어 종소리", Audibility: -61, Candidates: 2, RunnerUp: -30, HasRunnerUp: true}}
	p.voices = nil
	for i, name := range []string{"bell", "日本語の鐘の音", "日本語", "Tu\u0308rglocke", "한국어 종소리"} {
		p.voices = append(p.voices, voiceLane{slot: i, number: uint64(i + 1), sound: name, level: -30, pan: -1, victim: &report.Event{Sound: "とても長い日本語の名前"}})
	}
	lanes := 0
	for line := range strings.SplitSeq(show(t, false, p), "\r\n") {
		line = strings.TrimPrefix(line, "\x1b[K")
		if n := cellwidth.Width(line); n > 80 {
			t.Errorf("it takes %d columns of 80: %q", n, line)
		}
		if before, _, found := strings.Cut(line, "█████████          -30 dB  ●"); found {
			if lanes++; cellwidth.Width(before) != 29 {
				t.Errorf("the bar begins in column %d, want 29: %q", cellwidth.Width(before), line)
			}
		}
	}
	if lanes != len(p.voices) {
		t.Errorf("%d voices are drawn with their bars, want %d", lanes, len(p.voices))
	}
}

// lines returns the lines of a picture in a window of 80 x 24, without styles.
func lines(t *testing.T, p Picture) []string {
	t.Helper()
	text, _, _ := strings.Cut(show(t, false, p), "\r\n\x1b[J")
	all := strings.Split(text, "\r\n")
	for i := range all {
		all[i] = strings.TrimPrefix(all[i], "\x1b[K")
	}
	return all
}

// TestFullView checks a view at 80 columns: device, remaining time, next action, buses without
// cuts, and losses in all free rows.
func TestFullView(t *testing.T) {
	p := sample
	p.Output = Output{Device: "pulse", Sink: "Built-in Audio Analog Stereo of a card with a long name", State: "playing", Latency: 20e6}
	p.Ends, p.Next, p.NextAt = 48000*90, "2.5 Thunder play thunder", 48000*3
	p.Buses = []Bus{{"music", -30}, {"sfx", -6}, {"speech", -60}, {"ambience", -20}, {"radio", -12}}
	p.Failures = []string{"report.json: no space left on device; what is played goes on, and nothing more of it is written down"}
	for i := range 60 {
		e := p.events[0]
		e.Sound = fmt.Sprintf("a_sound_with_a_long_name_%d", i)
		p.events = append(p.events, e)
	}
	got := lines(t, p)
	want := []string{
		"voicepool test   2.0 s, 1m28s left   2 of 4 voices   Ctrl-C ends it",
		"pulse on Built-in Audio Analog Stereo of a card with a long name   playing",
		"next at 3.0 s: 2.5 Thunder play thunder",
		"report.json: no space left on device; what is played goes on, and nothing more",
		"  of it is written down",
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("line %d is %q, want %q", i, got[i], want[i])
		}
	}
	if want := "music ███    -30 dB   sfx █████▍  -6 dB   speech                 +2"; got[6] != want {
		t.Errorf("the buses are %q, want %q", got[6], want)
	}
	if len(got) != 24 || !strings.Contains(got[14], "name_59 lost") || strings.Count(strings.Join(got, "\n"), "lost its voice") != 5 {
		t.Errorf("losses do not fill a window of 24 rows with the last one first: %d rows\n%s", len(got), strings.Join(got, "\n"))
	}
	for _, line := range got {
		if cellwidth.Width(line) > 80 || strings.Contains(line, "…") {
			t.Errorf("it is cut: %q", line)
		}
	}
}

// TestWrap checks that lines are as long as possible and keep all words.
func TestWrap(t *testing.T) {
	const text = "drip lost its voice to 日本語の鐘の音 at 1.9 s: it would have been heard"
	for width := 16; width < 90; width++ {
		got := wrap(text, width)
		for i, line := range got {
			if cellwidth.Width(line) > width {
				t.Errorf("in %d columns a line takes %d: %q", width, cellwidth.Width(line), line)
			}
			if i > 0 && cellwidth.Width(got[i-1])+1+cellwidth.Width(strings.Fields(line)[0]) <= width {
				t.Errorf("in %d columns %q has room for what comes after it", width, got[i-1])
			}
		}
		if joined := strings.Join(strings.Fields(strings.Join(got, " ")), " "); joined != text {
			t.Errorf("in %d columns it is %q", width, joined)
		}
	}
}
