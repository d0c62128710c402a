package master

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// clipKnee is the start of the soft clip: the float32 next to -3 dB.
const clipKnee = 0.70794577

// SoftClip compresses, in place, the samples of dst beyond the knee k, about -3 dB, so that they stay within full
// scale:
//
//	f(x) = x                                for |x| <= k, to the bit
//	f(x) = sign(x) (1 - (1-k)²/(1-2k+|x|))  beyond
//
// Value and slope are continuous at the knee, and f increases strictly and stays below 1; rounded to float32 it
// reaches 1. dst must not contain NaN. Audio side.
func SoftClip(dst []pcm.Frame) {
	if dsp.Peak(dst) <= clipKnee {
		return
	}
	for i := range dst {
		dst[i] = pcm.Frame{bend(dst[i][0]), bend(dst[i][1])}
	}
}

// bend returns the soft clip f(x) of one sample. Up to the knee it returns x itself; see SoftClip.
func bend(x float32) float32 {
	const knee = float64(float32(clipKnee))
	switch y := float64(x); {
	case y > knee:
		return float32(1 - (1-knee)*(1-knee)/(y+(1-2*knee)))
	case y < -knee:
		return float32((1-knee)*(1-knee)/((1-2*knee)-y) - 1)
	}
	return x
}

// SilenceFaults replaces faulty frames of dst by silence. A frame is faulty if a sample of it is NaN, infinite or
// beyond MaxPeak. It returns the number of faulty frames. Audio side.
func SilenceFaults(dst []pcm.Frame) (faults int64) {
	if dsp.Peak(dst) <= MaxPeak {
		return 0
	}
	for i := range dst {
		if !(dsp.Peak(dst[i:i+1]) <= MaxPeak) {
			dst[i] = pcm.Frame{}
			faults++
		}
	}
	return faults
}
