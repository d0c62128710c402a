package cue_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"voicepool/cue"
	"voicepool/pcm"
	"voicepool/sounds"
)

// buses writes the buses of a sheet, each of them in the one before where they are deep.
func buses(n int, deep bool) string {
	var b strings.Builder
	b.WriteString("buses:\n")
	for i := range n {
		if fmt.Fprintf(&b, "  b%d: {", i); deep && i > 0 {
			fmt.Fprintf(&b, "parent: b%d", i-1)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// TestLimits: what a mixer refuses, Parse refuses, and the most that Parse takes a mixer takes.
func TestLimits(t *testing.T) {
	const play = "cues: [{at: 0, play: click"
	for _, c := range []struct{ good, bad, message string }{
		{buses(4096, false), buses(4097, false), "s.yaml:2:3: buses has 4097 entries; a mixer has at most 4096"},
		{buses(4096, true), buses(5000, true), "s.yaml:2:3: buses has 5000 entries; a mixer has at most 4096"},
		{"voices: 65536\nvirtual: 65536", "voices: 65537", "s.yaml:1:9: voices takes a whole number from 1 to 65536, not \"65537\""},
		{"virtual: 65536", "virtual: 65537", "s.yaml:1:10: virtual takes a whole number from 0 to 65536, not \"65537\""},
		{"voices: 65536\noverflow: grow", "overflow: grow\ngrow: {max: 65537}", "s.yaml:2:13: max takes a whole number from 1 to 65536, not \"65537\""},
		{"overflow: grow\ngrow: {step: 65536, max: 65536, idle: 1000000000s}", "overflow: grow\ngrow: {step: 65537}", "s.yaml:2:14: step takes a whole number from 1 to 65536, not \"65537\""},
		{"rate: 768000", "rate: 768001", "s.yaml:1:7: rate takes a whole number from 1000 to 768000, not \"768001\""},
		{"rate: 1000", "rate: 999", "s.yaml:1:7: rate takes a whole number from 1000 to 768000, not \"999\""},
		{"master: {gain: 24}", "master: {gain: 24.1}", "s.yaml:1:16: gain: 24.1 is out of range: it takes a number of decibels from -120 to 24"},
		{
			"sounds: {a: {file: click, limit: 65536, cooldown: 1000000000s, coalesce: {within: 1000000000s, most: 24}}}",
			"sounds: {a: {file: click, coalesce: {within: 1, most: 25}}}", "s.yaml:1:55: most: 25 is out of range: it takes a number of decibels from 0 to 24",
		},
		{play + ", every: 1ns, times: 3}]", play + ", every: 1e-18, times: 3}]", "s.yaml:1:36: every: 0.000000000000000001s is less than the least time from one repetition to the next, 1ns"},
		{play + ", every: 0.000000001, times: 3}]", play + ", every: 0.000000000999999999, until: 1}]", "s.yaml:1:36: every: 0.000000000999999999s is less than the least time from one repetition to the next, 1ns"},
		{play + ", priority: 1000000, gain: 24, pitch: 48, speed: 16, from: 1000000000s, fade_in: 1000000000s}]", play + ", priority: 1000001}]", "s.yaml:1:39: priority takes a whole number from -1000000 to 1000000, not \"1000001\""},
		{play + ", loop: 1000000000, for: 1}]", play + ", loop: 1000000001}]", "s.yaml:1:35: loop takes true, false, or how often the loop is played, from 1 to 1000000000, not \"1000000001\""},
		{"length: 1000000000s", "length: 1000000001s", "s.yaml:1:9: length: a time of \"1000000001s\" is longer than 1000000000s"},
	} {
		s, err := cue.Parse("s.yaml", []byte(c.good))
		if err != nil {
			t.Errorf("%.60s: %v", c.good, err)
			continue
		}
		if _, err := cue.NewPlayer(t.Context(), s, sounds.NewBank(sounds.Options{Rate: s.Rate}), cue.Options{}); err != nil {
			t.Errorf("%.60s is read, but not played: %v", c.good, err)
		}
		if s.Length == nil {
			if p, err := cue.NewPlayer(t.Context(), s, sounds.NewBank(sounds.Options{Rate: s.Rate}), cue.Options{}); err == nil {
				if _, err := p.Read(make([]pcm.Frame, 16)); err != nil && err.Error() != "EOF" {
					t.Errorf("%.60s: Read gives %v", c.good, err)
				}
				p.Close()
			}
		}
		var wrong cue.Errors
		if _, err = cue.Parse("s.yaml", []byte(c.bad)); !errors.As(err, &wrong) || len(wrong) != 1 || wrong[0].Error() != c.message {
			t.Errorf("%.60s\nsays %v\nwant %s", c.bad, err, c.message)
		}
	}
}
