package clicktest

import (
	"math"
	"testing"
)

// TestMost checks the level of a tone behind the high-pass against Butterworth's formula at common rates.
// Frames before the given one do not count. The tones have every phase.
func TestMost(t *testing.T) {
	for _, rate := range []int{22050, 44100, 48000, 96000, 192000} {
		for _, hertz := range []float64{203, 1013, 2003, 4007, 8009} {
			x := make([]float64, rate)
			for i := range x {
				x[i] = math.Sin(2 * math.Pi * hertz * float64(i) / float64(rate))
			}
			warped := math.Tan(math.Pi*2000/float64(rate)) / math.Tan(math.Pi*hertz/float64(rate))
			want := 1 / math.Sqrt(1+math.Pow(warped, 16))
			if got := PeakAbove2kHz(x, rate, rate/2); math.Abs(got-want) > 0.03*want {
				t.Errorf("%d Hz, a tone of %v Hz: %v, want %v", rate, hertz, got, want)
			}
		}
	}
	click := make([]float64, 48000)
	click[100] = 1
	if at, after := PeakAbove2kHz(click, 48000, 0), PeakAbove2kHz(click, 48000, 24000); at < 0.5 || after > 1e-12 {
		t.Errorf("a click: %v, and %v behind it", at, after)
	}
}
