package voice

import (
	"math"

	"voicepool/pcm"
)

// PanLaw selects how a pan becomes a left and a right factor: Mono, Stereo, or a number 0..1 for a stereo
// sound with a position in space. The number is the width that remains of the sound. At 0 both channels are
// panned like their mono downmix.
type PanLaw float64

const (
	Mono   PanLaw = -1 // for one channel, see Pan
	Stereo PanLaw = 1  // for two channels, see Balance
)

// At returns the linear left and right factors of pan under the law l. pan is -1 (left) to +1 (right). A law between 0
// and 1 mixes balance and constant-power panning by this width.
func (l PanLaw) At(pan float64) (left, right float64) {
	switch l {
	case Mono:
		return Pan(pan)
	case Stereo:
		return Balance(pan)
	}
	if pan == 0 {
		return 1, 1
	}
	s := float64(l)
	left, right = Balance(pan)
	foldedLeft, foldedRight := panGains(pan)
	return float64(s*left) + float64((1-s)*float64(math.Sqrt2*foldedLeft)),
		float64(s*right) + float64((1-s)*float64(math.Sqrt2*foldedRight))
}

// Pan returns the linear left and right factors for a mono sound. pan is -1 (left) to +1 (right). The factors have
// constant power, with -3 dB at the centre.
func Pan(pan float64) (left, right float64) {
	if pan == 0 {
		return centre[0], centre[1]
	}
	return panGains(pan)
}

// centre holds the factors of the most frequent pan.
var centre = func() (c [2]float64) {
	c[0], c[1] = panGains(0)
	return c
}()

// panGains returns linear left and right factors with constant power: the sum of their squares is 1. pan is -1 (left)
// to +1 (right).
func panGains(pan float64) (left, right float64) {
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
