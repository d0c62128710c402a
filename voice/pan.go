package voice

import "voicepool/pcm"

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
	x := (pan + 1) / 4
	return pcm.CosPi(x), pcm.SinPi(x)
}

// Wider returns the factors of a moving pan under a law: those at a frame or
// those it moves towards, whichever have the larger power.
func Wider(law func(float64) (left, right float64), pan *Move, frame int64) (left, right float64) {
	at := pan.At(frame)
	left, right = law(at)
	if at == pan.To {
		return left, right
	}
	toLeft, toRight := law(pan.To)
	// The pans of a mono sound have one power, but for the last bits: those must
	// not decide, since under a panned bus it is not the same which counts.
	if float64(toLeft*toLeft)+float64(toRight*toRight) > (float64(left*left)+float64(right*right))*(1+1e-9) {
		return toLeft, toRight
	}
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
