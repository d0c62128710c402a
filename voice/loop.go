package voice

import (
	"voicepool/internal/dsp"
	"voicepool/internal/playable"
	"voicepool/pcm"
	"voicepool/sounds"
)

// SetRounds sets how many times the voice still plays its loop, including the present round. If rounds is 0 or less,
// the loop repeats without end. The change makes no step in the signal. A voice that was started without a loop begins
// to loop, if it is still before the end of the sound's loop. SetRounds has no effect on a stream, on an empty sound
// and on a voice that has passed the end of its loop for the last time.
func (v *Voice) SetRounds(rounds int32) {
	if v.buffer != nil {
		return
	}
	size, to := v.data().Loop.Frames(), v.data().Loop[1]
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
func (v *Voice) SeekTo(frame, to, fade int64, buffer *sounds.StreamBuffer) {
	end := v.data().Loop[1]
	if at := v.pos >> 32; v.Looping() && v.jumps >= 0 && at >= end { // some rounds have already begun
		v.jumps = max(v.jumps-int32((at-end)/v.data().Loop.Frames())-1, 0)
		v.loop = v.jumps > 0
	}
	v.pos, v.jumpedBack, v.mip = to<<32, false, mipReader{}
	if v.buffer != nil {
		v.buffer.Drop()
		v.closeOtherBuffers()
		v.buffer, v.pos, v.played, v.waiting = buffer, 0, 0, true
	}
	if v.filter != nil {
		v.filter.passes.MarkStale()
	}
	v.wrap()
	v.FadeBackIn(frame, fade)
}

// A voice that counts the rounds of a short loop reads an unrolled sound: the remaining rounds follow each
// other, and the position counts frames of the unrolled sound. The exit from the loop is therefore exact even
// if a kernel reads several rounds at once.

// unrolls reports whether the voice reads an unrolled loop: its remaining rounds count as if they were written out one
// after another. This is so for a loop shorter than playable.ShortLoop with a counted number of rounds.
func (v *Voice) unrolls() bool {
	return v.Looping() && v.jumps >= 0 && v.data().Loop[1]-v.data().Loop[0] < playable.ShortLoop
}

// unrolled converts a frame number of the sound, at or behind the loop's end, to the position that counts all remaining
// rounds of the loop one after another. If the loop repeats without end, or the voice does not loop, the result is
// frame itself.
func (v *Voice) unrolled(frame int64) int64 {
	if v.jumps < 0 {
		return frame
	}
	return frame + int64(v.jumps)*(v.data().Loop[1]-v.data().Loop[0])
}

// rewind shortens the position of a voice with an unrolled loop: it removes completed rounds from v.pos and from
// v.jumps. Behind the last round it ends the looping, and v.pos is a position in the sound again. v.unrolls must be
// true.
func (v *Voice) rewind() {
	m, length := &v.data().Seam, v.data().Loop.Frames()
	if last := v.unrolled(v.data().Loop[1]); v.pos>>32 >= last+playable.GuardAfter {
		v.pos -= int64(v.jumps) * length << 32
		v.jumps, v.loop = 0, false
		v.replanMip()
		return
	}
	for v.pos>>32 >= m.Wrap && int64(v.jumps)*length > m.Back+playable.ShortLoop {
		v.pos -= m.Back << 32
		v.jumps -= int32(m.Back / length)
	}
}

// unrollPiece is the number of frames unrolled at a time.
const unrollPiece = 1<<playable.MaxOctaves + 64

// mixUnrolled adds the next len(dst) frames of a voice with an unrolled loop to dst, with the gains g. An unrolled loop
// is a short loop whose remaining rounds are read as if written out one after another. mixUnrolled does not advance the
// voice. dst must be short: at the present speed it may cover at most unrollPiece frames of the sound.
func (v *Voice) mixUnrolled(dst []pcm.Frame, g dsp.Ramp) {
	first := v.pos>>32 - playable.GuardBefore
	frames := ((v.pos+int64(len(dst)-1)*v.step)>>32 - first) + 1 + playable.GuardBefore
	var (
		wide    [2 * (unrollPiece + 3*playable.GuardBefore)]float32
		compact [2 * (unrollPiece + 3*playable.GuardBefore)]int16
		piece   playable.Store
	)
	c := int64(v.data().Channels)
	if from := &v.data().Samples; from.Compact != nil {
		piece.Compact = compact[:frames*c]
		for i := range piece.Compact {
			piece.Compact[i] = from.Compact[v.unrolledSource(first+int64(i)/c)*c+int64(i)%c]
		}
	} else {
		piece.Floats = wide[:frames*c]
		for i := range piece.Floats {
			piece.Floats[i] = from.Floats[v.unrolledSource(first+int64(i)/c)*c+int64(i)%c]
		}
	}
	v.kernelAt(v.pos).mix(dst, &piece, v.pos-first<<32, v.step, g)
}

// unrolledSource returns the index, in the sample store of the sound, of frame number at of an unrolled loop. In an
// unrolled loop, the remaining rounds count one after another. Index 0 of the store is the first of the silent guard
// frames. A frame outside the sound gives the index of a silent frame.
func (v *Voice) unrolledSource(at int64) int64 {
	s := v.data()
	switch {
	case at < s.Loop[1]:
	case at < v.unrolled(s.Loop[1]):
		at = s.Loop[0] + (at-s.Loop[1])%(s.Loop[1]-s.Loop[0])
	default:
		at -= v.unrolled(0)
	}
	return min(max(at+playable.GuardBefore, 0), s.Frames+playable.GuardBefore+playable.GuardAfter-1)
}

// unrolledEnd returns the frame number at the end of the unrolled loop that a voice reads: a few frames behind the
// final exit from the loop, or the end of the sound, whichever is first. Frame numbers count all remaining rounds one
// after another. The result is at most 2^20 frames behind the position, so that their distance fits 32.32 fixed point.
func (v *Voice) unrolledEnd() int64 {
	return min(v.unrolled(v.data().Loop[1])+playable.GuardAfter, v.unrolled(v.data().Frames), v.pos>>32+1<<20)
}

// Endless reports whether the voice never ends by itself. This is so if its loop repeats without end or if it is a
// stream of unknown length. It is false for a voice that fades out. For a stream with a buffer to switch to, the loop
// of that next buffer decides.
func (v *Voice) Endless() bool {
	switch {
	case v.fadeOut.ToSilence:
		return false
	case v.nextBuffer != nil: // the buffer that follows
		return v.nextBuffer.Range().Endless()
	case v.buffer != nil:
		return v.buffer.Range().Endless() || v.data().Frames == 0
	}
	return v.jumps < 0 && v.Looping()
}

// Looping reports whether the voice still follows its loop: it plays the loop or has not reached it yet. In the last of
// a limited number of rounds it becomes false shortly before the end of the loop; for a loop of less than 64 frames,
// shortly after it. If the voice was started with a single round, or SetRounds has set one, it is false from then on.
// It is false for streams, whose buffers repeat the loop themselves. The voice must have been started and not dropped.
// See also LoopsAgain.
func (v *Voice) Looping() bool {
	return v.loop && v.buffer == nil && v.data().Loop[1] > v.data().Loop[0]
}

// Position returns the frame number of the sound that the voice plays next. At the end of a sound that is not a stream,
// it is the length of the sound or slightly more. While the voice loops, the number is less than the end of the loop.
// For a stream it is a frame number of the whole stream, with its loop taken into account.
func (v *Voice) Position() int64 {
	if v.buffer != nil {
		return v.buffer.Range().FrameAt(v.played)
	}
	p := v.pos >> 32
	if v.fast.left > 0 {
		return p
	}
	if v.unrolls() && p >= v.unrolled(v.data().Loop[1]) {
		return p - v.unrolled(0)
	}
	if v.Looping() && p >= v.data().Loop[1] { // At has a value receiver and would copy the loop
		p = v.data().Loop.At(p)
	}
	return p
}
