package voice

import (
	"unsafe"

	"voicepool/internal/dsp"
	"voicepool/internal/playable"
	"voicepool/pcm"
	"voicepool/sounds"
)

// kernel is the formula of package dsp that mixes a voice.
type kernel dsp.Formula

const (
	monoUnity   = kernel(dsp.MonoUnity)
	stereoUnity = kernel(dsp.StereoUnity)
	monoLinear  = kernel(dsp.MonoLinear)
	monoCubic   = kernel(dsp.MonoCubic)
	monoBest    = kernel(dsp.MonoBest)
)

// kernelAt returns the kernel for reading the original sound, not a mip level, at the voice's present speed. pos is the
// position in 2^-32 frames. The kernel copies samples at the original pitch if pos is a whole frame. Otherwise it
// interpolates, linearly for quality Linear and else cubically.
func (v *Voice) kernelAt(pos int64) kernel {
	k := monoCubic
	switch {
	case v.step == dsp.One && uint32(pos) == 0:
		k = monoUnity
	case v.quality == sounds.Linear:
		k = monoLinear
	}
	return k + v.stereoOffset()
}

// stereoOffset returns the difference between a kernel for the sound's channels and the same kernel for mono: 0 for
// mono and 1 for stereo.
func (v *Voice) stereoOffset() kernel { return kernel(v.data().Channels - 1) }

// mix reads samples from the store from, interpolates them and adds them to dst, with the gains g. pos is the position
// in the store of the first frame of dst. step is the distance in the store between two frames of dst. Both have the
// unit 2^-32 frames.
func (k kernel) mix(dst []pcm.Frame, from *playable.Store, pos, step int64, g dsp.Ramp) {
	if from.Compact != nil {
		dsp.Mix(dsp.Formula(k), dst, from.Compact, pos, step, &g)
	} else {
		dsp.Mix(dsp.Formula(k), dst, from.Floats, pos, step, &g)
	}
}

// mixSend reads samples from the store from at the original pitch and adds them to dst, with the gains g, which must be
// constant. It adds the same frames times share, a linear factor, to send. pos is the position in the store of the
// first frame, in 2^-32 frames. send must have the length of dst, and k must be monoUnity or stereoUnity.
func (k kernel) mixSend(dst, send []pcm.Frame, from *playable.Store, pos int64, g dsp.Ramp, share float32) {
	if from.Compact != nil {
		dsp.MixSend(dsp.Formula(k), dst, send, from.Compact, pos, &g, share)
	} else {
		dsp.MixSend(dsp.Formula(k), dst, send, from.Floats, pos, &g, share)
	}
}

// mixRamps reads samples from the store from and adds them to dst, with consecutive gain ramps. The parameter each is
// the length of each ramp in frames; together the ramps must cover dst. pos is the position in the store of the first
// frame of dst. step is the distance in the store between two frames of dst. Both have the unit 2^-32 frames.
func (k kernel) mixRamps(dst []pcm.Frame, from *playable.Store, pos, step int64, ramps []dsp.Ramp, each int) {
	if from.Compact != nil {
		dsp.MixRamps(dsp.Formula(k), dst, from.Compact, pos, step, ramps, each)
	} else {
		dsp.MixRamps(dsp.Formula(k), dst, from.Floats, pos, step, ramps, each)
	}
}

// address returns the memory address of a sample in the store from. pos is the position of the sample, in 2^-32 frames.
// It does not read the sample, so pos may be out of range.
func (k kernel) address(from *playable.Store, pos int64) uintptr {
	i := uintptr(pos >> 32 << (k & 1)) // odd kernels have two channels
	if from.Compact != nil {
		return uintptr(unsafe.Pointer(unsafe.SliceData(from.Compact))) + 2*i
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(from.Floats))) + 4*i
}
