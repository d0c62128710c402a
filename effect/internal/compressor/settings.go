package compressor

import (
	"math"

	"voicepool/pcm"
)

// Indices of the settings in the ramp.
const (
	threshold = iota // octaves
	knee             // octaves
	slope            // 1 - 1/ratio
	release          // times of the detector
	attack
	fall
	makeup // a linear factor
	count
)

// settings converts v to the numbers that ramp, for a rate in Hz. In these units moves sound even: threshold and knee
// in dB, the ratio as its inverse.
func settings(v *Values, rate int) [count]float64 {
	falling := min(v.Attack, v.Release/fallShare)
	return [count]float64{
		threshold: v.Threshold / octave,
		knee:      v.Knee / octave,
		slope:     1 - 1/v.Ratio,
		release:   share(v.Release-falling, rate),
		attack:    share(v.Attack, rate),
		fall:      share(falling, rate),
		makeup:    pcm.Decibels(v.Makeup).Linear(),
	}
}

// share returns the share of the distance to its target that a one-pole filter covers per frame: 1 -
// e^(-1/(time rate)). time is its time constant in seconds.
func share(time float64, rate int) float64 {
	return 1 - pcm.Exp2(-1/math.Ln2/float64(time*float64(rate)))
}
