package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestCueNumbers checks that --cue selects the same cue in every command. That is the cue with the
// number, or if no cue has a number, the cue at that index from 0.
func TestCueNumbers(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, filepath.Join(folder, "list.yaml"), `cues: [{at: 0s, play: click}]
list:
  - {cue: 1, play: coin}
  - {cue: 2, play: zap}
  - {cue: 8.5, do: [{play: bell}, {at: 10ms, play: door}]}
  - {cue: Q9, play: coin}
goes: [1s, 2s, 3s, 4s]`)
	write(t, filepath.Join(folder, "numbered.yaml"), "cues: [{at: 1s, play: coin, cue: 7}, {at: 2s, play: zap, cue: 3}, {at: 3s, play: bell, cue: A}]")
	write(t, filepath.Join(folder, "plain.yaml"), "cues: [{at: 1s, play: coin}, {at: 2s, play: zap}, {at: 3s, play: bell}]")
	run := func(words ...string) (string, error) {
		command := exec.Command("voicepool", words...)
		command.Dir = folder
		text, err := command.CombinedOutput()
		return string(text), err
	}
	for _, c := range []struct {
		sheet, cue, plays string
		seconds           int // 0: no such cue
	}{
		{"list", "1", "coin", 1}, {"list", "2", "zap", 2}, {"list", "8.5", "bell, door", 3}, {"list", "08.50", "bell, door", 3}, {"list", "Q9", "coin", 4}, {"list", "3", "", 0}, {"list", "-1", "", 0},
		{"numbered", "7", "coin", 1}, {"numbered", "3", "zap", 2}, {"numbered", "A", "bell", 3}, {"numbered", "0", "", 0}, {"numbered", "1", "", 0},
		{"plain", "0", "coin", 1}, {"plain", "1", "zap", 2}, {"plain", "2", "bell", 3}, {"plain", "3", "", 0}, {"plain", "-1", "", 0}, {"plain", "A", "", 0}, {"plain", "1.0", "", 0},
	} {
		report := filepath.Join(folder, c.sheet+".json")
		if _, err := os.Stat(report); err != nil {
			if said, err := run("render", c.sheet+".yaml", "-o", "whole.wav", "--report", report, "-q"); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
		}
		said, err := run("explain", report, "--cue="+c.cue)
		if c.seconds == 0 && (err == nil || !strings.Contains(said, "cue "+c.cue+";")) || c.seconds > 0 && (err != nil || !strings.Contains(said, " plays "+c.plays+": ")) {
			t.Errorf("explain %s --cue %s: %v, %s", c.sheet, c.cue, err, said)
		}
		begins := [][]string{{"render", c.sheet + ".yaml", "-o", "part.wav"}}
		if c.cue == "2" || c.seconds == 0 { // 10 ms in real time
			begins = append(begins, []string{"run", c.sheet + ".yaml", "--device", "null", "--length", fmt.Sprintf("%d.01s", c.seconds)})
		}
		for _, words := range begins {
			said, err := run(append(words, "--cue="+c.cue, "--report", "part.json", "-q")...)
			var part struct{ From, Rate int }
			if c.seconds > 0 {
				text, _ := os.ReadFile(filepath.Join(folder, "part.json"))
				if e := json.Unmarshal(text, &part); err != nil || e != nil || part.From != c.seconds*part.Rate {
					t.Errorf("%v --cue %s begins at %+v: %v, %v, %s", words, c.cue, part, err, e, said)
				}
			} else if err == nil || !strings.Contains(said, "--cue "+c.cue+": ") {
				t.Errorf("%v --cue %s: %v, %s", words, c.cue, err, said)
			}
		}
	}
}
