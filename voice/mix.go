package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/internal/playable"
	"voicepool/pcm"
)

// Mix adds the voice to dst and advances the voice by the same number of frames. dst begins at frame of the mix. The
// result is len(dst), or less if the voice ends: the number of frames before its end. Each call must continue where the
// last one ended, except after a pause.
func (v *Voice) Mix(dst []pcm.Frame, frame int64) int { return v.MixBefore(nil, dst, frame) }

// MixBefore is Mix with a hint: next is the voice that is mixed afterwards, or nil, and its samples are prefetched.
// MixBefore adds the voice v to dst, which begins at frame of the mix, and advances v. The result is len(dst), or less
// if v ends: the number of frames before its end.
func (v *Voice) MixBefore(next *Voice, dst []pcm.Frame, frame int64) int {
	if v.MixFast(next, dst, frame) {
		return len(dst)
	}
	if v.buffer != nil {
		return v.mixStream(dst, frame)
	}
	return int(v.advance(dst, next, int64(len(dst)), frame))
}

// Skip advances the voice by n frames of the mix, from frame on, without output. The result is the number of frames
// that Mix would have produced: n, or less if the voice ends. The filter states are marked as stale, so that they are
// cleared before their next use.
func (v *Voice) Skip(n, frame int64) int64 {
	if v.SkipFast(n) {
		return n
	}
	if v.filter != nil {
		v.filter.passes.MarkStale()
	}
	if v.buffer != nil {
		return v.skipStream(n, frame)
	}
	return v.advance(nil, nil, n, frame)
}

// advance adds n frames of the voice to dst, which begins at frame of the mix, and advances the voice. If dst is nil,
// it only advances. The result is n, or less if the voice ends. next is the voice that is mixed afterwards, for
// prefetching, or nil. If the voice cannot progress, it becomes faulty and ends. Not for streams.
func (v *Voice) advance(dst []pcm.Frame, next *Voice, n, frame int64) int64 {
	v.fast.left = 0
	done := int64(0)
	for done < n && !v.Ended(frame) {
		if frame >= v.segEnd && frame >= v.rampSpan.until {
			v.nextSegment(frame)
		}
		got := int64(0)
		if frame < v.rampSpan.until {
			got = v.mixRampSpan(after(dst, done), next, n-done, frame)
		}
		if got == 0 {
			if frame >= v.segEnd {
				v.beginGainSegment(frame)
			}
			got = v.runProcessed(after(dst, done), min(n-done, v.segEnd-frame), frame)
		}
		done += got
		frame += got
		v.fresh = v.fresh && got == 0
		v.faulty = v.faulty || got == 0 && !v.Ended(frame) // a voice without progress must not block a render forever
	}
	if done == n {
		v.enterFastPath()
	}
	return done
}

// after returns dst without its first frames: frames is their number. It returns nil if dst is nil.
func after(dst []pcm.Frame, frames int64) []pcm.Frame {
	if dst == nil {
		return nil
	}
	return dst[frames:]
}

// Ended reports whether the voice has ended at frame of the mix. A voice ends when it has played its sound to the end,
// has faded out, meets invalid samples or is dropped. The zero Voice has ended.
func (v *Voice) Ended(frame int64) bool {
	if v.sound == nil || v.faulty || v.fadeOut.ToSilence && frame >= v.fadeOut.End() {
		return true
	}
	if v.buffer != nil {
		return v.playedOut()
	}
	if v.unrolls() {
		return v.pos>>32 >= v.unrolled(v.data().Frames)
	}
	return !v.Looping() && v.pos>>32 >= v.data().Frames
}

// run adds at most n frames of the present segment (a stretch with linear gains) to dst and advances the voice. If dst
// is nil, it only advances. It applies the gains, but no filter. at is the number of frames between the start of the
// segment and dst. The result is the number of frames advanced. It is less than n if the voice ends, if a stream runs
// out of decoded frames, or if a change of the remaining loop rounds ends the segment.
func (v *Voice) run(dst []pcm.Frame, n int64, at int) int64 {
	switch {
	case v.buffer != nil:
		return v.runStream(dst, n, at)
	case v.mip.level != nil || v.crossfadeFrames > 0:
		return v.runMips(dst, n, at)
	}
	g := v.ramp
	g.Start = at
	return v.runOriginal(dst, n, g)
}

// runOriginal adds at most n frames of the present segment (a stretch with linear gains) to dst, with the gains g, and
// advances the voice. If dst is nil, it only advances. It reads the original samples, not a mip level, and applies no
// filter. The result is the number of frames advanced. It is less than n at the end of the sound, or if a change of the
// remaining loop rounds ends the segment.
func (v *Voice) runOriginal(dst []pcm.Frame, n int64, g dsp.Ramp) int64 {
	done := int64(0)
	for done < n && v.segEnd > v.segStart {
		data, first, limit := v.window()
		left := limit<<32 - v.pos
		if left <= 0 {
			break
		}
		k := stepsToCover(left, v.step, n-done)
		switch {
		case dst == nil:
		case data != nil:
			v.kernelAt(v.pos).mix(dst[done:done+k], data, v.pos-first<<32, v.step, g)
		default:
			k = min(k, unrollPiece<<32/v.step)
			v.mixUnrolled(dst[done:done+k], g)
		}
		v.pos += k * v.step
		done += k
		g.Start += int(k)
		v.wrap()
	}
	return done
}

// stepsToCover returns the smallest number of steps that reach or pass the distance left, but at most n. left is
// positive. left and step have the same unit, 2^-32 frames.
func stepsToCover(left, step, n int64) int64 {
	if n < 1<<20 && uint64(n*step-1) < uint64(left) { // the usual case, without a division
		return n
	}
	return min((left+step-1)/step, n)
}

// window returns contiguous samples around the voice's position. data is the store that holds them. first is the frame
// number of the store's first sample, guard frames included. limit is the first frame number that must not be read from
// the store. Around the end of a loop, the store holds the samples in playing order (the seam). data is nil for an
// unrolled loop, see unrolls.
func (v *Voice) window() (data *playable.Store, first, limit int64) {
	s := v.data()
	if !v.Looping() {
		return &s.Samples, -playable.GuardBefore, s.Frames
	}
	if v.unrolls() {
		return nil, 0, v.unrolledEnd()
	}
	if v.pos>>32 < s.Seam.From {
		return &s.Samples, -playable.GuardBefore, min(s.Seam.From, v.seamExit())
	}
	return &s.Seam.Samples, s.Seam.From - playable.GuardBefore, min(s.Seam.Wrap, v.seamExit())
}

// seamExit returns a frame number shortly before the end of the last round of the loop. From there on the voice must
// read the original samples instead of the seam, because the frames behind the loop follow. The seam is a copy of the
// samples around the end of the loop. If the loop repeats without end, the result is math.MaxInt64.
func (v *Voice) seamExit() int64 {
	if v.jumps < 0 {
		return math.MaxInt64
	}
	s := v.data()
	return s.Loop[1] + int64(v.jumps)*(s.Loop[1]-s.Loop[0]) - playable.GuardAfter
}

// wrap moves the position of a looping voice back into the loop if it has passed the end by a few frames. It counts
// down v.jumps if the number of rounds is limited. In the last round, shortly before the loop's end, it ends the
// looping by setting v.loop to false. For a loop shorter than playable.ShortLoop with a limited number of rounds it
// calls rewind instead. A voice that does not loop is unchanged.
func (v *Voice) wrap() {
	if !v.Looping() {
		return
	}
	m := &v.data().Seam
	if v.jumps < 0 {
		if over := v.pos - m.Wrap<<32; over >= 0 {
			back := m.Back << 32
			v.pos -= back * (over/back + 1)
			v.jumpedBack = true
		}
		return
	}
	length := v.data().Loop[1] - v.data().Loop[0]
	if length < playable.ShortLoop {
		v.rewind()
		return
	}
	for v.pos>>32 < v.seamExit() {
		if v.pos < m.Wrap<<32 {
			return
		}
		v.pos -= m.Back << 32
		v.jumps -= int32(m.Back / length)
		v.jumpedBack = true
		if v.jumps == 0 {
			v.replanMip()
		}
	}
	v.pos -= int64(v.jumps) * length << 32
	v.jumps, v.loop = 0, false
}
