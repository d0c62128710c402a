package dsp

import "voicepool/pcm"

// MonoLinear adds src to dst from pos on, step apart, straight lines between
// the samples. It reads src up to one frame past the last position's frame.
func MonoLinear(dst []pcm.Frame, src []float32, pos, step int64, g Ramp) {
	done := fastMonoLinear(dst, src, pos, step, &g)
	dst, pos, g.Start = dst[done:], pos+int64(done)*step, g.Start+done
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[2]float32)(src[n:])
		x := lerp(s[0], s[1], f)
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(x * left)
		d[1] += float32(x * right)
	}
}

// StereoLinear is MonoLinear for two samples a frame.
func StereoLinear(dst []pcm.Frame, src []float32, pos, step int64, g Ramp) {
	done := fastStereoLinear(dst, src, pos, step, &g)
	dst, pos, g.Start = dst[done:], pos+int64(done)*step, g.Start+done
	for i := range dst {
		n, f := split(pos)
		pos += step
		s := (*[4]float32)(src[2*n:])
		left, right := g.at(i)
		d := &dst[i]
		d[0] += float32(lerp(s[0], s[2], f) * left)
		d[1] += float32(lerp(s[1], s[3], f) * right)
	}
}

func lerp(a, b, f float32) float32 {
	return a + float32(f*(b-a))
}
