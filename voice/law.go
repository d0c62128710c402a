package voice

import (
	"math"

	"voicepool/pcm"
)

// Law is how a pan acts on what is panned: Mono, Stereo, or from 0 to 1 how wide a placed
// stereo sound stays. 0 pans its two channels as the one that they are folded to.
type Law float64

const (
	Mono   Law = -1 // of one channel, by Pan
	Stereo Law = 1  // of two, by Balance
)

// At returns the left and right factors of a pan.
func (l Law) At(pan float64) (left, right float64) {
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
	foldedLeft, foldedRight := panned(pan)
	return float64(s*left) + float64((1-s)*float64(math.Sqrt2*foldedLeft)),
		float64(s*right) + float64((1-s)*float64(math.Sqrt2*foldedRight))
}

// Pan returns the left and right factors of a pan, -1 (left) .. +1 (right), of
// a mono sound: constant power, -3 dB at the centre.
func Pan(pan float64) (left, right float64) {
	if pan == 0 {
		return centre[0], centre[1]
	}
	return panned(pan)
}

// centre is the pan of most voices.
var centre = func() (c [2]float64) {
	c[0], c[1] = panned(0)
	return c
}()

func panned(pan float64) (left, right float64) {
	right, left = pcm.SinCosPi((pan + 1) / 4)
	return left, right
}

// Balance returns the left and right factors of a pan of something that is
// stereo already: 1 at the centre, and only the far side falls.
func Balance(pan float64) (left, right float64) {
	if pan == 0 {
		return 1, 1
	}
	if pan > 0 {
		return pcm.CosPi(pan / 2), 1
	}
	return 1, pcm.CosPi(pan / 2)
}
