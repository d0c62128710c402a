package cue_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"voicepool/cue"
	"voicepool/pcm"
)

func TestParseTime(t *testing.T) {
	for _, c := range []struct {
		text   string
		rate   int
		frames int64
	}{
		{"0", 48000, 0}, {"1.5s", 48000, 72000}, {"250ms", 48000, 12000}, {"2m3s", 48000, 123 * 48000}, {"3", 44100, 132300},
		{".5", 1000, 500}, {"1.", 1000, 1000}, {"1h1m1s1ms1us1ns", 1000, 3661001}, {"1e-3", 48000, 48}, {"25E+1", 1, 250},
		{"0.0005s", 1000, 1}, {"0.00049999999999999999s", 1000, -1}, {"0.000499999999999999s", 1000, 0}, {"499999999999999ns", 1000, 500000000},
		{"0.5us", 1000000, 1}, {"1000000000s", 768000, 768e12}, {"1000000000.1s", 48000, -1}, {"277777h", 1, 999997200}, {"1e10", 1, -1},
		{"1s1s", 1, -1}, {"1ms1s", 1, -1}, {"1s5", 1, -1}, {"1e3s", 1, -1}, {"s", 1, -1}, {"", 1, -1}, {"-1s", 1, -1}, {"+1s", 1, -1}, {"1 s", 1, -1},
		{"1S", 1, -1}, {"0x10", 1, -1}, {"1_000", 1, -1}, {"NaN", 1, -1}, {"Inf", 1, -1}, {"1e", 1, -1}, {"1e401", 1, -1}, {".", 1, -1}, {"1..2", 1, -1},
		{"0." + strings.Repeat("0", 500), 1, 0}, {"1e-19", 1, -1}, {"10e-19", 1, 0}, {strings.Repeat("9", 5000), 1, -1}, {"20µs", 1000000, 20},
	} {
		got, err := cue.ParseTime(c.text)
		switch {
		case c.frames < 0 && err == nil:
			t.Errorf("%.30q is %v, want an error", c.text, got)
		case c.frames >= 0 && err != nil:
			t.Errorf("%.30q: %v", c.text, err)
		case err == nil && got.Frames(c.rate) != c.frames:
			t.Errorf("%.30q at %d Hz is frame %d, want %d", c.text, c.rate, got.Frames(c.rate), c.frames)
		}
	}
}

// TestTimesAreExact compares with rational arithmetic, rounded half up.
func TestTimesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9]{1,9}(\.[0-9]{0,18})?`).Draw(t, "seconds")
		rate := rapid.IntRange(1, 768000).Draw(t, "rate")
		got, err := cue.ParseTime(text + "s")
		if err != nil {
			t.Fatal(err)
		}
		x, _ := new(big.Rat).SetString(strings.TrimSuffix(text, "."))
		x.Mul(x, big.NewRat(int64(rate), 1)).Add(x, big.NewRat(1, 2))
		want := new(big.Int).Quo(x.Num(), x.Denom()).Int64()
		if got.Frames(rate) != want {
			t.Fatalf("%ss at %d Hz is frame %d, want %d", text, rate, got.Frames(rate), want)
		}
		if back := pcm.Frames(got.Duration(rate), rate); back != want {
			t.Fatalf("%ss at %d Hz is a duration of %d frames, want %d", text, rate, back, want)
		}
		if again, err := cue.ParseTime(got.String()); err != nil || again != got {
			t.Fatalf("%v is read as %v, %v", got, again, err)
		}
	})
}
