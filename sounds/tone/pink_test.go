package tone

import (
	"math"
	"math/cmplx"
	"testing"

	"voicepool/internal/fourier"
)

// TestPinkSlope checks that the filter falls by 3 dB per octave from 20 Hz to 20 kHz, or to 0.45 of the rate,
// within 0.2 dB. The frequency response is computed from its sections.
func TestPinkSlope(t *testing.T) {
	for _, rate := range []int{8000, 11025, 22050, 32000, 44100, 48000, 88200, 96000, 192000, 768000} {
		f := newPinkFilter(rate)
		low, high := math.Inf(1), math.Inf(-1)
		for hertz := 20.0; hertz <= min(20000, 0.4536*float64(rate)); hertz *= 1.01 {
			w := 2 * math.Pi * hertz / float64(rate)
			z := cmplx.Exp(complex(0, -w))
			h := complex(middleTap+2*outerTap*math.Cos(w), 0)
			for i := range f.poles {
				h *= (1 - complex(f.zeros[i], 0)*z) / (1 - complex(f.poles[i], 0)*z)
			}
			off := 20*math.Log10(cmplx.Abs(h)) + 10*math.Log10(hertz)
			low, high = min(low, off), max(high, off)
		}
		t.Logf("at %d Hz: within %.3f dB", rate, (high-low)/2)
		if (high-low)/2 > 0.2 {
			t.Errorf("at %d Hz: within %.3f dB, want 0.2", rate, (high-low)/2)
		}
	}
}

// TestPinkNoise checks the noise itself: the power of each octave is equal within 0.5 dB, and doubles for white
// noise.
func TestPinkNoise(t *testing.T) {
	const rate, size, blocks = 48000, 1 << 13, 500
	for _, c := range []struct {
		signal Signal
		slope  float64 // dB per octave, of the power per hertz
	}{
		{signal: Signal{Shape: Pink}, slope: -3.0103},
		{signal: Signal{Shape: White}, slope: 0},
	} {
		g := newGenerator(c.signal, rate, 0, 1)
		var power [size / 2]float64
		x, fft := make([]complex128, size), fourier.New(size)
		for range blocks {
			for i := range x {
				window := 0.5 - 0.5*math.Cos(2*math.Pi*float64(i)/size)
				x[i] = complex(float64(g.next())*window, 0)
			}
			fft.Apply(x)
			for i := range power {
				power[i] += real(x[i])*real(x[i]) + imag(x[i])*imag(x[i])
			}
		}
		// Third-octave bands from 50 Hz on, where a band has several bins.
		low, high := math.Inf(1), math.Inf(-1)
		for hertz := 50.0; hertz < 17000; hertz *= math.Cbrt(2) {
			from, to := int(hertz/math.Pow(2, 1./6)*size/rate+0.5), int(hertz*math.Pow(2, 1./6)*size/rate+0.5)
			sum, want := 0.0, 0.0
			for i := from; i <= to; i++ {
				sum += power[i]
				want += math.Pow(float64(i), c.slope/3.0103)
			}
			off := 10 * math.Log10(sum/want)
			low, high = min(low, off), max(high, off)
		}
		t.Logf("%v: within %.2f dB", c.signal, (high-low)/2)
		if (high-low)/2 > 0.5 {
			t.Errorf("%v: within %.2f dB, want 0.5", c.signal, (high-low)/2)
		}
	}
}
