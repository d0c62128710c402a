package dsp

import "voicepool/pcm"

func monoCubic[T Sample](dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[4]T)(src[n-1:])
		x := hermite(float32(s[0]), float32(s[1]), float32(s[2]), float32(s[3]), f)
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(x * right)
	}
}

func stereoCubic[T Sample](dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[8]T)(src[2*n-2:])
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(hermite(float32(s[0]), float32(s[2]), float32(s[4]), float32(s[6]), f) * left)
		d[1] += float32(hermite(float32(s[1]), float32(s[3]), float32(s[5]), float32(s[7]), f) * right)
	}
}

// hermite is the cubic from b (f = 0) to c (f = 1) whose slopes there are those
// of the chords a-c and b-d: Catmull and Rom, "A class of local interpolating
// splines", 1974.
func hermite(a, b, c, d, f float32) float32 {
	c1 := float32(0.5 * (c - a))
	c3 := float32(0.5*(d-a)) + float32(1.5*(b-c))
	c2 := (a - b) + (c1 - c3)
	return b + float32(f*(c1+float32(f*(c2+float32(f*c3)))))
}
