package dsp

import (
	"unsafe"

	"voicepool/pcm"
)

// Formula is the interpolation that Mix uses. Odd formulas are for sounds with two channels.
type Formula uint8

// The formulas. The Best formulas read a compensated sound and need PrepareBest.
const (
	MonoUnity Formula = iota // no interpolation
	StereoUnity
	MonoLinear // linear interpolation
	StereoLinear
	MonoCubic // Catmull-Rom cubic through four samples
	StereoCubic
	MonoBest // 8 taps
	StereoBest
)

// One is one frame of a position: 32 bits of frames, 32 of fraction.
const One = 1 << 32

// split returns the whole frame of a position and its fraction in [0, 1), rounded down to the 24 bits that a
// float32 holds exactly.
func split(pos int64) (frame int, fraction float32) {
	return int(pos >> 32), float32(uint32(pos)>>8) * 0x1p-24
}

// Sample is the storage type of a sound's samples. An int16 x has the value x 2^-15.
type Sample interface{ float32 | int16 }

// Mix adds src to dst, starting at pos with the given step. A position has 32 bits of frames and 32 of
// fraction. The formulas of unity ignore step and read one frame of src for each frame of dst. Mix does not
// change g. It panics if src is too short for the formula.
func Mix[T Sample](f Formula, dst []pcm.Frame, src []T, pos, step int64, g *Ramp) {
	if f <= StereoUnity {
		src, pos, step = src[pos>>32<<(f&1):][:len(dst)<<(f&1)], 0, One
	}
	done := fastMix(f, dst, src, pos, step, g)
	if done == len(dst) {
		return
	}
	rest := *g
	if unsafe.Sizeof(T(0)) == 2 {
		rest = g.of16()
	}
	dst, pos, rest.Start = dst[done:], pos+int64(done)*step, g.Start+done
	if f&1 == 0 {
		mixFrames[[1]T, T](f, dst, framesIn[[1]T](src), pos, step, rest)
	} else {
		mixFrames[[2]T, T](f, dst, framesIn[[2]T](src), pos, step, rest)
	}
}

// MixSend is Mix for a formula of unity that also adds a share of the output to send. send is as long as dst
// and does not overlap it.
func MixSend[T Sample](f Formula, dst, send []pcm.Frame, src []T, pos int64, g *Ramp, share float32) {
	f &= 1
	src, send = src[pos>>32<<f:][:len(dst)<<f], send[:len(dst)]
	done := fastMixSend(f, dst, send, src, g, share)
	if done == len(dst) {
		return
	}
	rest := *g
	if unsafe.Sizeof(T(0)) == 2 {
		rest = g.of16()
	}
	dst, send, src, rest.Start = dst[done:], send[done:], src[done<<f:], g.Start+done
	for i := range dst {
		left, right := rest.at(i)
		x, y := float32(float32(src[i<<f])*left), float32(float32(src[(i+1)<<f-1])*right)
		d, s := &dst[i], &send[i]
		d[0], d[1] = d[0]+x, d[1]+y
		s[0], s[1] = s[0]+float32(x*share), s[1]+float32(y*share)
	}
}

// MixRamps is Mix with consecutive ramps; every ramp lasts each frames. Their Start is 0, and len(dst) is
// len(ramps) times each.
func MixRamps[T Sample](f Formula, dst []pcm.Frame, src []T, pos, step int64, ramps []Ramp, each int) {
	if f <= StereoUnity {
		src, pos, step = src[pos>>32<<(f&1):][:len(dst)<<(f&1)], 0, One
	}
	dst = dst[:len(ramps)*each]
	if fastMixRamps(f, dst, src, pos, step, ramps, each) {
		return
	}
	for i := range ramps {
		Mix(f, dst[i*each:][:each], src, pos, step, &ramps[i])
		pos += int64(each) * step
	}
}

// mixFrames is Mix in Go, for src as whole frames.
func mixFrames[F samples[T], T Sample](f Formula, dst []pcm.Frame, src []F, pos, step int64, g Ramp) {
	switch f &^ 1 {
	case MonoUnity:
		unity[F, T](dst, src[pos>>32:], g)
	case MonoLinear:
		linear[F, T](dst, src, pos, step, g)
	case MonoCubic:
		cubic[F, T](dst, src, pos, step, g)
	case MonoBest:
		best[F, T](dst, src, pos, step, g)
	}
}

// of16 returns the ramp for 16-bit samples. A power of two commutes with every rounding, so the result has
// the same bits as with the same samples in float32. The exception are gains and slopes below 2^-111, 670 dB
// down, which become denormal.
func (g *Ramp) of16() Ramp {
	return Ramp{g.Left * 0x1p-15, g.Right * 0x1p-15, g.LeftSlope * 0x1p-15, g.RightSlope * 0x1p-15, g.Start, g.Prefetch}
}
