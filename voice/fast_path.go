package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// fastPath is the fast path of a voice with constant gains, a constant step and contiguous samples: the
// arguments of the kernel, computed once for many blocks.
type fastPath struct {
	left   int64 // frames for which the fast path is valid; 0: it is not
	step   int64 // in frames of the source
	shift  int64 // offset from the reader's position to the position in from
	from   *sampleStore
	kernel kernel
	refine bool // the source is a mip level

	filtered bool // the samples go through a filter
}

// MixFast adds the voice to all of dst, which begins at frame of the mix, if the fast path holds for its length:
// constant gains and speed, and contiguous samples. It then advances the voice and returns true; otherwise it returns
// false without a change. It also mixes the result of a FilterBatch. next is the voice that is mixed afterwards, for
// prefetching, or nil.
func (v *Voice) MixFast(next *Voice, dst []pcm.Frame, frame int64) bool {
	return (uint64(len(dst)-1) < uint64(v.fast.left) || v.fast.filtered) && v.mixFast(next, dst, frame)
}

// mixFast is MixFast without the check of the fast path (constant gains and step, contiguous samples) for a voice
// without a filter: it must hold for all of dst then. It adds the voice to dst, which begins at frame of the mix,
// advances it and returns true. With a filter, it returns false without a change if the fast path does not hold. next
// is the voice that is mixed afterwards, or nil.
func (v *Voice) mixFast(next *Voice, dst []pcm.Frame, frame int64) bool {
	s := &v.fast
	if s.filtered {
		return v.mixFastFiltered(next, dst, frame)
	}
	pos := v.fastPosition()
	v.skipFast(int64(len(dst)))
	s.kernel.mix(dst, s.from, pos, s.step, dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right, Prefetch: next.nextAddress()})
	return true
}

// Sends reports whether MixSend can mix the next n frames of the mix. A voice without a filter must be on the fast
// path at its original pitch. A voice with a filter must have been filtered by the FilterBatch, and its gains must be
// constant.
func (v *Voice) Sends(n int64) bool {
	s := &v.fast
	if s.filtered {
		return v.filter.batched != nil && !v.filter.batched.gainsMove
	}
	return s.kernel <= stereoUnity && uint64(n-1) < uint64(s.left)
}

// MixSend adds the voice to dst on the fast path, adds its output times share, a linear factor, to send, and advances
// the voice. send has the length of dst, and Sends must have returned true for that length. next is the voice that is
// mixed afterwards, for prefetching, or nil.
func (v *Voice) MixSend(next *Voice, dst, send []pcm.Frame, share float32) {
	s := &v.fast
	if s.filtered {
		v.filter.batched.mix(next, dst, send, share, 0)
		return
	}
	pos := v.fastPosition()
	v.skipFast(int64(len(dst)))
	s.kernel.mixSend(dst, send, s.from, pos, dsp.Ramp{Left: v.ramp.Left, Right: v.ramp.Right, Prefetch: next.nextAddress()}, share)
}

// SkipFast advances the voice by n frames of the mix without output and returns true, if the fast path is valid for
// all of them. Otherwise it returns false and does not change the voice. It marks the filter states as stale.
func (v *Voice) SkipFast(n int64) bool {
	if !v.skipFast(n) {
		return false
	}
	if v.fast.filtered {
		v.filter.stale = true
	}
	return true
}

// skipFast advances the voice by n frames of the mix without output and returns true, if the fast path is valid for
// all of them. Otherwise it returns false and does not change the voice. Unlike SkipFast it leaves the filter states
// valid.
func (v *Voice) skipFast(n int64) bool {
	s := &v.fast
	if uint64(n-1) >= uint64(s.left) {
		return false
	}
	s.left -= n
	v.pos += n * v.step
	if s.refine {
		v.mip.pos += n * s.step
	}
	return true
}

// nextAddress returns the memory address that v will probably read next, for prefetching. It returns 0 if the address
// is unknown or v is nil. The memory may have been freed.
func (v *Voice) nextAddress() uintptr {
	if v == nil || v.fast.from == nil {
		return 0
	}
	return v.fast.kernel.address(v.fast.from, v.fastPosition())
}

// fastPosition returns the position in the samples that the fast path reads, in 32.32 frames from their beginning.
func (v *Voice) fastPosition() int64 {
	if v.fast.refine {
		return v.mip.pos + v.fast.shift
	}
	return v.pos + v.fast.shift
}

// enterFastPath computes the fast path (the kernel's arguments, valid for many blocks) if the gains and the pitch of
// the voice no longer move and it has already sounded. Otherwise it does not change the voice.
func (v *Voice) enterFastPath() {
	if v.segEnd == never && !v.fresh {
		v.planFastPath()
	}
}

// planFastPath computes v.fast: the arguments of the kernel for a constant step, and in left for how many frames of
// the mix the samples are contiguous. left is 0 for a stream, a faulty or narrowed voice, a voice with a pre-fader
// output, or at the end of a loop. It does not check the gains.
func (v *Voice) planFastPath() {
	s := &v.fast
	s.left = 0
	if v.buffer != nil || v.faulty || v.narrows() || v.filter.prefaderOutput() != nil {
		return
	}
	data, first, limit := v.window()
	if data != &v.sound.data { // a seam is too short
		return
	}
	s.filtered = v.filter.active()
	left := wholeSteps(limit<<32-v.pos-1, v.step)
	if from := v.mip.level; from != nil {
		s.step, s.shift, s.refine, s.kernel = scaled(v.step, from.index), guardBefore<<32, true, monoBest+v.sound.stereoOffset()
		left, data = min(left, wholeSteps(from.wrap-v.mip.pos-1, s.step)), &from.data
	} else {
		s.step, s.shift, s.refine, s.kernel = v.step, -first<<32, false, v.kernelAt(v.pos)
	}
	if s.from != data {
		s.from = data
	}
	s.left = max(left, 0)
}

// FastFrames returns for how many frames of the mix MixFast will still work if no method changes the voice. It is 0
// off the fast path.
func (v *Voice) FastFrames() int64 { return v.fast.left }

// wholeSteps returns distance / step, rounded down. Both are in 32.32 frames of the samples and not negative; step is
// not 0.
func wholeSteps(distance, step int64) int64 {
	if step == dsp.One { // the usual case, without a division
		return distance >> 32
	}
	return distance / step
}

// StableIndexFrames returns for how many frames of the mix, at least, the index of Energies, Masks and LoopsAgain stay
// constant if no method changes the voice. It is 0 if MixFast does not work now, and 2^40 for a stream.
func (v *Voice) StableIndexFrames() int64 { return v.untilHop(v.sound.envelope.Hop) }

// StableNearFrames returns for how many frames of the mix, at least, both results of Energies, Masks and LoopsAgain
// stay constant if no method changes the voice. It is 0 if MixFast does not work now, and 2^40 for a stream.
func (v *Voice) StableNearFrames() int64 {
	e := &v.sound.envelope
	switch {
	case e.Near == nil || e.Step == 0:
		return v.StableIndexFrames()
	case e.fourStepsPerHop(): // a hop ends where a step does
		return v.untilHop(e.Step)
	}
	return min(v.StableIndexFrames(), v.untilHop(e.Step))
}

// untilHop returns a lower bound of the frames of the mix until the position reaches the next multiple of hop, in
// frames of the sound. It is at most v.fast.left, 0 off the fast path, and 2^40 for a stream.
func (v *Voice) untilHop(hop int64) int64 {
	switch {
	case v.buffer != nil:
		return 1 << 40
	case v.fast.left <= 0 || hop < 1:
		return v.fast.left
	}
	ahead := (v.pos>>32/hop+1)*hop<<32 - v.pos
	return min(v.fast.left, wholeSteps(ahead+v.step-1, v.step))
}
