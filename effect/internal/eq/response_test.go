package eq

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"voicepool/internal/longtest"
)

// TestResponse checks the filters and Response against the cookbook's response, within 0.01 dB up to 0.45 of
// the rate.
func TestResponse(t *testing.T) {
	worst, told, next := 0.0, 0.0, longtest.Every(5)
	for _, rate := range few() {
		every(freqs, gains, qs, func(b Band) {
			if !next() {
				return
			}
			e, v := with(rate, b)
			floor := 1e-10
			if b.Type == LowPass || b.Type == HighPass {
				floor = 1e-14 // enough for -190 dB
			}
			h, c := e.impulse(floor), newCookbook(&b, rate)
			nyquist := float64(rate) / 2
			for _, freq := range []float64{0, 20, b.Freq / 3, b.Freq * 0.95, b.Freq, b.Freq * 1.3, 0.2 * nyquist, 0.45 * 2 * nyquist} {
				if freq > 0.45*float64(rate) {
					continue
				}
				want := cmplx.Abs(c.response(freq, rate))
				if want < 1e-6 && b.Type != LowPass && (b.Type != HighPass || freq == 0) {
					continue // the center of a notch, and 0 Hz
				}
				got := math.Abs(decibels(cmplx.Abs(spectrumOf(h, freq, rate)) / want))
				says := math.Abs(v.Response(freq, rate) - decibels(want))
				worst, told = max(worst, got), max(told, says)
				if got > 0.01 || says > 0.001 {
					t.Errorf("%d Hz, %+v at %.1f Hz: %.5f dB off, Response %.5f dB", rate, b, freq, got, says)
				}
			}
		})
	}
	t.Logf("the largest errors: %.6f dB, of Response %.6f dB", worst, told)
}

// TestNoise compares full-scale noise with the output of the cookbook's biquad. The difference is 120 dB below
// full scale and below the peak of the output.
func TestNoise(t *testing.T) {
	worst, next := math.Inf(-1), longtest.Every(11)
	for _, rate := range rates {
		in := uniform(rand.New(rand.NewPCG(1, 1)).Float32, 20000)
		want, out := make([]float64, len(in)), in[:0:0]
		every(freqs, gains, qs, func(b Band) {
			if !next() {
				return
			}
			for i, x := range in {
				want[i] = float64(x[0])
			}
			newCookbook(&b, rate).filter(want)
			e, _ := with(rate, b)
			out = append(out[:0], in...)
			e.Process(out, 0)
			off, peak := 0.0, 1.0
			for i, y := range out {
				off, peak = max(off, math.Abs(float64(y[0])-want[i])), max(peak, math.Abs(want[i]))
			}
			if worst = max(worst, decibels(off/peak)); off/peak > 1e-6 {
				t.Errorf("%d Hz, %+v: %.1f dB", rate, b, decibels(off/peak))
			}
		})
	}
	t.Logf("what differs is at most at %.1f dB", worst)
}

// TestResponseOfMany checks that the gains of bands add up in dB, in Response and in the output.
func TestResponseOfMany(t *testing.T) {
	for _, rate := range rates {
		e, v := with(rate,
			Band{LowShelf, 90, 9, 0.7}, Band{None, 100, 24, 3}, Band{Peak, 700, -11, 2}, Band{Peak, 1500, 0, 2},
			Band{Notch, 1000, 0, 3}, Band{HighShelf, 2500, 5, 0.6}, Band{LowPass, 3500, 0, 1.2}, Band{HighPass, 50, 0, 0.7071})
		h := e.impulse(1e-12)
		for _, freq := range []float64{20, 50, 90, 300, 700, 990, 1500, 3000} {
			want := 0.0
			for i := range v.N {
				want += decibels(cmplx.Abs(newCookbook(&v.Bands[i], rate).response(freq, rate)))
			}
			got := decibels(cmplx.Abs(spectrumOf(h, freq, rate)))
			if math.Abs(got-want) > 0.01 || math.Abs(v.Response(freq, rate)-want) > 0.001 {
				t.Errorf("%d Hz, at %v Hz: %.4f dB, Response %.4f, want %.4f", rate, freq, got, v.Response(freq, rate), want)
			}
		}
		if got := v.Response(1000, rate); got < -240 || got > -150 {
			t.Errorf("%d Hz: the middle of a notch is at %v dB", rate, got)
		}
		if x, y := v.Response(0.49*float64(rate), rate), v.Response(1e9, rate); x != y {
			t.Errorf("%d Hz: %v dB far beyond the rate, want %v", rate, y, x)
		}
	}
}
