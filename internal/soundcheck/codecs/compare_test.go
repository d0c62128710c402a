package codecs

import (
	"math"
	"testing"
)

// damaged returns half a second of the test signal in 16-bit integers, and a copy multiplied by louder and
// rounded to bits.
func damaged(channels, bits int, louder float64) (want, got []float32) {
	step := math.Ldexp(1, 1-bits)
	for _, s := range signal(encoding{rate: 48000, channels: channels, frames: 24000, bits: 16}) {
		x := float64(s) / 32768
		y := math.Round(math.Round(x*louder/step)*step*32768) / 32768
		want, got = append(want, float32(x)), append(got, float32(min(max(y, -1), 1-1./32768)))
	}
	return want, got
}

// TestQuality compares the results with those of opus_compare, the program of RFC 6716, for the same samples.
func TestQuality(t *testing.T) {
	for _, c := range []struct {
		channels, bits int
		louder, want   float64
	}{
		{channels: 1, bits: 16, louder: 1, want: 100}, {channels: 2, bits: 16, louder: 1, want: 100},
		{channels: 1, bits: 10, louder: 1, want: 68.9}, {channels: 2, bits: 10, louder: 1, want: 74.0},
		{channels: 1, bits: 6, louder: 1, want: -295.9}, {channels: 2, bits: 6, louder: 1, want: -281.6},
		{channels: 1, bits: 16, louder: 0.9, want: 61.3}, {channels: 2, bits: 16, louder: 0.7, want: -5.2},
	} {
		want, got := damaged(c.channels, c.bits, c.louder)
		if q := quality(got, want, c.channels); math.Abs(q-c.want) > 0.1 {
			t.Errorf("%d channels, %d bits, times %v: %.1f, want %v", c.channels, c.bits, c.louder, q, c.want)
		}
	}
}

// TestCoherence checks that phase filters and level changes keep the coherence, and that noise lowers it
// according to its level.
func TestCoherence(t *testing.T) {
	want, _ := damaged(1, 16, 1)
	turned := make([]float32, len(want))
	for i := range want[1:] { // an all-pass
		turned[i+1] = float32(0.5*float64(want[i+1]) + float64(want[i]) - 0.5*float64(turned[i]))
	}
	if alike, level := coherence(turned, want); alike < 0.999 || math.Abs(level) > 0.01 {
		t.Errorf("through an all-pass: coherence %v, %v dB", alike, level)
	}
	_, low := damaged(1, 16, 0.5)
	if alike, level := coherence(low, want); alike < 0.9999 || math.Abs(level+6.02) > 0.01 {
		t.Errorf("half as loud: coherence %v, %v dB", alike, level)
	}
	state, noisy := uint32(1), make([]float32, len(want))
	for i, x := range want {
		state = state*1664525 + 1013904223
		noisy[i] = x + 0.5*(float32(state>>8)/(1<<24)-0.5)
	}
	if alike, _ := coherence(noisy, want); alike > 0.995 {
		t.Errorf("with noise: coherence %v", alike)
	}
}
