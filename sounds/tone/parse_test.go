package tone_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"voicepool/sounds/tone"
)

func TestParse(t *testing.T) {
	for name, want := range map[string]tone.Signal{
		"tone:440": {Hertz: 440}, "tone:440:sine": {Hertz: 440}, "tone:1e3:square": {Shape: tone.Square, Hertz: 1000},
		"tone:55.5:saw": {Shape: tone.Saw, Hertz: 55.5}, "tone:1:triangle": {Shape: tone.Triangle, Hertz: 1},
		"noise:white": {Shape: tone.White}, "noise:pink": {Shape: tone.Pink},
		"noise:pink:18446744073709551615": {Shape: tone.Pink, Seed: math.MaxUint64},
	} {
		if got, err := tone.Parse(name); err != nil || got != want {
			t.Errorf("%s is %+v, %v", name, got, err)
		}
		if !tone.Is(name) {
			t.Errorf("%s is not one", name)
		}
	}
	for name, want := range map[string]string{
		"tone:":            `tone:: invalid frequency ""; want hertz, as in tone:440`,
		"tone:a":           `tone:a: invalid frequency "a"`,
		"tone:440:sinus":   `tone:440:sinus: there is no wave "sinus"; the nearest is sine`,
		"tone:440:pink":    `there is no wave "pink"`,
		"tone:440:square:": `there is no wave "square:"; the nearest is square`,
		"tone:0":           "0 Hz are not in 1 to below 384000",
		"tone:-3":          "-3 Hz are not in 1",
		"tone:NaN":         "NaN Hz are not in 1",
		"tone:Inf":         "+Inf Hz are not in 1",
		"noise:":           "there is no noise",
		"noise:brown":      `noise:brown: there is no noise "brown"`,
		"noise:pnik":       `there is no noise "pnik"; the nearest is pink`,
		"noise:pink:-1":    `invalid seed "-1"; want a whole number, as in noise:pink:7`,
		"bell":             "bell: a name begins with tone: or noise:",
		"":                 "a name begins with tone: or noise:",
	} {
		_, err := tone.Parse(name)
		if !errors.Is(err, tone.ErrSignal) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
	if tone.Is("tones/440.wav") || tone.Is("noise") {
		t.Error("a file is taken for a signal")
	}
}

func TestRefuses(t *testing.T) {
	for _, c := range []struct {
		signal tone.Signal
		rate   int
		length time.Duration
		want   string
	}{
		{signal: tone.Signal{}, rate: 48000, length: time.Second, want: "0 Hz are not in 1 to below 24000"},
		{signal: tone.Signal{Hertz: 24000}, rate: 48000, length: time.Second, want: "half the rate"},
		{signal: tone.Signal{Hertz: math.NaN()}, rate: 48000, length: time.Second, want: "NaN Hz"},
		{signal: tone.Signal{Hertz: 440}, rate: 0, length: time.Second, want: "rate: 0 Hz is not in 1..768000"},
		{signal: tone.Signal{Shape: 6}, rate: 48000, length: time.Second, want: "shape(6); there are sine, square"},
		{signal: tone.Signal{Hertz: 440}, rate: 48000, want: "tone:440 for 0s, which is not above 0 to 10m0s"},
		{signal: tone.Signal{Hertz: 440}, rate: 48000, length: time.Hour, want: "for 1h0m0s"},
	} {
		_, err := c.signal.Clip(c.rate, c.length)
		if !errors.Is(err, tone.ErrSignal) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.signal, err, c.want)
		}
		if c.length != time.Second {
			continue
		}
		if _, err := c.signal.Source(c.rate); !errors.Is(err, tone.ErrSignal) {
			t.Errorf("%+v as a source: %v", c.signal, err)
		}
	}
}

// FuzzParse checks that the string of a parsed signal parses to the same signal.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"tone:440", "tone:1e3:square", "noise:pink:7", "noise:white", "tone:0x1p5:saw", "tone:1_0"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		s, err := tone.Parse(name)
		if err != nil {
			if strings.Contains(name, "\n") {
				return
			}
			if !errors.Is(err, tone.ErrSignal) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: %v", name, err)
			}
			return
		}
		if again, err := tone.Parse(s.String()); err != nil || again != s || !tone.Is(name) {
			t.Fatalf("%q is %+v, and written back %+v, %v", name, s, again, err)
		}
	})
}
