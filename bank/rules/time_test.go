package rules_test

import (
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"voicepool/bank/rules"
	"voicepool/pcm"
)

func TestParseTime(t *testing.T) {
	for _, c := range []struct {
		text   string
		rate   int
		frames int64
	}{
		{text: "0", rate: 48000},
		{text: "1.5s", rate: 48000, frames: 72000},
		{text: "250ms", rate: 48000, frames: 12000},
		{text: "2m3s", rate: 48000, frames: 123 * 48000},
		{text: "3", rate: 44100, frames: 132300},
		{text: ".5", rate: 1000, frames: 500},
		{text: "1.", rate: 1000, frames: 1000},
		{text: "1h1m1s1ms1us1ns", rate: 1000, frames: 3661001},
		{text: "1e-3", rate: 48000, frames: 48},
		{text: "25E+1", rate: 1, frames: 250},
		{text: "0.0005s", rate: 1000, frames: 1},
		{text: "0.00049999999999999999s", rate: 1000, frames: -1},
		{text: "0.000499999999999999s", rate: 1000},
		{text: "499999999999999ns", rate: 1000, frames: 500000000},
		{text: "0.5us", rate: 1000000, frames: 1},
		{text: "1000000000s", rate: 768000, frames: 768e12},
		{text: "1000000000.1s", rate: 48000, frames: -1},
		{text: "277777h", rate: 1, frames: 999997200},
		{text: "1e10", rate: 1, frames: -1},
		{text: "1s1s", rate: 1, frames: -1},
		{text: "1ms1s", rate: 1, frames: -1},
		{text: "1s5", rate: 1, frames: -1},
		{text: "1e3s", rate: 1, frames: -1},
		{text: "s", rate: 1, frames: -1},
		{text: "", rate: 1, frames: -1},
		{text: "-1s", rate: 1, frames: -1},
		{text: "+1s", rate: 1, frames: -1},
		{text: "1 s", rate: 1, frames: -1},
		{text: "1S", rate: 1, frames: -1},
		{text: "0x10", rate: 1, frames: -1},
		{text: "1_000", rate: 1, frames: -1},
		{text: "NaN", rate: 1, frames: -1},
		{text: "Inf", rate: 1, frames: -1},
		{text: "1e", rate: 1, frames: -1},
		{text: "1e401", rate: 1, frames: -1},
		{text: ".", rate: 1, frames: -1},
		{text: "1..2", rate: 1, frames: -1},
		{text: "0." + strings.Repeat("0", 500), rate: 1},
		{text: "1e-19", rate: 1, frames: -1},
		{text: "10e-19", rate: 1},
		{text: strings.Repeat("9", 5000), rate: 1, frames: -1},
		{text: "20µs", rate: 1000000, frames: 20},
	} {
		got, err := rules.ParseTime(c.text)
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

// TestTimesAreExact compares times with rational arithmetic, rounded half up.
func TestTimesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[0-9]{1,9}(\.[0-9]{0,18})?`).Draw(t, "seconds")
		rate := rapid.IntRange(1, 768000).Draw(t, "rate")
		got, err := rules.ParseTime(text + "s")
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
		if again, err := rules.ParseTime(got.String()); err != nil || again != got {
			t.Fatalf("%v is read as %v, %v", got, again, err)
		}
	})
}

// TestFrameTime checks that every number of frames has a time that rounds to it.
func TestFrameTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.IntRange(1, 768000).Draw(t, "rate")
		frames := rapid.Int64Range(0, 1e9*int64(rate)).Draw(t, "frames")
		text := rules.FrameTime(frames, rate).String()
		got, err := rules.ParseTime(text)
		if err != nil || got.Frames(rate) != frames {
			t.Fatalf("%d frames at %d Hz are written %s, read as %d, %v", frames, rate, text, got.Frames(rate), err)
		}
	})
	for _, c := range []struct {
		frames int64
		rate   int
		want   string
	}{
		{rate: 48000, want: "0s"},
		{frames: 72000, rate: 48000, want: "1.5s"},
		{frames: 1, rate: 48000, want: "0.000020833333333333s"},
		{frames: 5, rate: 3, want: "1.666666666666666667s"},
	} {
		if got := rules.FrameTime(c.frames, c.rate).String(); got != c.want {
			t.Errorf("%d frames at %d Hz are written %s, want %s", c.frames, c.rate, got, c.want)
		}
	}
}
