package dsp

import (
	"unsafe"

	"voicepool/pcm"
)

// Formula says how Mix makes frames of a sound's samples. Odd ones are those of sounds
// of two channels.
type Formula uint8

// The formulas. A Best one reads a sound that was compensated: see PrepareBest.
const (
	MonoUnity Formula = iota // the samples as they are
	StereoUnity
	MonoLinear // straight lines between samples
	StereoLinear
	MonoCubic // the cubic of Catmull and Rom through four samples
	StereoCubic
	MonoBest // 8 taps
	StereoBest
)

// reach is what a formula reads around a position's frame.
type reach struct{ before, after int }

func (f Formula) reach() reach { return [...]reach{{0, 0}, {0, 1}, {1, 2}, {3, 4}}[f>>1] }

// Sample is what a sound is kept in. An int16 x stands for x 2^-15.
type Sample interface{ float32 | int16 }

// Mix adds src to dst from pos on, step apart. A position has 32 bits of frames and 32
// of fraction. The formulas of unity read a frame of src for each of dst, whatever the
// step. Mix panics where src is too short for what the formula reads.
func Mix[T Sample](f Formula, dst []pcm.Frame, src []T, pos, step int64, g Ramp) {
	if unsafe.Sizeof(T(0)) == 2 {
		g = g.of16()
	}
	if f <= StereoUnity {
		src, pos, step = src[pos>>32<<f:][:len(dst)<<f], 0, One
	}
	done := fastMix(f, dst, src, pos, step, g)
	if done == len(dst) {
		return
	}
	dst, pos, g.Start = dst[done:], pos+int64(done)*step, g.Start+done
	switch f {
	case MonoUnity:
		monoUnity(dst, src[done:], g)
	case StereoUnity:
		stereoUnity(dst, src[2*done:], g)
	case MonoLinear:
		monoLinear(dst, src, pos, step, g)
	case StereoLinear:
		stereoLinear(dst, src, pos, step, g)
	case MonoCubic:
		monoCubic(dst, src, pos, step, g)
	case StereoCubic:
		stereoCubic(dst, src, pos, step, g)
	case MonoBest:
		monoBest(dst, src, pos, step, g)
	case StereoBest:
		stereoBest(dst, src, pos, step, g)
	}
}

// of16 returns the ramp for samples of 16 bits. A power of two commutes with every
// rounding on the way, so they give the same bits as the same samples in float32. Gains
// and slopes below 2^-111, 670 dB down, are the exception: it makes them denormal.
func (g Ramp) of16() Ramp {
	return Ramp{g.Left * 0x1p-15, g.Right * 0x1p-15, g.LeftSlope * 0x1p-15, g.RightSlope * 0x1p-15, g.Start, g.Ahead}
}
