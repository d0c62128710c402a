package pcm_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"voicepool/pcm"
)

func TestDitherEdges(t *testing.T) {
	var d pcm.Dither
	for number := range uint64(1000) {
		for _, c := range []struct {
			sample  float32
			want    int16
			clipped bool
		}{
			{sample: 0},
			{sample: float32(math.Copysign(0, -1))},
			{sample: 2, want: 32767, clipped: true},
			{sample: -2, want: -32768, clipped: true},
			{sample: float32(math.Inf(1)), want: 32767, clipped: true},
			{sample: float32(math.Inf(-1)), want: -32768, clipped: true},
			{sample: float32(math.NaN()), clipped: true},
		} {
			if got, clipped := d.Int16(c.sample, number); got != c.want || clipped != c.clipped {
				t.Fatalf("sample %d, %v: %d, clipped %v, want %d, %v", number, c.sample, got, clipped, c.want, c.clipped)
			}
		}
	}
}

// TestDither checks that the error has the mean 0 and the variance of a quarter of a step², for samples at any
// position between two steps.
func TestDither(t *testing.T) {
	const n = 1 << 16
	for _, part := range []float64{0, 0.25, 0.5, 0.9} {
		d := pcm.Dither{Seed: 7}
		sum, square := 0.0, 0.0
		for i := range uint64(n) {
			y, clipped := d.Int16(float32((100+part)/32768), i)
			if clipped {
				t.Fatal("clipped")
			}
			e := float64(y) - 100 - part
			sum += e
			square += e * e
		}
		if mean, variance := sum/n, square/n; math.Abs(mean) > 0.01 || math.Abs(variance-0.25) > 0.01 {
			t.Errorf("%v of a step: mean %.4f, variance %.4f, want 0 and 0.25", part, mean, variance)
		}
	}
}

// TestDitherSameBits pins what golden files depend on.
func TestDitherSameBits(t *testing.T) {
	h := fnv.New64a()
	for seed := range uint64(3) {
		d := pcm.Dither{Seed: seed}
		for i := range uint64(5000) {
			y, _ := d.Int16(float32(i)/5000-0.5, i)
			h.Write([]byte{byte(y), byte(y >> 8)})
		}
	}
	const want = "36edb1722d76cc56"
	if got := fmt.Sprintf("%016x", h.Sum64()); got != want {
		t.Errorf("15,000 samples hash to %s, want %s", got, want)
	}
}
