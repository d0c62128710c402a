package dsp

import "voicepool/pcm"

// MonoCubic adds src to dst from pos on, step apart, on the cubic of Catmull
// and Rom through four samples. It reads src from one frame before the first
// position's frame to two past the last one's.
func MonoCubic(dst []pcm.Frame, src []float32, pos, step int64, g Ramp) {
	done := fastMonoCubic(dst, src, pos, step, &g)
	dst, pos, g.Start = dst[done:], pos+int64(done)*step, g.Start+done
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[4]float32)(src[n-1:])
		x := hermite(s[0], s[1], s[2], s[3], f)
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(x * right)
	}
}

// StereoCubic is MonoCubic for two samples a frame.
func StereoCubic(dst []pcm.Frame, src []float32, pos, step int64, g Ramp) {
	done := fastStereoCubic(dst, src, pos, step, &g)
	dst, pos, g.Start = dst[done:], pos+int64(done)*step, g.Start+done
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[8]float32)(src[2*n-2:])
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(hermite(s[0], s[2], s[4], s[6], f) * left)
		d[1] += float32(hermite(s[1], s[3], s[5], s[7], f) * right)
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
