package delay

import (
	"math"

	"voicepool/pcm"
)

// Tail returns an upper bound of the frames, at a rate in Hz, after the end of the input until the output stays below
// -90 dB of the input's peak, with constant parameters. Control side.
func Tail(v *Values, rate int) int64 { return decay(v, rate, 4.5*log2of10) }

const log2of10 = 3.32192809488736234787031942948939018

// decay returns the number of frames after the end of the input until the output stays below the peak of the
// input by the given octaves.
//
// The loop's weights are not negative. The line therefore stays below c e^(-q t), where q solves lowPass e^q +
// feedback (1-lowPass) e^(q time) = 1 and c is at least the largest sample in the line when the input ends: peak/(1
// - feedback). In octaves e is 2.
func decay(v *Values, rate int, octaves float64) int64 {
	s, time := newSettings(v, rate), float64(max(framesOf(v.Time, rate), 1))
	around := float64(s.feedback * (1 - s.lowPass))
	if around == 0 {
		return int64(time)
	}
	low, high := 0.0, min(-pcm.Log2(s.lowPass), -pcm.Log2(around)/time)
	for range 60 {
		q := (low + high) / 2
		if float64(s.lowPass*pcm.Exp2(q))+float64(around*pcm.Exp2(float64(q*time))) < 1 {
			low = q
		} else {
			high = q
		}
	}
	return int64(time + math.Ceil((octaves-pcm.Log2(1-s.feedback))/low))
}
