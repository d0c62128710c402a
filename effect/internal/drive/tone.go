package drive

import (
	"math"

	"voicepool/pcm"
)

const (
	pivot = 1000 // Hz; its level is constant
	tilt  = 9    // dB: a tone of 1 raises high frequencies and lowers low frequencies by it
)

// tone tilts the spectrum around the pivot: y = high x + bend low(x), where low is a trapezoidal one-pole
// low-pass at the pivot.
type tone struct {
	share float64    // g/(1+g), with g = tan(pi pivot/rate)
	state [2]float64 // of the low-pass, left and right
}

// newTone returns a flat tone filter without history, for a rate in Hz.
func newTone(rate int) tone {
	g := corner(rate)
	return tone{share: g / (1 + g)}
}

// corner returns tan(pi f/rate) for the pivot frequency f, which is limited to 0.49 of the rate.
func corner(rate int) float64 { return pcm.TanPi(min(pivot/float64(rate), 0.49)) }

// tiltWeights returns the weights high and bend of step for a tone x, -1..1: high scales the input, bend its
// low-passed part. For 0 they are 1 and 0.
func tiltWeights(x float64) (high, bend float64) {
	t := pcm.Decibels(tilt * x).Linear()
	t2 := float64(t * t)
	level := math.Sqrt(2 / (t2 + 1/t2))
	return float64(level * t), float64(level * (1/t - t))
}

// grain, added and subtracted, rounds a sample to a multiple of 2^-83, so that no sample becomes denormal.
const grain = 0x1p-30

// step filters one frame with the weights of tiltWeights, and updates the state.
func (t *tone) step(x pcm.Frame, high, bend float64) (y pcm.Frame) {
	for side, v := range x {
		v, s := float64(v), t.state[side]
		d := float64((v - s) * t.share)
		low := s + d
		t.state[side] = low + d
		y[side] = float32(float64(high*v) + float64(bend*low) + grain - grain)
	}
	return y
}

// flushTiny sets a state to 0 if it is below 400 dB under full scale.
func (t *tone) flushTiny() {
	for side, s := range t.state {
		if math.Abs(s) < 1e-20 {
			t.state[side] = 0
		}
	}
}
