package dsp

import (
	"unsafe"

	"voicepool/pcm"
)

func monoUnity[T Sample](dst []pcm.Frame, src []T, g Ramp) {
	src = src[:len(dst)]
	if g.still() {
		left, right := g.at(0)
		for i, x := range src {
			dst[i][0] += float32(float32(x) * left)
			dst[i][1] += float32(float32(x) * right)
		}
		return
	}
	for i, x := range src {
		left, right := g.at(i)
		dst[i][0] += float32(float32(x) * left)
		dst[i][1] += float32(float32(x) * right)
	}
}

func stereoUnity[T Sample](dst []pcm.Frame, src []T, g Ramp) {
	src = src[:2*len(dst)]
	frames := unsafe.Slice((*[2]T)(unsafe.Pointer(unsafe.SliceData(src))), len(dst))
	if g.still() {
		left, right := g.at(0)
		for i := range frames {
			x := &frames[i]
			dst[i][0] += float32(float32(x[0]) * left)
			dst[i][1] += float32(float32(x[1]) * right)
		}
		return
	}
	for i := range frames {
		x := &frames[i]
		left, right := g.at(i)
		dst[i][0] += float32(float32(x[0]) * left)
		dst[i][1] += float32(float32(x[1]) * right)
	}
}
