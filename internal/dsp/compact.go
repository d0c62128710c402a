package dsp

import "voicepool/pcm"

// The kernels of sounds that are kept in 16 bits: a sample x stands for
// x 2^-15. That factor is applied to the gains: a power of two commutes with
// every rounding on the way, so they give the same bits as the kernels of
// float32 give for the same samples (but for gains and slopes below 2^-111, 670 dB
// down, which it would make denormal).

// of16 returns the ramp for samples of 16 bits.
func (g Ramp) of16() Ramp {
	return Ramp{g.Left * 0x1p-15, g.Right * 0x1p-15, g.LeftSlope * 0x1p-15, g.RightSlope * 0x1p-15, g.Start, g.Ahead}
}

// MonoUnity16 is MonoUnity for samples of 16 bits.
func MonoUnity16(dst []pcm.Frame, src []int16, g Ramp) {
	g = g.of16()
	src = src[:len(dst)]
	done := fastMonoUnity16(dst, src, &g)
	dst, src, g.Start = dst[done:], src[done:], g.Start+done
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

// StereoUnity16 is StereoUnity for samples of 16 bits.
func StereoUnity16(dst []pcm.Frame, src []int16, g Ramp) {
	g = g.of16()
	src = src[:2*len(dst)]
	done := fastStereoUnity16(dst, src, &g)
	dst, src, g.Start = dst[done:], src[2*done:], g.Start+done
	if g.still() {
		left, right := g.at(0)
		for i := range dst {
			dst[i][0] += float32(float32(src[2*i]) * left)
			dst[i][1] += float32(float32(src[2*i+1]) * right)
		}
		return
	}
	for i := range dst {
		left, right := g.at(i)
		dst[i][0] += float32(float32(src[2*i]) * left)
		dst[i][1] += float32(float32(src[2*i+1]) * right)
	}
}

// MonoLinear16 is MonoLinear for samples of 16 bits.
func MonoLinear16(dst []pcm.Frame, src []int16, pos, step int64, g Ramp) {
	g = g.of16()
	done := fastMonoLinear16(dst, src, pos, step, &g)
	dst, pos, g.Start = dst[done:], pos+int64(done)*step, g.Start+done
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[2]int16)(src[n:])
		x := lerp(float32(s[0]), float32(s[1]), f)
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(x * right)
	}
}

// StereoLinear16 is StereoLinear for samples of 16 bits.
func StereoLinear16(dst []pcm.Frame, src []int16, pos, step int64, g Ramp) {
	g = g.of16()
	done := fastStereoLinear16(dst, src, pos, step, &g)
	dst, pos, g.Start = dst[done:], pos+int64(done)*step, g.Start+done
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[4]int16)(src[2*n:])
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(lerp(float32(s[0]), float32(s[2]), f) * left)
		d[1] += float32(lerp(float32(s[1]), float32(s[3]), f) * right)
	}
}

// MonoCubic16 is MonoCubic for samples of 16 bits.
func MonoCubic16(dst []pcm.Frame, src []int16, pos, step int64, g Ramp) {
	g = g.of16()
	done := fastMonoCubic16(dst, src, pos, step, &g)
	dst, pos, g.Start = dst[done:], pos+int64(done)*step, g.Start+done
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[4]int16)(src[n-1:])
		x := hermite(float32(s[0]), float32(s[1]), float32(s[2]), float32(s[3]), f)
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(x * right)
	}
}

// StereoCubic16 is StereoCubic for samples of 16 bits.
func StereoCubic16(dst []pcm.Frame, src []int16, pos, step int64, g Ramp) {
	g = g.of16()
	done := fastStereoCubic16(dst, src, pos, step, &g)
	dst, pos, g.Start = dst[done:], pos+int64(done)*step, g.Start+done
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[8]int16)(src[2*n-2:])
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(hermite(float32(s[0]), float32(s[2]), float32(s[4]), float32(s[6]), f) * left)
		d[1] += float32(hermite(float32(s[1]), float32(s[3]), float32(s[5]), float32(s[7]), f) * right)
	}
}
