package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicepool/cmd/internal/cli/console"
)

// TestCueNumbers checks that --cue selects the same cue in every command. That is the cue with the
// number, or if no cue has a number, the cue at that index from 0.
func TestCueNumbers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	write(t, in("list.yaml"), `cues: [{at: 0s, play: click}]
list:
  - {cue: 1, play: coin}
  - {cue: 2, play: zap}
  - {cue: 8.5, do: [{play: bell}, {at: 10ms, play: door}]}
  - {cue: Q9, play: coin}
goes: [100ms, 200ms, 300ms, 400ms]`)
	write(t, in("numbered.yaml"), "cues: [{at: 100ms, play: coin, cue: 7}, {at: 200ms, play: zap, cue: 3}, {at: 300ms, play: bell, cue: A}]")
	write(t, in("plain.yaml"), "cues: [{at: 100ms, play: coin}, {at: 200ms, play: zap}, {at: 300ms, play: bell}]")
	run := func(words ...string) (string, error) {
		var said bytes.Buffer
		c := &console.Console{In: strings.NewReader(""), Out: &console.Sticky{W: &said}, Err: &said}
		if code := command(words, c); code != console.ExitDone {
			return said.String(), fmt.Errorf("it exits with %d", code)
		}
		return said.String(), nil
	}
	for _, c := range []struct {
		sheet, cue, plays string
		tenths            int // 0: no such cue
	}{
		{"list", "1", "coin", 1}, {"list", "2", "zap", 2}, {"list", "8.5", "bell, door", 3}, {"list", "08.50", "bell, door", 3}, {"list", "Q9", "coin", 4}, {"list", "3", "", 0}, {"list", "-1", "", 0},
		{"numbered", "7", "coin", 1}, {"numbered", "3", "zap", 2}, {"numbered", "A", "bell", 3}, {"numbered", "0", "", 0}, {"numbered", "1", "", 0},
		{"plain", "0", "coin", 1}, {"plain", "1", "zap", 2}, {"plain", "2", "bell", 3}, {"plain", "3", "", 0}, {"plain", "-1", "", 0}, {"plain", "A", "", 0}, {"plain", "1.0", "", 0},
	} {
		sheet, report := in(c.sheet+".yaml"), in(c.sheet+".json")
		if _, err := os.Stat(report); err != nil {
			if said, err := run("render", sheet, "-o", in("whole.wav"), "--report", report, "-q"); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
		}
		said, err := run("explain", report, "--cue="+c.cue)
		if c.tenths == 0 && (err == nil || !strings.Contains(said, "cue "+c.cue+";")) || c.tenths > 0 && (err != nil || !strings.Contains(said, " plays "+c.plays+": ")) {
			t.Errorf("explain %s --cue %s: %v, %s", c.sheet, c.cue, err, said)
		}
		begins := [][]string{{"render", sheet, "-o", in("part.wav")}}
		if c.cue == "2" || c.tenths == 0 { // 10 ms in real time
			begins = append(begins, []string{"run", sheet, "--device", "null", "--length", fmt.Sprintf("%dms", 100*c.tenths+10)})
		}
		for _, words := range begins {
			said, err := run(append(words, "--cue="+c.cue, "--report", in("part.json"), "-q")...)
			var part struct{ From, Rate int }
			if c.tenths > 0 {
				text, _ := os.ReadFile(in("part.json"))
				if e := json.Unmarshal(text, &part); err != nil || e != nil || 10*part.From != c.tenths*part.Rate {
					t.Errorf("%v --cue %s begins at %+v: %v, %v, %s", words, c.cue, part, err, e, said)
				}
			} else if err == nil || !strings.Contains(said, "--cue "+c.cue+": ") {
				t.Errorf("%v --cue %s: %v, %s", words, c.cue, err, said)
			}
		}
	}
}
