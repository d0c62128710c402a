package pcm_test

import (
	"fmt"
	"math"
	"testing"

	"voicepool/pcm"
)

// TestFader holds the curve against x^3, over a grid that has every step of a slider of
// 10,000, and takes each gain back.
func TestFader(t *testing.T) {
	before := pcm.FromFader(0)
	for i := range 10_001 {
		x := float64(i) / 10_000
		got := pcm.FromFader(x)
		want := 20 * math.Log10(x*x*x)
		if want <= -80 {
			want = math.Inf(-1)
		}
		if math.Abs(float64(got)-want) > 1e-12*math.Abs(want) && !(math.IsInf(want, -1) && got == pcm.Decibels(want)) {
			t.Fatalf("at %v: %v dB, want %v", x, got, want)
		}
		if got < before {
			t.Fatalf("at %v the gain falls from %v to %v dB", x, before, got)
		}
		before = got
		back := pcm.ToFader(got)
		if math.IsInf(want, -1) {
			x = 0
		}
		if math.Abs(back-x) > 1e-14 {
			t.Fatalf("%v dB is at %v, want %v", got, back, x)
		}
	}
}

func TestFaderEdges(t *testing.T) {
	silence := pcm.Decibels(math.Inf(-1))
	for _, c := range []struct {
		position float64
		want     pcm.Decibels
	}{
		{position: 0, want: silence},
		{position: math.Copysign(0, -1), want: silence},
		{position: -1, want: silence},
		{position: math.Inf(-1), want: silence},
		{position: math.SmallestNonzeroFloat64, want: silence},
		{position: 1, want: 0},
		{position: math.Nextafter(1, 2), want: 0},
		{position: math.Inf(1), want: 0},
	} {
		if got := pcm.FromFader(c.position); got != c.want {
			t.Errorf("at %v: %v dB, want %v", c.position, got, c.want)
		}
	}
	for _, c := range []struct {
		gain pcm.Decibels
		want float64
	}{
		{gain: silence, want: 0},
		{gain: -120, want: 0},
		{gain: pcm.Silence, want: 0},
		{gain: 0, want: 1},
		{gain: 24, want: 1},
		{gain: pcm.Decibels(math.Inf(1)), want: 1},
	} {
		if got := pcm.ToFader(c.gain); got != c.want {
			t.Errorf("%v dB is at %v, want %v", c.gain, got, c.want)
		}
	}
	if x := pcm.FromFader(math.NaN()); x == x {
		t.Errorf("NaN is %v dB", x)
	}
	if x := pcm.ToFader(pcm.Decibels(math.NaN())); x == x {
		t.Errorf("a gain of NaN is at %v", x)
	}
}

// The slider of a settings page, to a gain and back.
func ExampleFromFader() {
	for _, position := range []float64{1, 0.75, 0.5, 0.25, 0} {
		gain := pcm.FromFader(position)
		fmt.Printf("%.2f: %.1f dB, back at %.2f\n", position, gain, pcm.ToFader(gain))
	}
	// Output:
	// 1.00: 0.0 dB, back at 1.00
	// 0.75: -7.5 dB, back at 0.75
	// 0.50: -18.1 dB, back at 0.50
	// 0.25: -36.1 dB, back at 0.25
	// 0.00: -Inf dB, back at 0.00
}
