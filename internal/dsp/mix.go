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

// One is one frame of a position: 32 bits of frames, 32 of fraction.
const One = 1 << 32

// split returns the whole frame of a position and its fraction in [0, 1),
// rounded down to the 24 bits that a float32 holds exactly.
func split(pos int64) (frame int, fraction float32) {
	return int(pos >> 32), float32(uint32(pos)>>8) * 0x1p-24
}

// Sample is what a sound is kept in. An int16 x stands for x 2^-15.
type Sample interface{ float32 | int16 }

// Mix adds src to dst from pos on, step apart. A position has 32 bits of frames and 32
// of fraction. The formulas of unity read a frame of src for each of dst, whatever the
// step. Mix does not change g. It panics where src is too short for what the formula reads.
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

// MixSend is Mix for a formula of unity that also adds a share of what it adds to dst to send, which is as
// long and lies elsewhere.
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

// MixRamps is Mix under ramps that follow each other, each for as many frames from its
// first on: their Start is 0, and len(dst) is len(ramps) times each.
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

// of16 returns the ramp for samples of 16 bits. A power of two commutes with every
// rounding on the way, so they give the same bits as the same samples in float32. Gains
// and slopes below 2^-111, 670 dB down, are the exception: it makes them denormal.
func (g *Ramp) of16() Ramp {
	return Ramp{g.Left * 0x1p-15, g.Right * 0x1p-15, g.LeftSlope * 0x1p-15, g.RightSlope * 0x1p-15, g.Start, g.Ahead}
}
