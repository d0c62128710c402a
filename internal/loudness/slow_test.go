package loudness_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"voicepool/internal/dsp"
	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// slowPeak computes the true peak by its definition, one position after the other.
func slowPeak(rate, channels int, samples []float32) (peak float64) {
	factor := 4
	switch {
	case rate >= 192000:
		factor = 1
	case rate >= 96000:
		factor = 2
	}
	frames := len(samples) / channels
	for c := range channels {
		x := make([]float64, 32+frames+32)
		for i := range frames {
			x[32+i] = float64(samples[i*channels+c])
			peak = max(peak, math.Abs(x[32+i]))
		}
		for p := 1; p < factor; p++ {
			var taps [32]float64
			dsp.Interpolator(taps[:], float64(p)/float64(factor))
			for i := range len(x) - 31 {
				var even, odd float64
				for k := 0; k < 32; k += 2 {
					even += float64(x[i+k] * taps[k])
					odd += float64(x[i+k+1] * taps[k+1])
				}
				peak = max(peak, math.Abs(even+odd))
			}
		}
	}
	return peak
}

// TestPeakBits compares the meter with the definition of the true peak, to the bit, for any division of the
// samples. The signals are noise, swells, and samples with the largest peaks between them.
func TestPeakBits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, rate := range []int{8000, 48000, 96000, 192000} {
		for channels := 1; channels <= 6; channels++ {
			for kind := range 4 {
				x := make([]float32, channels*(1+r.IntN(900)))
				step, rise := 0.3+0.7*r.Float64(), r.Float64()*0.02-0.01
				for i := range x {
					switch n := float64(i / channels); kind {
					case 0:
						x[i] = float32(r.Float64()*2 - 1)
					case 1:
						x[i] = float32(math.Exp(rise*n) * math.Sin(math.Pi*step*n+float64(i%channels)))
					case 2:
						x[i] = float32(math.Copysign(1, math.Sin(math.Pi*step*n)))
					case 3:
						if r.IntN(100) == 0 {
							x[i] = float32(r.Float64()) * 0x1p-140
						}
					}
				}
				m := loudness.NewPeakMeter(rate, channels)
				for at := 0; at < len(x); {
					n := min(channels*(1+r.IntN(400)), len(x)-at)
					m.Write(x[at : at+n])
					at += n
				}
				if got, want := m.TruePeak(), slowPeak(rate, channels, x); got != want {
					t.Fatalf("kind %d, %d Hz, %d channels, %d samples: a true peak of %v, by definition %v", kind, rate, channels, len(x), got, want)
				}
			}
		}
	}
}

// TestMeterBits checks that the meter equals a sample-by-sample measurement, to the bit.
func TestMeterBits(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, weights := range [][]float64{{1}, {1, 1}, {1.41}, {1, 0}, {1, 1, 1}, {1, 1, 1, 0, 1.41, 1.41}} {
		channels := len(weights)
		x := make([]float32, channels*2400) // three steps form one shorter block
		for i := range x {
			x[i] = float32(r.Float64()*2 - 1)
		}
		m, sum := loudness.NewMeter(8000, weights), 0.0
		filters := make([]loudness.Filter, channels)
		for c := range filters {
			filters[c] = loudness.NewFilter(8000)
		}
		var steps [3]float64
		for i, x := range x {
			y := filters[i%channels].Next(float64(x))
			steps[i/(800*channels)] += float64(float64(y*y) * weights[i%channels])
		}
		for _, s := range steps {
			sum += s
		}
		for at := 0; at < len(x); {
			n := min(channels*(1+r.IntN(70)), len(x)-at)
			m.Write(x[at : at+n])
			at += n
		}
		if got, want := m.Integrated(), pcm.LoudnessOf(sum/2400); got != want {
			t.Errorf("weights %v: %v LUFS, one by one %v", weights, got, want)
		}
	}
}
