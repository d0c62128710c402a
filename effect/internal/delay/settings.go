package delay

import (
	"math"

	"voicepool/pcm"
)

// settings are the factors of the loop.
type settings struct {
	feedback float64
	lowPass  float64 // low-pass coefficient: the share of the last output that stays; 0: off
	cross    float64 // 0: separate channels, 1: ping-pong
}

// newSettings returns the coefficients of the loop for v at a rate in Hz.
func newSettings(v *Values, rate int) settings {
	return settings{feedback: v.Feedback, lowPass: lowPassCoefficient(v.LowPass, rate), cross: v.PingPong}
}

// numbers returns the settings as a vector for the ramp.
func (s settings) numbers() [3]float64 { return [3]float64{s.feedback, s.lowPass, s.cross} }

// setNumbers sets the settings from x, in the order of numbers.
func (s *settings) setNumbers(x []float64) { s.feedback, s.lowPass, s.cross = x[0], x[1], x[2] }

// lowPassCoefficient returns the coefficient a of the low-pass y = a y + (1-a) x, which is 3 dB down at a cutoff in
// Hz; 0 is off. With u = 1 - cos(2 pi cutoff/rate), 1-a solves x^2 + 2u x - 2u = 0. From 0.49 of the rate on, and for
// a cutoff of 0, the low-pass is off.
func lowPassCoefficient(cutoff float64, rate int) float64 {
	part := cutoff / float64(rate)
	if cutoff <= 0 || part >= 0.49 {
		return 0
	}
	sine := pcm.SinPi(part)
	u := float64(2 * float64(sine*sine))
	return 1 + u - math.Sqrt(float64(u*(u+2)))
}

// framesOf returns the number of frames of a time in seconds: its nanoseconds, rounded half up like
// pcm.Frames.
func framesOf(time float64, rate int) int {
	nanoseconds := int64(math.Floor(float64(time*1e9) + 0.5))
	return int((nanoseconds*int64(rate) + 5e8) / 1e9)
}
