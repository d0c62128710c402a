package compressor

import (
	"math"

	"voicepool/pcm"
)

// What acts on the audio side, in the order of the glide.
const (
	threshold = iota // octaves
	knee             // octaves
	slope            // 1 - 1/ratio
	release          // the detector's times
	attack
	fall
	makeup // a factor
	count
)

// settings returns what v means at a rate. In these units a move is even: threshold and knee in
// dB, the ratio as its inverse.
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

// share returns which part of its way a one-pole filter with a time constant in seconds goes in
// one frame: 1 - e^(-1/(time rate)).
func share(time float64, rate int) float64 {
	return 1 - pcm.Exp2(-1/math.Ln2/float64(time*float64(rate)))
}
