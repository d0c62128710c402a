package dsp

import (
	"math"

	"voicepool/pcm"
)

// subject is a kernel with the most general signature, and the frames that it reads around a position.
type subject struct {
	name          string
	channels      int
	before, after int
	wide          func(dst []pcm.Frame, src []float32, pos, step int64, g Ramp)
	compact       func(dst []pcm.Frame, src []int16, pos, step int64, g Ramp)
}

// reading returns Mix with a formula.
func reading[T Sample](f Formula) func(dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
	return func(dst []pcm.Frame, src []T, pos, step int64, g Ramp) { Mix(f, dst, src, pos, step, &g) }
}

// ramping returns MixRamps with a formula. It derives ramps of 1 to 64 frames from g, some constant, and mixes
// the remaining frames with Mix.
func ramping[T Sample](f Formula) func(dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
	return func(dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
		each := 1 << (uint(g.Start) % 7)
		ramps := make([]Ramp, len(dst)/each)
		for i := range ramps {
			ramps[i] = Ramp{Left: g.Left, Right: g.Right, LeftSlope: g.LeftSlope, RightSlope: g.RightSlope}
			if i%3 == 0 {
				ramps[i].LeftSlope, ramps[i].RightSlope = 0, float32(math.Copysign(0, -1))
			}
			g.Left, g.LeftSlope, g.Right, g.RightSlope = g.Right, g.RightSlope, g.Left/2, g.LeftSlope*2
		}
		n := len(ramps) * each
		MixRamps(f, dst[:n], src, pos, step, ramps, each)
		g.Start = 0
		Mix(f, dst[n:], src, pos+int64(n)*step, step, &g)
	}
}

// sending returns MixSend with a formula, from one half of dst to the other.
func sending[T Sample](f Formula) func(dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
	return func(dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
		n := len(dst) / 2
		MixSend(f, dst[:n], dst[n:][:n], src, pos, &g, g.Left/3)
	}
}

var subjects = []subject{
	{name: "MonoUnity, send", channels: 1, wide: sending[float32](MonoUnity), compact: sending[int16](MonoUnity)},
	{name: "StereoUnity, send", channels: 2, wide: sending[float32](StereoUnity), compact: sending[int16](StereoUnity)},
	{name: "MonoUnity", channels: 1, wide: reading[float32](MonoUnity), compact: reading[int16](MonoUnity)},
	{name: "StereoUnity", channels: 2, wide: reading[float32](StereoUnity), compact: reading[int16](StereoUnity)},
	{
		name: "MonoLinear", channels: 1, after: 1,
		wide: reading[float32](MonoLinear), compact: reading[int16](MonoLinear),
	},
	{
		name: "StereoLinear", channels: 2, after: 1,
		wide: reading[float32](StereoLinear), compact: reading[int16](StereoLinear),
	},
	{
		name: "MonoCubic", channels: 1, before: 1, after: 2,
		wide: reading[float32](MonoCubic), compact: reading[int16](MonoCubic),
	},
	{
		name: "StereoCubic", channels: 2, before: 1, after: 2,
		wide: reading[float32](StereoCubic), compact: reading[int16](StereoCubic),
	},
	{
		name: "MonoBest", channels: 1, before: 3, after: 4,
		wide: reading[float32](MonoBest), compact: reading[int16](MonoBest),
	},
	{
		name: "StereoBest", channels: 2, before: 3, after: 4,
		wide: reading[float32](StereoBest), compact: reading[int16](StereoBest),
	},
	{name: "MonoUnity, ramps", channels: 1, wide: ramping[float32](MonoUnity), compact: ramping[int16](MonoUnity)},
	{name: "StereoUnity, ramps", channels: 2, wide: ramping[float32](StereoUnity), compact: ramping[int16](StereoUnity)},
	{
		name: "MonoLinear, ramps", channels: 1, after: 1,
		wide: ramping[float32](MonoLinear), compact: ramping[int16](MonoLinear),
	},
	{
		name: "StereoLinear, ramps", channels: 2, after: 1,
		wide: ramping[float32](StereoLinear), compact: ramping[int16](StereoLinear),
	},
	{
		name: "MonoCubic, ramps", channels: 1, before: 1, after: 2,
		wide: ramping[float32](MonoCubic), compact: ramping[int16](MonoCubic),
	},
	{
		name: "StereoCubic, ramps", channels: 2, before: 1, after: 2,
		wide: ramping[float32](StereoCubic), compact: ramping[int16](StereoCubic),
	},
	{
		name: "MonoBest, ramps", channels: 1, before: 3, after: 4,
		wide: ramping[float32](MonoBest), compact: ramping[int16](MonoBest),
	},
	{
		name: "StereoBest, ramps", channels: 2, before: 3, after: 4,
		wide: ramping[float32](StereoBest), compact: ramping[int16](StereoBest),
	},
	{name: "Frames", channels: 2, wide: func(dst []pcm.Frame, src []float32, pos, _ int64, g Ramp) {
		Frames(dst, framesOf(src[pos>>32*2:]), g)
	}},
	{name: "Sum", channels: 2, wide: func(dst []pcm.Frame, src []float32, pos, _ int64, _ Ramp) {
		Sum(dst, framesOf(src[pos>>32*2:]))
	}},
	{
		name: "Window", channels: 1,
		wide: func(dst []pcm.Frame, src []float32, pos, _ int64, _ Ramp) { Window(dst, src[pos>>32:]) },
	},
	{name: "Deinterleave", channels: 2, wide: func(dst []pcm.Frame, src []float32, pos, _ int64, _ Ramp) {
		rows := Interleaved(dst)
		Deinterleave(rows[:len(dst)], rows[len(dst):], src[pos>>32*2:][:2*len(dst)])
	}},
	{name: "Interleave", channels: 2, wide: func(dst []pcm.Frame, src []float32, pos, _ int64, _ Ramp) {
		src = src[pos>>32*2:]
		Interleave(dst, src[:len(dst)], src[len(dst):])
	}},
	{name: "Peak", channels: 2, wide: func(dst []pcm.Frame, src []float32, pos, _ int64, _ Ramp) {
		if len(dst) > 0 {
			dst[0][0] = Peak(framesOf(src[pos>>32*2:])[:len(dst)])
		}
	}},
	{name: "Levels", channels: 2, wide: func(dst []pcm.Frame, src []float32, pos, _ int64, _ Ramp) {
		if len(dst) > 0 {
			dst[0][0], dst[0][1] = Levels(framesOf(src[pos>>32*2:])[:len(dst)])
		}
	}},
}
