package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// Mix adds the voice to dst, whose first frame has the number frame in the mix, and advances the voice by len(dst)
// frames. It returns the number of frames before the voice's end; len(dst) if the voice has not ended. Each call must
// begin where the last one ended, except after a pause.
func (v *Voice) Mix(dst []pcm.Frame, frame int64) int { return v.MixBefore(nil, dst, frame) }

// MixBefore is Mix with a hint: it prefetches the samples of next, the voice that is mixed afterwards, or nil. Like
// Mix it adds the voice to dst, which begins at frame of the mix, advances by len(dst) frames and returns the number
// of frames before the voice's end.
func (v *Voice) MixBefore(next *Voice, dst []pcm.Frame, frame int64) int {
	if v.MixFast(next, dst, frame) {
		return len(dst)
	}
	if v.buffer != nil {
		return v.mixStream(dst, frame)
	}
	return int(v.advance(dst, next, int64(len(dst)), frame))
}

// Skip advances the voice by n frames of the mix, from frame on, without output, and marks its filter states as stale.
// It returns how many frames Mix would have produced: fewer than n if the voice ends before.
func (v *Voice) Skip(n, frame int64) int64 {
	if v.SkipFast(n) {
		return n
	}
	if v.filter != nil {
		v.filter.stale = true
	}
	if v.buffer != nil {
		return v.skipStream(n, frame)
	}
	return v.advance(nil, nil, n, frame)
}

// advance adds n frames of the mix, from frame on, to dst and returns how many the voice had: fewer than n if it ends
// before. If dst is nil, the voice advances without output. next is the voice that is mixed afterwards, or nil. A
// voice that cannot progress becomes faulty and ends. Not for streams.
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

// after returns dst without its first frames, as many as frames gives; nil if dst is nil.
func after(dst []pcm.Frame, frames int64) []pcm.Frame {
	if dst == nil {
		return nil
	}
	return dst[frames:]
}

// Ended reports whether the voice has ended by frame of the mix: it has played to its end, faded out, met invalid
// samples or was dropped. The zero Voice has ended.
func (v *Voice) Ended(frame int64) bool {
	if v.sound == nil || v.faulty || v.fadeOut.toSilence && frame >= v.fadeOut.end() {
		return true
	}
	if v.buffer != nil {
		return v.buffer.playedOut(v.played)
	}
	if v.unrolls() {
		return v.pos>>32 >= v.unrolled(v.sound.frames)
	}
	return !v.Looping() && v.pos>>32 >= v.sound.frames
}

// run adds at most n frames of the present segment to dst, or only advances if dst is nil, and returns how many frames
// it advanced. at is the number of frames between the start of the segment and dst. The result is less than n if the
// voice ends, leaves its loop or, as a stream, runs out of frames. It applies no filter.
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

// runOriginal adds at most n frames of the present segment to dst with the gains g, or only advances if dst is nil. It
// reads the original samples, not a mip level. It returns how many frames it advanced: fewer than n at the end of the
// sound.
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

// stepsToCover returns how many steps of the length step reach or pass the distance left, at most n. left is positive
// and in the unit of step, 32.32 frames.
func stepsToCover(left, step, n int64) int64 {
	if n < 1<<20 && uint64(n*step-1) < uint64(left) { // the usual case, without a division
		return n
	}
	return min((left+step-1)/step, n)
}

// window returns the contiguous samples around the voice's position: the store data, the frame number first of the
// sound at the store's start, and limit, the first frame of the sound that must not be read from it. In a loop the
// store may be the seam, the samples around the loop's end in playing order. data is nil for an unrolled loop, see
// unrolls.
func (v *Voice) window() (data *sampleStore, first, limit int64) {
	s := v.sound
	if !v.Looping() {
		return &s.data, -guardBefore, s.frames
	}
	if v.unrolls() {
		return nil, 0, v.unrolledEnd()
	}
	if v.pos>>32 < s.seam.from {
		return &s.data, -guardBefore, min(s.seam.from, v.seamExit())
	}
	return &s.seam.data, s.seam.from - guardBefore, min(s.seam.wrap, v.seamExit())
}

// seamExit returns the position, in frames, shortly before the end of the last round of the loop. From there on a
// voice must not read the seam, the samples around the loop's end in playing order, because the frames behind the loop
// follow. It is math.MaxInt64 if the loop has no last round.
func (v *Voice) seamExit() int64 {
	if v.jumps < 0 {
		return math.MaxInt64
	}
	s := v.sound
	return s.loop[1] + int64(v.jumps)*(s.loop[1]-s.loop[0]) - guardAfter
}

// wrap moves a position that has passed the samples around the end of the loop (the seam) back into the loop. If the
// rounds are counted, it also counts down v.jumps. In the last round, shortly before the loop's end, it ends the
// looping (v.loop becomes false). A voice that does not loop is unchanged.
func (v *Voice) wrap() {
	if !v.Looping() {
		return
	}
	m := &v.sound.seam
	if v.jumps < 0 {
		if over := v.pos - m.wrap<<32; over >= 0 {
			back := m.back << 32
			v.pos -= back * (over/back + 1)
			v.jumpedBack = true
		}
		return
	}
	length := v.sound.loop[1] - v.sound.loop[0]
	if length < shortLoop {
		v.rewind()
		return
	}
	for v.pos>>32 < v.seamExit() {
		if v.pos < m.wrap<<32 {
			return
		}
		v.pos -= m.back << 32
		v.jumps -= int32(m.back / length)
		v.jumpedBack = true
		if v.jumps == 0 {
			v.replanMip()
		}
	}
	v.pos -= int64(v.jumps) * length << 32
	v.jumps, v.loop = 0, false
}
