package cue_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/mixer"
	"voicepool/sounds"
)

// TestRandomSheets: whatever a sheet asks for, the sums of the report hold, its
// events are in order and agree with the sums, and the render ends.
func TestRandomSheets(t *testing.T) {
	f := newFolder(t)
	lib := sounds.NewLibrary(sounds.Options{Rate: rate})
	rapid.Check(t, func(t *rapid.T) {
		text := drawSheet(t)
		s, err := cue.Parse(filepath.Join(f.path, "s.yaml"), []byte(text))
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		if s.CheckRender() != nil {
			length := rules.Time{}
			if length, err = rules.ParseTime("700ms"); err != nil {
				t.Fatal(err)
			}
			s.Length = &length
		}
		p, err := cue.NewPlayer(f.Context(), s, lib, cue.Options{Events: true})
		if err != nil {
			t.Fatal(err)
		}
		out := readAll(t, p, rapid.IntRange(1, 600).Draw(t, "block"))
		r := p.Report()
		again, err := cue.NewPlayer(f.Context(), s, lib, cue.Options{Events: true})
		if err != nil {
			t.Fatal(err)
		}
		if other := readAll(t, again, rapid.IntRange(1, 600).Draw(t, "another block")); !slices.Equal(other, out) {
			t.Fatalf("%s\nin other blocks the render has %d frames, not the same %d", text, len(other), len(out))
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

func drawSheet(t *rapid.T) string {
	var b strings.Builder
	pick := func(words ...string) string { return rapid.SampledFrom(words).Draw(t, "word") }
	fmt.Fprintf(&b, "rate: %d\nvoices: %d\noverflow: %s\nbuses: {x: {voices: 2}, y: {duck: {when: x, by: 6}}}\n", rate,
		rapid.IntRange(1, 4).Draw(t, "voices"), pick("quietest", "oldest", "gain", "reject", "grow"))
	b.WriteString("master: {limiter: " + pick("true", "false") + "}\n")
	b.WriteString("sounds:\n  s: {files: [half.wav, short.wav], pick: " + pick("random", "shuffle", "round") + ", limit: 2, bus: x}\n  q: {file: quiet.wav, cooldown: 30ms}\ncues:\n")
	b.WriteString("  - {at: 0, play: s, id: i}\n")
	for range rapid.IntRange(0, 12).Draw(t, "cues") {
		fmt.Fprintf(&b, "  - {at: %dms, ", rapid.IntRange(0, 400).Draw(t, "at"))
		switch target := pick("i", "x", "y", "master"); pick("play", "play", "play", "play", "stop", "fade", "set", "pause", "resume") {
		case "play":
			b.WriteString("play: " + pick("s", "q", "half.wav", "none.wav") + pick("", ", id: i", ", bus: y", ", protect: true", ", priority: 1", ", loop: true", ", for: 30ms", ", from: 10ms", ", from: 1s", ", speed: 3", ", pitch: -12"))
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
