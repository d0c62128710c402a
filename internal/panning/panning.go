// Package panning has the pan laws of voices and buses: the linear left and right factors of a pan, -1 (left) to +1
// (right).
//
//	left, right := panning.Gains(0.5)    // of a mono sound
//	left, right = panning.Stereo.At(0.5) // of a sound with two channels
//
// Its functions keep no state; any goroutine may call them.
package panning

import (
	"math"

	"voicepool/internal/move"
	"voicepool/pcm"
)

// Law selects how a pan becomes a left and a right factor: Mono, Stereo, or a number 0..1 for a stereo
// sound with a position in space. The number is the width that remains of the sound. At 0 both channels are
// panned like their mono downmix.
type Law float64

const (
	Mono   Law = -1 // for one channel, see Gains
	Stereo Law = 1  // for two channels, see Balance
)

// At returns the linear left and right factors of pan under the law l. pan is -1 (left) to +1 (right). A law between 0
// and 1 mixes balance and constant-power panning by this width.
func (l Law) At(pan float64) (left, right float64) {
	switch l {
	case Mono:
		return Gains(pan)
	case Stereo:
		return Balance(pan)
	}
	if pan == 0 {
		return 1, 1
	}
	s := float64(l)
	left, right = Balance(pan)
	foldedLeft, foldedRight := powerGains(pan)
	return float64(s*left) + float64((1-s)*float64(math.Sqrt2*foldedLeft)),
		float64(s*right) + float64((1-s)*float64(math.Sqrt2*foldedRight))
}

// Gains returns the linear left and right factors for a mono sound. pan is -1 (left) to +1 (right). The factors have
// constant power, with -3 dB at the centre.
func Gains(pan float64) (left, right float64) {
	if pan == 0 {
		return centre[0], centre[1]
	}
	return powerGains(pan)
}

// centre holds the factors of the most frequent pan.
var centre = func() (c [2]float64) {
	c[0], c[1] = powerGains(0)
	return c
}()

// powerGains returns linear left and right factors with constant power: the sum of their squares is 1. pan is -1 (left)
// to +1 (right).
func powerGains(pan float64) (left, right float64) {
	right, left = pcm.SinCosPi((pan + 1) / 4)
	return left, right
}

// Balance returns the linear left and right factors for a stereo sound. pan is -1 (left) to +1 (right). At the centre
// both are 1. Otherwise the side away from the pan is attenuated, down to 0, and the other side keeps 1.
func Balance(pan float64) (left, right float64) {
	if pan == 0 {
		return 1, 1
	}
	if pan > 0 {
		return pcm.CosPi(pan / 2), 1
	}
	return 1, pcm.CosPi(pan / 2)
}

// Louder returns the linear left and right factors of pan under law. While pan moves, the factors at frame of the
// mix or at the target count, whichever pair has more power.
func Louder(law Law, pan *move.Move, frame int64) (left, right float64) {
	at := pan.At(frame)
	left, right = law.At(at)
	if at == pan.To {
		return left, right
	}
	toLeft, toRight := law.At(pan.To)
	return LouderPair(left, right, toLeft, toRight)
}

// LouderPair returns the pair of factors with the larger sum of squares: left and right, or toLeft and toRight. If the
// sums are practically equal, it returns left and right.
func LouderPair(left, right, toLeft, toRight float64) (float64, float64) {
	// The pans of a mono sound have equal power except for the last bits. Those bits must not decide, because
	// under a panned bus the two pairs are not equivalent.
	if float64(toLeft*toLeft)+float64(toRight*toRight) > (float64(left*left)+float64(right*right))*(1+1e-9) {
		return toLeft, toRight
	}
	return left, right
}

// Larger returns the linear left and right factors of pan under law. While pan moves, each side is the larger of two
// factors: at frame of the mix and at the target.
func Larger(law Law, pan *move.Move, frame int64) (left, right float64) {
	at := pan.At(frame)
	left, right = law.At(at)
	if at != pan.To {
		toLeft, toRight := law.At(pan.To)
		left, right = max(left, toLeft), max(right, toRight)
	}
	return left, right
}
