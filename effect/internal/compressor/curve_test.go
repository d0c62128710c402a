package compressor

import (
	"math"
	"slices"
	"testing"

	"voicepool/internal/longtest"
	"voicepool/pcm"
)

// settled returns the gain in dB over the last frames of a signal.
func settled(c *Compressor, x []pcm.Frame, last int) float64 {
	out, in, sum := slices.Clone(x), 0.0, 0.0
	c.Process(out, nil, 0)
	for i := len(x) - last; i < len(x); i++ {
		in += float64(x[i][0]) * float64(x[i][0])
		sum += float64(out[i][0]) * float64(out[i][0])
	}
	return 10 * math.Log10(sum/in)
}

// TestStaticCurve checks the output level of square waves and sines against the formula, to 0.1 dB, for all
// levels, thresholds, ratios and knees. The reduction of a sine sinks between its peaks, so the release is long
// here.
func TestStaticCurve(t *testing.T) {
	worst, next := map[string]float64{}, longtest.Every(5)
	for _, rate := range rates {
		square, sine := make([]pcm.Frame, 640), make([]pcm.Frame, rate/20)
		for _, threshold := range []float64{-60, -30, -18, -3, 0} {
			for _, ratio := range []float64{1, 1.5, 2, 4, 20, 100} {
				for _, knee := range []float64{0, 1, 6, 24} {
					for level := -78.0; level <= 24; level += 5.1 {
						if !next() {
							continue
						}
						a := linear(level)
						v := Values{Threshold: threshold, Ratio: ratio, Knee: knee, Attack: 0.0001, Release: 0.5, Makeup: 3}
						for i := range square {
							square[i] = pcm.Frame{float32(a * float64(1-i/8%2*2)), 0}
						}
						want := 3 - v.asked(decibels(float64(square[0][0])))
						e := math.Abs(settled(with(rate, v), square, 64) - want)
						worst["square"] = max(worst["square"], e)
						if e > 0.1 {
							t.Fatalf("%d Hz, %+v: a square wave at %.1f dBFS is off by %.3f dB", rate, v, level, e)
						}
						if rate > 48000 || level < threshold-13 {
							continue
						}
						v.Attack, v.Release = 0.002, 5
						for i := range sine {
							sine[i] = pcm.Frame{0, float32(a * math.Sin(math.Pi/4*float64(i)))}
							sine[i][0] = sine[i][1]
						}
						e = math.Abs(settled(with(rate, v), sine, 64) - want)
						worst["sine"] = max(worst["sine"], e)
						if e > 0.1 {
							t.Fatalf("%d Hz, %+v: a sine at %.1f dBFS is off by %.3f dB", rate, v, level, e)
						}
					}
				}
			}
		}
	}
	t.Logf("largest errors in dB: %v", worst)
}

// TestQuiet checks that levels below the quiet limit also have no reduction by the polynomial.
func TestQuiet(t *testing.T) {
	for threshold := -60.0; threshold <= 0; threshold += 0.37 {
		for knee := 0.0; knee <= 24; knee += 1.7 {
			c := newCurve(threshold/octave, knee/octave, 0.99)
			c.computeQuiet()
			var x [1]float32
			c.Reductions(x[:], []pcm.Frame{{c.quiet, 0}})
			if begin := decibels(float64(c.quiet)) - (threshold - knee/2); x[0] != 0 || begin > -0.001 || begin < -0.02 {
				t.Fatalf("%v dB, knee %v: quiet is %v beside it and lowered by %v", threshold, knee, begin, x[0])
			}
		}
	}
}
