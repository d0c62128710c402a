package play_test

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/play"
	"voicepool/internal/longtest"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// buses writes n buses; if deep is true, each one is the child of the previous one.
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

// TestLimits checks that Parse rejects the values that a mixer rejects, and that a mixer accepts the limits
// of Parse.
func TestLimits(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(50)) // for mixers of hundreds of megabytes
	const play = "cues: [{at: 0, play: click"
	for i, c := range []struct{ good, bad, message string }{
		{
			good: buses(4096, false), bad: buses(4097, false),
			message: "s.yaml:2:3: buses has 4097 entries; a mixer has at most 4096",
		},
		{
			good: buses(4096, true), bad: buses(5000, true),
			message: "s.yaml:2:3: buses has 5000 entries; a mixer has at most 4096",
		},
		{
			good: "voices: 65536\nvirtual: 65536", bad: "voices: 65537",
			message: "s.yaml:1:9: voices takes a whole number from 1 to 65536, not \"65537\"",
		},
		{
			good: "virtual: 65536", bad: "virtual: 65537",
			message: "s.yaml:1:10: virtual takes a whole number from 0 to 65536, not \"65537\"",
		},
		{
			good: "voices: 65536\noverflow: grow", bad: "overflow: grow\ngrow: {max: 65537}",
			message: "s.yaml:2:13: max takes a whole number from 1 to 65536, not \"65537\"",
		},
		{
			good:    "overflow: grow\ngrow: {step: 65536, max: 65536, idle: 1000000000s}",
			bad:     "overflow: grow\ngrow: {step: 65537}",
			message: "s.yaml:2:14: step takes a whole number from 1 to 65536, not \"65537\"",
		},
		{
			good: "rate: 768000", bad: "rate: 768001",
			message: "s.yaml:1:7: rate takes a whole number from 1000 to 768000, not \"768001\"",
		},
		{
			good: "rate: 1000", bad: "rate: 999",
			message: "s.yaml:1:7: rate takes a whole number from 1000 to 768000, not \"999\"",
		},
		{
			good: "master: {gain: 24}", bad: "master: {gain: 24.1}",
			message: "s.yaml:1:16: gain: 24.1 is out of range; want a number of decibels from -120 to 24",
		},
		{
			good:    "sounds: {a: {file: click, limit: 65536, cooldown: 1000000000s, coalesce: {within: 1000000000s, most: 24}}}",
			bad:     "sounds: {a: {file: click, coalesce: {within: 1, most: 25}}}",
			message: "s.yaml:1:55: most: 25 is out of range; want a number of decibels from 0 to 24",
		},
		{
			good: play + ", every: 1ns, times: 3}]", bad: play + ", every: 1e-18, times: 3}]",
			message: "s.yaml:1:36: every: 0.000000000000000001s is less than the least time from one repetition to the next, 1ns",
		},
		{
			good: play + ", every: 0.000000001, times: 3}]", bad: play + ", every: 0.000000000999999999, until: 1}]",
			message: "s.yaml:1:36: every: 0.000000000999999999s is less than the least time from one repetition to the next, 1ns",
		},
		{
			good:    play + ", priority: 1000000, gain: 24, pitch: 48, speed: 16, from: 1000000000s, fade_in: 1000000000s}]",
			bad:     play + ", priority: 1000001}]",
			message: "s.yaml:1:39: priority takes a whole number from -1000000 to 1000000, not \"1000001\"",
		},
		{
			good: play + ", loop: 1000000000, for: 1}]", bad: play + ", loop: 1000000001}]",
			message: "s.yaml:1:35: loop takes true, false, or how often the loop is played, from 1 to 1000000000, not \"1000000001\"",
		},
		{
			good: "length: 1000000000s", bad: "length: 1000000001s",
			message: "s.yaml:1:9: length: a time of \"1000000001s\" is longer than 1000000000s",
		},
	} {
		s, err := cue.Parse("s.yaml", []byte(c.good))
		if err != nil {
			t.Errorf("%.60s: %v", c.good, err)
			continue
		}
		large := i > 2 && strings.Contains(c.good, "65536") || strings.Contains(c.good, "parent: b4094}")
		if err := played(t, s, large && !longtest.Enabled()); err != nil {
			t.Errorf("%.60s is read, but not played: %v", c.good, err)
		}
		var wrong rules.Errors
		if _, err = cue.Parse("s.yaml", []byte(c.bad)); !errors.As(err, &wrong) || len(wrong) != 1 || wrong[0].Error() != c.message {
			t.Errorf("%.60s\nsays %v\nwant %s", c.bad, err, c.message)
		}
	}
}

// played creates a player of a sheet, and reads some frames if the sheet has no length. With check it only
// checks the configuration of the mixer.
func played(t *testing.T, s *cue.Sheet, check bool) error {
	if check { // a mixer of 65536 voices takes several hundred megabytes, and a chain of 4096 buses most of a second
		return s.Config().Check()
	}
	p, err := play.NewPlayer(t.Context(), s, library.NewLibrary(library.Options{Rate: s.Rate}), play.Options{})
	if err != nil || s.Length != nil {
		return err
	}
	defer p.Close()
	if _, err := p.Read(make([]pcm.Frame, 16)); err != nil && err.Error() != "EOF" {
		return err
	}
	return nil
}
