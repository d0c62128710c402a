package dsp

import "voicepool/pcm"

func monoLinear[T Sample](dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[2]T)(src[n:])
		x := lerp(float32(s[0]), float32(s[1]), f)
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(x * right)
	}
}

func stereoLinear[T Sample](dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[4]T)(src[2*n:])
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(lerp(float32(s[0]), float32(s[2]), f) * left)
		d[1] += float32(lerp(float32(s[1]), float32(s[3]), f) * right)
	}
}

func lerp(a, b, f float32) float32 {
	return a + float32(f*(b-a))
}
