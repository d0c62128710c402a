package voice

import (
	"unsafe"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// kernel is the formula of package dsp that a voice is mixed with.
type kernel dsp.Formula

const (
	monoUnity  = kernel(dsp.MonoUnity)
	monoLinear = kernel(dsp.MonoLinear)
	monoCubic  = kernel(dsp.MonoCubic)
	monoBest   = kernel(dsp.MonoBest)
)

// kernelAt returns the kernel that reads the sound as it is, at a position.
func (v *Voice) kernelAt(pos int64) kernel {
	k := monoCubic
	switch {
	case v.step == dsp.One && uint32(pos) == 0:
		k = monoUnity
	case v.quality == Linear:
		k = monoLinear
	}
	return k + v.sound.second()
}

// second returns how much further the kernel of two channels is.
func (s *Sound) second() kernel { return kernel(s.channels - 1) }

// mix adds a run of samples to dst.
func (k kernel) mix(dst []pcm.Frame, from *store, pos, step int64, g dsp.Ramp) {
	if from.compact != nil {
		dsp.Mix(dsp.Formula(k), dst, from.compact, pos, step, g)
	} else {
		dsp.Mix(dsp.Formula(k), dst, from.wide, pos, step, g)
	}
}

// at returns the address of the sample of a position.
func (k kernel) at(from *store, pos int64) uintptr {
	i := uintptr(pos >> 32 << (k & 1)) // the odd ones have two channels
	if from.compact != nil {
		return uintptr(unsafe.Pointer(unsafe.SliceData(from.compact))) + 2*i
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(from.wide))) + 4*i
}
