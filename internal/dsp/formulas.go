package dsp

import (
	"unsafe"

	"voicepool/pcm"
)

// samples is a frame of one or two channels. The loops below read the first sample for the left and the last
// for the right; for one channel the compiler computes both at once.
type samples[T Sample] interface{ [1]T | [2]T }

// framesIn returns the memory of src as whole frames, without a copy. An incomplete frame at the end is left
// out.
func framesIn[F samples[T], T Sample](src []T) []F {
	var f F
	return unsafe.Slice((*F)(unsafe.Pointer(unsafe.SliceData(src))), len(src)/len(f))
}

// unity adds len(dst) frames of src to dst with the gains g, without interpolation.
func unity[F samples[T], T Sample](dst []pcm.Frame, src []F, g Ramp) {
	src = src[:len(dst)]
	if g.still() {
		left, right := g.at(0)
		for i := range src {
			s := &src[i]
			x, y := float32((*s)[0]), float32((*s)[len(*s)-1])
			dst[i][0] += float32(x * left)
			dst[i][1] += float32(y * right)
		}
		return
	}
	for i := range src {
		s := &src[i]
		x, y := float32((*s)[0]), float32((*s)[len(*s)-1])
		left, right := g.at(i)
		dst[i][0] += float32(x * left)
		dst[i][1] += float32(y * right)
	}
}

// linear adds len(dst) frames to dst with the gains g, read from src at pos, pos+step ... with linear
// interpolation.
func linear[F samples[T], T Sample](dst []pcm.Frame, src []F, pos, step int64, g Ramp) {
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[2]F)(src[n:])
		last := len(s[0]) - 1
		x := lerp(float32(s[0][0]), float32(s[1][0]), f)
		y := lerp(float32(s[0][last]), float32(s[1][last]), f)
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(y * right)
	}
}

// lerp returns the value at f, 0..1, on the line from a to b.
func lerp(a, b, f float32) float32 {
	return a + float32(f*(b-a))
}

// cubic adds len(dst) frames to dst with the gains g, read from src at pos, pos+step ... with hermite.
func cubic[F samples[T], T Sample](dst []pcm.Frame, src []F, pos, step int64, g Ramp) {
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[4]F)(src[n-1:])
		last := len(s[0]) - 1
		x := hermite(float32(s[0][0]), float32(s[1][0]), float32(s[2][0]), float32(s[3][0]), f)
		y := hermite(float32(s[0][last]), float32(s[1][last]), float32(s[2][last]), float32(s[3][last]), f)
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(y * right)
	}
}

// hermite returns the value at f, 0..1, of the cubic from b (f = 0) to c (f = 1). Its slopes there are the
// slopes of the chords a-c and b-d: Catmull and Rom, "A class of local interpolating splines", 1974.
func hermite(a, b, c, d, f float32) float32 {
	c1 := float32(0.5 * (c - a))
	c3 := float32(0.5*(d-a)) + float32(1.5*(b-c))
	c2 := (a - b) + (c1 - c3)
	return b + float32(f*(c1+float32(f*(c2+float32(f*c3)))))
}
