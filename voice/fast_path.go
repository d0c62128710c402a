package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/playable"
	"voicepool/pcm"
)

// fastPath is the fast path of a voice with constant gains, a constant step and contiguous samples: the
// arguments of the kernel, computed once for many blocks.
type fastPath struct {
	left   int64 // frames for which the fast path is valid; 0: it is not
	step   int64 // in frames of the source
	shift  int64 // offset from the reader's position to the position in from
	from   *playable.Store
	kernel kernel
	refine bool // the source is a mip level

	filtered bool // the samples go through a filter
}

// MixFast adds the voice to dst, which begins at frame of the mix, and advances the voice, if that is possible on the
// fast path. The fast path requires constant gains and speed, and contiguous samples, for the whole length of dst.
// MixFast then returns true; otherwise it returns false without a change. If a FilterBatch has filtered the voice for
// this block, MixFast mixes that result, even if the gains move; the batch has already advanced the voice. next is the
// voice that is mixed afterwards, for prefetching, or nil.
func (v *Voice) MixFast(next *Voice, dst []pcm.Frame, frame int64) bool {
	return (uint64(len(dst)-1) < uint64(v.fast.left) || v.fast.filtered) && v.mixFast(next, dst, frame)
}

// mixFast adds the voice to dst, which begins at frame of the mix, and advances the voice, on the fast path. It returns
// true if it did so. A voice without a filter must be on the fast path (constant gains and speed, contiguous samples)
// for the whole length of dst; mixFast does not check this. For a voice with a filter it does check, and returns false
// without a change if the path does not hold. next is the voice that is mixed afterwards, for prefetching, or nil.
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

// Sends reports whether MixSend can mix the next n frames of the voice. Without an active filter, this requires the
// original pitch, constant gains and contiguous samples for all n frames. With an active filter, it requires that a
// FilterBatch has filtered the voice for this block, with constant gains; n is then not checked.
func (v *Voice) Sends(n int64) bool {
	s := &v.fast
	if s.filtered {
		return v.filter.batched != nil && !v.filter.batched.gainsMove
	}
	return s.kernel <= stereoUnity && uint64(n-1) < uint64(s.left)
}

// MixSend adds the voice to dst, adds the same output times share to send, and advances the voice. If a FilterBatch has
// filtered the voice, the batch has already advanced it, and MixSend does not. share is a linear factor. send must have
// the length of dst, and Sends must have returned true for that length. next is the voice that is mixed afterwards, for
// prefetching, or nil.
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

// SkipFast advances the voice by n frames of the mix without output, if it is on the fast path for all of them: gains
// and speed are constant, and the samples contiguous. It then marks the filter states as stale, because they have
// missed these frames, and returns true. Otherwise it returns false and does not change the voice.
func (v *Voice) SkipFast(n int64) bool {
	if !v.skipFast(n) {
		return false
	}
	if v.fast.filtered {
		v.filter.passes.MarkStale()
	}
	return true
}

// skipFast advances the voice by n frames of the mix without output, if it is on the fast path for all of them: gains
// and speed are constant, and the samples contiguous. It then returns true. Otherwise it returns false and does not
// change the voice. Unlike SkipFast it does not mark the filter states as stale.
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

// nextAddress returns the memory address that v will probably read next, as a hint for prefetching. It returns 0 if v
// is nil or the address is unknown. The memory may have been freed, so it must not be read.
func (v *Voice) nextAddress() uintptr {
	if v == nil || v.fast.from == nil {
		return 0
	}
	return v.fast.kernel.address(v.fast.from, v.fastPosition())
}

// fastPosition returns the position of the voice in the samples that its fast path reads. The unit is 2^-32 frames,
// counted from the beginning of those samples.
func (v *Voice) fastPosition() int64 {
	if v.fast.refine {
		return v.mip.pos + v.fast.shift
	}
	return v.pos + v.fast.shift
}

// enterFastPath plans the fast path if the present segment of the voice has no end and the voice has already sounded. A
// segment without end means that no gain, pitch or crossfade of mip levels moves, and that no mip level is missing. The
// plan holds the arguments of the mixing kernel, which stay valid for many blocks. In other cases the voice does not
// change. See planFastPath for voices that stay off the fast path nevertheless.
func (v *Voice) enterFastPath() {
	if v.segEnd == never && !v.fresh {
		v.planFastPath()
	}
}

// planFastPath sets v.fast: the arguments of the mixing kernel at a constant speed. It does not check whether the gains
// are constant. v.fast.left becomes the number of frames of the mix until the samples are no longer contiguous. left is
// 0 for a stream, near the end of a loop, for a faulty voice, for a narrowed stereo image and for a voice with a
// pre-fader output.
func (v *Voice) planFastPath() {
	s := &v.fast
	s.left = 0
	if v.buffer != nil || v.faulty || v.narrows() || v.filter.prefaderOutput() != nil {
		return
	}
	data, first, limit := v.window()
	if data != &v.data().Samples { // a seam is too short
		return
	}
	s.filtered = v.filter.active()
	left := wholeSteps(limit<<32-v.pos-1, v.step)
	if from := v.mip.level; from != nil {
		s.step, s.shift, s.refine, s.kernel = playable.Scaled(v.step, from.Level), playable.GuardBefore<<32, true, monoBest+v.stereoOffset()
		left, data = min(left, wholeSteps(from.Wrap-v.mip.pos-1, s.step)), &from.Samples
	} else {
		s.step, s.shift, s.refine, s.kernel = v.step, -first<<32, false, v.kernelAt(v.pos)
	}
	if s.from != data {
		s.from = data
	}
	s.left = max(left, 0)
}

// FastFrames returns for how many frames of the mix MixFast will still work if no method changes the voice. It is 0
// if the voice is not on the fast path, for example because a gain or the pitch moves.
func (v *Voice) FastFrames() int64 { return v.fast.left }

// wholeSteps returns distance / step, rounded down. Both have the unit 2^-32 frames. distance must not be negative, and
// step must be positive.
func wholeSteps(distance, step int64) int64 {
	if step == dsp.One { // the usual case, without a division
		return distance >> 32
	}
	return distance / step
}

// StableFrames returns for how many frames of the mix, at least, values of the loudness index stay constant if no
// method changes the voice. These are the index of Envelope.BothAt, the result of LoopsAgain and, for a sound with a
// masking index, the result of Envelope.MasksAt. If near is true, both results of BothAt stay constant, and the result
// of MasksAt for any sound. It is 0 if MixFast does not work now, and 2^40 for a stream.
func (v *Voice) StableFrames(near bool) int64 {
	e := v.sound.Envelope()
	switch {
	case !near || e.Near == nil || e.Step == 0:
		return v.untilHop(e.Hop)
	case e.Step > 0 && e.Hop == 4*e.Step: // a hop ends where a step does
		return v.untilHop(e.Step)
	}
	return min(v.untilHop(e.Hop), v.untilHop(e.Step))
}

// untilHop returns how many frames of the mix pass, at least, until the position of the voice reaches the next multiple
// of hop. hop is a number of frames of the sound. The result is at most v.fast.left, and therefore 0 if the voice is
// not on the fast path. If hop is below 1, the result is v.fast.left; for a stream it is 2^40.
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
