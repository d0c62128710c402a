package dsp

import "voicepool/pcm"

// MonoUnity adds src, one sample a frame, to dst. len(src) >= len(dst).
func MonoUnity(dst []pcm.Frame, src []float32, g Ramp) {
	src = src[:len(dst)]
	done := fastMonoUnity(dst, src, &g)
	dst, src, g.Start = dst[done:], src[done:], g.Start+done
	if g.still() {
		left, right := g.at(0)
		for i, x := range src {
			dst[i][0] += float32(x * left)
			dst[i][1] += float32(x * right)
		}
		return
	}
	for i, x := range src {
		left, right := g.at(i)
		dst[i][0] += float32(x * left)
		dst[i][1] += float32(x * right)
	}
}

// StereoUnity adds src, two samples a frame, to dst. len(src) >= 2 len(dst).
func StereoUnity(dst []pcm.Frame, src []float32, g Ramp) {
	src = src[:2*len(dst)]
	done := fastStereoUnity(dst, src, &g)
	dst, src, g.Start = dst[done:], src[2*done:], g.Start+done
	if g.still() {
		left, right := g.at(0)
		for i := range dst {
			dst[i][0] += float32(src[2*i] * left)
			dst[i][1] += float32(src[2*i+1] * right)
		}
		return
	}
	for i := range dst {
		left, right := g.at(i)
		dst[i][0] += float32(src[2*i] * left)
		dst[i][1] += float32(src[2*i+1] * right)
	}
}
