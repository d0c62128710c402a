package play_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/cue/record"
	"voicepool/mixer"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// TestRandomSheets checks random sheets: the sums of the report are consistent, its events are in order and
// agree with the sums, and the render ends.
func TestRandomSheets(t *testing.T) {
	f := newFolder(t)
	lib := library.NewLibrary(library.Options{Rate: rate})
	rapid.Check(t, func(t *rapid.T) {
		text := drawSheet(t)
		s, err := cue.Parse(filepath.Join(f.path, "s.yaml"), []byte(text))
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		if play.CheckRender(s) != nil {
			length := rules.Time{}
			if length, err = rules.ParseTime("700ms"); err != nil {
				t.Fatal(err)
			}
			s.Length = &length
		}
		p, err := play.NewPlayer(f.Context(), s, lib, play.Options{Events: true, Record: true})
		if err != nil {
			t.Fatal(err)
		}
		out := readAll(t, p, rapid.IntRange(1, 600).Draw(t, "block"))
		r := p.Report()
		again, err := play.NewPlayer(f.Context(), s, lib, play.Options{Events: true})
		if err != nil {
			t.Fatal(err)
		}
		if other := readAll(t, again, rapid.IntRange(1, 600).Draw(t, "another block")); !slices.Equal(other, out) {
			t.Fatalf("%s\nin other blocks the render has %d frames, not the same %d", text, len(other), len(out))
		}
		recorder, err := p.Recorder()
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		if s.Length == nil {
			recorder.End(int64(len(out)) + 1)
		}
		if at, sheet := replayedAt(t, recorder, lib, out); at >= 0 {
			t.Fatalf("%s\nwhat was recorded differs at frame %d\n%s", text, at, sheet)
		}
		c := r.Totals
		if c.Asked != c.Started+c.Rejected+c.Limited+c.Coalesced || c.Started != c.Ended+c.Stopped+c.Stolen+c.Playing || c.Late != 0 || c.EventsLost != 0 || c.Faults != 0 {
			t.Fatalf("%s\nthe totals do not add up: %+v", text, c)
		}
		count := map[mixer.EventKind]int64{}
		for i, e := range r.Events {
			count[e.Kind]++
			if i > 0 && e.Frame < r.Events[i-1].Frame {
				t.Fatalf("%s\nevent %+v comes after %+v", text, e, r.Events[i-1])
			}
		}
		for kind, want := range map[mixer.EventKind]int64{
			mixer.EventStarted: c.Started, mixer.EventEnded: c.Ended, mixer.EventStopped: c.Stopped, mixer.EventStolen: c.Stolen,
			mixer.EventRejected: c.Rejected, mixer.EventLimited: c.Limited, mixer.EventMissed: c.Missed,
		} {
			if count[kind] != want {
				t.Fatalf("%s\n%d events are %v, the totals say %d", text, count[kind], kind, want)
			}
		}
		if s.Length == nil && c.Playing != 0 {
			t.Fatalf("%s\n%d voices play at the end", text, c.Playing)
		}
		if int64(len(out)) != r.Frames {
			t.Fatalf("%d frames, the report says %d", len(out), r.Frames)
		}
	})
}

// replayedAt renders a recording and returns the first frame that differs, or -1.
func replayedAt(t *rapid.T, recorder *record.Recorder, lib *library.Library, want []pcm.Frame) (int, string) {
	var text strings.Builder
	if _, err := recorder.WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	s, err := cue.Parse("recorded.yaml", []byte(text.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	p, err := play.NewPlayer(t.Context(), s, lib, play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := readAll(t, p, 64)
	for i := range max(len(got), len(want)) {
		var a, b pcm.Frame
		if i < len(got) {
			a = got[i]
		}
		if i < len(want) {
			b = want[i]
		}
		if a != b {
			return i, text.String()
		}
	}
	return -1, ""
}

// drawSheet returns the text of a random sheet.
func drawSheet(t *rapid.T) string {
	var b strings.Builder
	pick := func(words ...string) string { return rapid.SampledFrom(words).Draw(t, "word") }
	fmt.Fprintf(&b, "rate: %d\nvoices: %d\noverflow: %s\nbuses: {x: {voices: 2}, y: {duck: {when: x, by: 6}}}\n", rate,
		rapid.IntRange(1, 4).Draw(t, "voices"), pick("quietest", "oldest", "gain", "reject", "grow"))
	b.WriteString("master: {limiter: " + pick("true", "false") + "}\n")
	b.WriteString("sounds:\n  s: {files: [half.wav, short.wav], pick: " + pick("random", "shuffle", "round") + ", limit: 2, bus: x}\n  q: {file: quiet.wav, cooldown: 30ms}\n")
	b.WriteString("  l: {layers: [s, {sound: q, delay: 40ms}, {sound: g, delay: 90ms}], gain: [-6, 0], " +
		"parameters: {p: {from: 0, to: 9, gain: [[0, -20], [4, 0], [9, -6]]}}}\n")
	b.WriteString("  g: {file: half.wav, loop: 3, parameters: {p: {from: 0, to: 9, gain: [[0, -9], [7, 0]], pitch: [[0, -7], [3, 0], [9, 7]]}}}\n")
	b.WriteString("scenes:\n  a: {voices: 1, buses: {x: {gain: -9, mute: true}}}\n  b: {buses: {y: {duck: {when: x, by: 20}}, master: {gain: -3}}}\n")
	b.WriteString("cues:\n")
	b.WriteString("  - {at: 0, play: s, id: i}\n  - {at: 10ms, play: g, id: p}\n")
	for range rapid.IntRange(0, 12).Draw(t, "cues") {
		fmt.Fprintf(&b, "  - {at: %dms, ", rapid.IntRange(0, 400).Draw(t, "at"))
		switch target := pick("i", "x", "y", "master"); pick("play", "play", "play", "play", "tuned", "tuned", "tune", "tune", "tune all", "stop", "fade", "set", "pause", "resume",
			"voices", "duck", "scene") {
		case "play":
			b.WriteString("play: " + pick("s", "q", "half.wav", "none.wav") + pick("", ", id: i", ", bus: y", ", protect: true", ", priority: 1", ", loop: true", ", for: 30ms", ", from: 10ms", ", from: 1s", ", speed: 3", ", pitch: -12"))
		case "tuned":
			b.WriteString("play: " + pick("l", "g") + ", id: p" + pick("", ", parameters: {p: 2}", ", gain: -6, pitch: 3", ", for: 80ms", ", pan: 1, speed: 2"))
		case "tune":
			b.WriteString(pick("set: p, parameters: {p: 9}", "set: p, parameters: {p: 1}", "set: p, gain: -9", "fade: p, to: 0, shape: power", "stop: p", "pause: p", "resume: p"))
			if !strings.HasSuffix(b.String(), "e: p") {
				b.WriteString(pick("", ", over: 30ms", ", over: 200ms"))
			}
		case "tune all":
			b.WriteString("set: all, parameters: {p: " + pick("0", "5", "9") + "}" + pick("", ", over: 100ms"))
		case "voices":
			b.WriteString("voices: " + pick("1", "3", "8"))
		case "duck":
			b.WriteString("duck: " + pick("x, when: y, by: 9, attack: 10ms", "y, by: 0"))
		case "scene":
			b.WriteString("scene: " + pick("a", "b", `""`) + pick("", ", over: 50ms"))
		case "stop":
			b.WriteString("stop: " + pick("all", target) + pick("", ", over: 20ms"))
		case "fade":
			b.WriteString("fade: " + target + ", to: -90, over: 30ms")
		case "set":
			b.WriteString("set: " + target + ", gain: 3, pan: 0.5")
		case "pause":
			b.WriteString("pause: " + pick("all", target))
		case "resume":
			b.WriteString("resume: " + pick("all", target))
		}
		b.WriteString(pick("", ", every: 13ms, times: 5", ", every: 29ms, until: 500ms") + "}\n")
	}
	return b.String()
}
