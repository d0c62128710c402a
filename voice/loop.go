package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// SetRounds sets how many times the voice still plays its loop, including the present round. If rounds is 0 or less,
// the loop repeats without end. The change makes no step in the signal. A voice that was started without a loop begins
// to loop, if it is still before the end of the sound's loop. SetRounds has no effect on a stream, on an empty sound
// and on a voice that has passed the end of its loop for the last time.
func (v *Voice) SetRounds(rounds int32) {
	if v.buffer != nil {
		return
	}
	size, to := v.sound.loop.Frames(), v.sound.loop[1]
	switch at := v.pos >> 32; {
	case size <= 0 || !v.Looping() && at >= to || v.unrolls() && at >= v.unrolled(to):
		return
	case rounds > 0 && at >= to: // in the seam, where some rounds have already begun
		v.jumps = rounds + int32((at-to)/size)
	default:
		v.jumps = max(rounds, 0) - 1
	}
	v.loop, v.fast.left = v.jumps != 0, 0
	v.wrap()
	v.replanMip()
}

// LoopsAgain reports whether a looping voice jumps back at least once more after the present round. It is false for
// streams and for voices without a loop.
func (v *Voice) LoopsAgain() bool { return v.Looping() && v.jumps != 0 }

// SeekTo jumps to another position in the sound and fades in from silence there. The parameter to is the new position,
// as a frame number of the sound. The fade begins at frame of the mix and lasts fade frames. While the voice loops, a
// position behind the end of the loop is moved back into the loop. The rounds for this count as played. A stream drops
// its buffers and continues with buffer, which must begin at the new position; for other sounds buffer is nil. The
// filter states are cleared before their next use. To fade out the old position, the caller mixes a copy of the voice.
func (v *Voice) SeekTo(frame, to, fade int64, buffer *StreamBuffer) {
	end := v.sound.loop[1]
	if at := v.pos >> 32; v.Looping() && v.jumps >= 0 && at >= end { // some rounds have already begun
		v.jumps = max(v.jumps-int32((at-end)/v.sound.loop.Frames())-1, 0)
		v.loop = v.jumps > 0
	}
	v.pos, v.jumpedBack, v.mip = to<<32, false, mipReader{}
	if v.buffer != nil {
		v.buffer.Drop()
		v.closeOtherBuffers()
		v.buffer, v.pos, v.played, v.waiting = buffer, 0, 0, true
	}
	if v.filter != nil {
		v.filter.stale = true
	}
	v.wrap()
	v.FadeBackIn(frame, fade)
}

// seam holds the samples around the end of a loop in playing order: those before the end, then those after
// the loop's start. A looping voice switches from the samples to the seam at from. At wrap it jumps back by
// back frames to a position with the same neighbours. Kernels therefore need no code for loops, and a loop is
// exact at any pitch and with any interpolation.
type seam struct {
	data sampleStore // interleaved; its frame 0 is frame from-guardBefore of the sound
	from int64       // positions from here on are read from data
	wrap int64       // first position that is no longer read
	back int64       // a multiple of the loop length
}

// shortLoop is the length in frames below which a loop is repeated within its seam. This limits the number of
// jumps per block.
const shortLoop = 64

// newSeam returns a copy of the samples around the end of the sound's loop, in playing order: the end of the loop, then
// its beginning. s.data and s.loop must be set. If the loop is empty, the result is the zero seam.
func newSeam(s *Sound) seam {
	length := s.loop.Frames()
	if length <= 0 {
		return seam{}
	}
	m := seam{
		from: max(s.loop[1]-guardAfter, 0),
		wrap: s.loop[1] + guardBefore,
		back: length,
	}
	if length < shortLoop {
		m.back = (shortLoop + length - 1) / length * length
		m.wrap += m.back
	}
	first := m.from - guardBefore
	c := int64(s.channels)
	m.data = s.data.gather((m.wrap+guardAfter-first)*c, func(i int64) int64 {
		return (s.loop.At(first+i/c)+guardBefore)*c + i%c
	})
	return m
}

// A voice that counts the rounds of a short loop reads an unrolled sound: the remaining rounds follow each
// other, and the position counts frames of the unrolled sound. The exit from the loop is therefore exact even
// if a kernel reads several rounds at once.

// unrolls reports whether the voice reads an unrolled loop: its remaining rounds count as if they were written out one
// after another. This is so for a loop shorter than shortLoop with a counted number of rounds.
func (v *Voice) unrolls() bool {
	return v.Looping() && v.jumps >= 0 && v.sound.loop[1]-v.sound.loop[0] < shortLoop
}

// unrolled converts a frame number of the sound, at or behind the loop's end, to the position that counts all remaining
// rounds of the loop one after another. If the loop repeats without end, or the voice does not loop, the result is
// frame itself.
func (v *Voice) unrolled(frame int64) int64 {
	if v.jumps < 0 {
		return frame
	}
	return frame + int64(v.jumps)*(v.sound.loop[1]-v.sound.loop[0])
}

// rewind shortens the position of a voice with an unrolled loop: it removes completed rounds from v.pos and from
// v.jumps. Behind the last round it ends the looping, and v.pos is a position in the sound again. v.unrolls must be
// true.
func (v *Voice) rewind() {
	m, length := &v.sound.seam, v.sound.loop.Frames()
	if last := v.unrolled(v.sound.loop[1]); v.pos>>32 >= last+guardAfter {
		v.pos -= int64(v.jumps) * length << 32
		v.jumps, v.loop = 0, false
		v.replanMip()
		return
	}
	for v.pos>>32 >= m.wrap && int64(v.jumps)*length > m.back+shortLoop {
		v.pos -= m.back << 32
		v.jumps -= int32(m.back / length)
	}
}

// unrollPiece is the number of frames unrolled at a time.
const unrollPiece = 1<<maxOctaves + 64

// mixUnrolled adds the next len(dst) frames of a voice with an unrolled loop to dst, with the gains g. An unrolled loop
// is a short loop whose remaining rounds are read as if written out one after another. mixUnrolled does not advance the
// voice. dst must be short: at the present speed it may cover at most unrollPiece frames of the sound.
func (v *Voice) mixUnrolled(dst []pcm.Frame, g dsp.Ramp) {
	first := v.pos>>32 - guardBefore
	frames := ((v.pos+int64(len(dst)-1)*v.step)>>32 - first) + 1 + guardBefore
	var (
		wide    [2 * (unrollPiece + 3*guardBefore)]float32
		compact [2 * (unrollPiece + 3*guardBefore)]int16
		piece   sampleStore
	)
	c := int64(v.sound.channels)
	if from := &v.sound.data; from.compact != nil {
		piece.compact = compact[:frames*c]
		for i := range piece.compact {
			piece.compact[i] = from.compact[v.unrolledSource(first+int64(i)/c)*c+int64(i)%c]
		}
	} else {
		piece.floats = wide[:frames*c]
		for i := range piece.floats {
			piece.floats[i] = from.floats[v.unrolledSource(first+int64(i)/c)*c+int64(i)%c]
		}
	}
	v.kernelAt(v.pos).mix(dst, &piece, v.pos-first<<32, v.step, g)
}

// unrolledSource returns the index, in the sample store of the sound, of frame number at of an unrolled loop. In an
// unrolled loop, the remaining rounds count one after another. Index 0 of the store is the first of the silent guard
// frames. A frame outside the sound gives the index of a silent frame.
func (v *Voice) unrolledSource(at int64) int64 {
	s := v.sound
	switch {
	case at < s.loop[1]:
	case at < v.unrolled(s.loop[1]):
		at = s.loop[0] + (at-s.loop[1])%(s.loop[1]-s.loop[0])
	default:
		at -= v.unrolled(0)
	}
	return min(max(at+guardBefore, 0), s.frames+guardBefore+guardAfter-1)
}

// unrolledEnd returns the frame number at the end of the unrolled loop that a voice reads: a few frames behind the
// final exit from the loop, or the end of the sound, whichever is first. Frame numbers count all remaining rounds one
// after another. The result is at most 2^20 frames behind the position, so that their distance fits 32.32 fixed point.
func (v *Voice) unrolledEnd() int64 {
	return min(v.unrolled(v.sound.loop[1])+guardAfter, v.unrolled(v.sound.frames), v.pos>>32+1<<20)
}

// Endless reports whether the voice never ends by itself. This is so if its loop repeats without end or if it is a
// stream of unknown length. It is false for a voice that fades out. For a stream with a buffer to switch to, the loop
// of that next buffer decides.
func (v *Voice) Endless() bool {
	switch {
	case v.fadeOut.toSilence:
		return false
	case v.nextBuffer != nil: // the buffer that follows
		return v.nextBuffer.playRange.endless()
	case v.buffer != nil:
		return v.buffer.playRange.endless() || v.sound.frames == 0
	}
	return v.jumps < 0 && v.Looping()
}
