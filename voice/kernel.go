package voice

import (
	"math"
	"unsafe"

	"voicepool/internal/dsp"
	"voicepool/pcm"
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
	case v.quality == Linear:
		k = monoLinear
	}
	return k + v.sound.stereoOffset()
}

// stereoOffset returns the difference between a kernel for the sound's channels and the same kernel for mono: 0 for
// mono and 1 for stereo.
func (s *Sound) stereoOffset() kernel { return kernel(s.channels - 1) }

// mix reads samples from the store from, interpolates them and adds them to dst, with the gains g. pos is the position
// in the store of the first frame of dst. step is the distance in the store between two frames of dst. Both have the
// unit 2^-32 frames.
func (k kernel) mix(dst []pcm.Frame, from *sampleStore, pos, step int64, g dsp.Ramp) {
	if from.compact != nil {
		dsp.Mix(dsp.Formula(k), dst, from.compact, pos, step, &g)
	} else {
		dsp.Mix(dsp.Formula(k), dst, from.floats, pos, step, &g)
	}
}

// mixSend reads samples from the store from at the original pitch and adds them to dst, with the gains g, which must be
// constant. It adds the same frames times share, a linear factor, to send. pos is the position in the store of the
// first frame, in 2^-32 frames. send must have the length of dst, and k must be monoUnity or stereoUnity.
func (k kernel) mixSend(dst, send []pcm.Frame, from *sampleStore, pos int64, g dsp.Ramp, share float32) {
	if from.compact != nil {
		dsp.MixSend(dsp.Formula(k), dst, send, from.compact, pos, &g, share)
	} else {
		dsp.MixSend(dsp.Formula(k), dst, send, from.floats, pos, &g, share)
	}
}

// mixRamps reads samples from the store from and adds them to dst, with consecutive gain ramps. The parameter each is
// the length of each ramp in frames; together the ramps must cover dst. pos is the position in the store of the first
// frame of dst. step is the distance in the store between two frames of dst. Both have the unit 2^-32 frames.
func (k kernel) mixRamps(dst []pcm.Frame, from *sampleStore, pos, step int64, ramps []dsp.Ramp, each int) {
	if from.compact != nil {
		dsp.MixRamps(dsp.Formula(k), dst, from.compact, pos, step, ramps, each)
	} else {
		dsp.MixRamps(dsp.Formula(k), dst, from.floats, pos, step, ramps, each)
	}
}

// address returns the memory address of a sample in the store from. pos is the position of the sample, in 2^-32 frames.
// It does not read the sample, so pos may be out of range.
func (k kernel) address(from *sampleStore, pos int64) uintptr {
	i := uintptr(pos >> 32 << (k & 1)) // odd kernels have two channels
	if from.compact != nil {
		return uintptr(unsafe.Pointer(unsafe.SliceData(from.compact))) + 2*i
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(from.floats))) + 4*i
}

// sampleStore holds the interleaved samples of a sound in either of two formats.
type sampleStore struct {
	floats  []float32 // full scale is -1..+1
	compact []int16   // in units of 2^-15
}

// bytes returns the size of the samples in bytes.
func (s *sampleStore) bytes() int64 { return 4*int64(len(s.floats)) + 2*int64(len(s.compact)) }

// gather returns a new store of n samples in the same format as s. Its sample number i is the sample of s with the
// index at(i).
func (s *sampleStore) gather(n int64, at func(i int64) int64) sampleStore {
	if s.compact != nil {
		return sampleStore{compact: gather(s.compact, n, at)}
	}
	return sampleStore{floats: gather(s.floats, n, at)}
}

// gather returns a new slice of n samples. Its sample number i is src[at(i)].
func gather[S float32 | int16](src []S, n int64, at func(i int64) int64) []S {
	dst := make([]S, n)
	for i := range dst {
		dst[i] = src[at(int64(i))]
	}
	return dst
}

// toInt16 converts x, a sample with full scale -1..+1, to 16 bits. It rounds to the nearest value and clips at full
// scale. The result for NaN is undefined.
func toInt16(x float32) int16 {
	return int16(min(max(math.Floor(float64(float64(x)*0x1p15)+0.5), math.MinInt16), math.MaxInt16))
}
