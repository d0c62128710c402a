package voice

import (
	"math"

	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/internal/playable"
	"voicepool/pcm"
)

// streamPiece is the number of stream frames made contiguous at a time: enough for one step of the
// fastest voice.
const streamPiece = 1<<playable.MaxOctaves + 256

// playedOut reports whether the voice, a stream, has played all frames of its buffer and no further frames will be
// written.
func (v *Voice) playedOut() bool { return v.buffer.Ended() && v.played >= v.buffer.Written() }

// Commit returns the voice's Position. For a stream it also releases the frames that were played, and drops a buffer
// that SwitchBuffer has replaced. Before Commit, a copy of the voice, such as its tail, can still play on from the old
// position. So it must be called after both are mixed.
func (v *Voice) Commit() int64 {
	if v.fast.left > 0 {
		return v.pos >> 32
	}
	if v.buffer != nil {
		if v.pastBuffer != nil {
			v.pastBuffer.Drop()
			v.pastBuffer = nil
		}
		v.buffer.Release(max(v.played-playable.StreamReach, 0))
	}
	return v.Position()
}

// Drop ends the voice, marks its stream buffers as closed and drops all references to samples. Afterwards Ended is true
// and Sound is nil. The voice keeps its filter.
func (v *Voice) Drop() {
	if v.buffer != nil {
		v.buffer.Drop()
		v.closeOtherBuffers()
	}
	v.sound, v.buffer, v.space = nil, nil, nil
	v.fast.from, v.mip.level, v.oldMip.level = nil, nil, nil
}

// Underrun reports whether the stream has run out of decoded frames (dry). from is then the frame of the mix where the
// fade-out for this reason began. The voice is silent after that fade until more frames arrive. If dry is false, from
// is meaningless.
func (v *Voice) Underrun() (from int64, dry bool) { return v.resume.Start, v.underrun }

// Failure reports why the voice has ended early, if it has. invalid means that it met invalid samples. broken means
// that the decoder of its stream called StreamBuffer.Fail, and the voice has played all frames before that point.
func (v *Voice) Failure() (invalid, broken bool) {
	return v.faulty, v.buffer != nil && v.buffer.Failed() && v.playedOut()
}

// mixStream adds the voice, a stream, to dst, which begins at frame of the mix, and advances it. The result is
// len(dst), or less if the voice ends: the number of frames before its end. Frames of silence while it waits count,
// too.
//
// If decoded frames arrive too late, the voice fades out over the last 5 ms of them, waits, and fades in again over 5
// ms. If the speed rises so suddenly that too few frames are left for the fade, the voice becomes silent at once.
// Waiting for the first frames is not an underrun.
func (v *Voice) mixStream(dst []pcm.Frame, frame int64) int {
	smooth := int64(v.data().Rate+199) / 200
	done := 0
	for done < len(dst) && !v.Ended(frame) {
		if v.waiting || v.underrun && frame >= v.resume.End() {
			if !v.isReady() {
				return len(dst)
			}
			if v.underrun {
				v.resume = move.Fade{Start: frame, Frames: smooth}
			}
			v.waiting, v.underrun = false, false
			v.Replan(frame)
		}
		n := v.switchDueBuffer(int64(len(dst) - done))
		fadeFrames := smooth
		if v.step > dsp.One { // the same time in the stream, but at least a few frames
			fadeFrames = min(smooth, max(smooth<<32/v.step, playable.MinFade))
		}
		if left, ends := v.available(); !ends && !v.underrun && left < n+fadeFrames {
			if left > fadeFrames { // no fade until there
				n = left - fadeFrames
			} else {
				v.underrun = true
				v.resume = move.Fade{Start: frame, Frames: left, ToSilence: true, Level: v.resume.At(frame)}
				v.Replan(frame)
			}
		}
		if v.underrun {
			n = min(n, v.resume.End()-frame)
		}
		if frame >= v.segEnd {
			v.nextSegment(frame)
		}
		n = min(n, v.segEnd-frame)
		got := v.runProcessed(dst[done:], n, frame)
		done += int(got)
		frame += got
		if got < n && !v.Ended(frame) { // the voice became faster than expected
			v.underrun = true
			v.resume = move.Fade{Start: frame, ToSilence: true}
		}
	}
	return done
}

// isReady reports whether the stream has enough decoded frames to begin or to continue after an underrun. These are a
// tenth of a second, or half of the buffer if that is less, or all frames until the end of the stream.
func (v *Voice) isReady() bool {
	enough := min(int64(v.data().Rate)/10+playable.StreamReach, int64(v.buffer.Capacity())/2)
	left, ends := v.available()
	return ends || left > 0 && v.buffer.Written()-v.played >= enough
}

// available returns how long the decoded part of the stream lasts at the present speed, as a lower bound in frames of
// the mix. If the stream is decoded to its end, ends is true and frames is math.MaxInt64.
func (v *Voice) available() (frames int64, ends bool) {
	if v.buffer.Ended() {
		return math.MaxInt64, true
	}
	left := v.buffer.Written() - v.played - playable.StreamReach - 1
	return max(left, 0) << 32 / max(v.step, dsp.One/2), false
}

// runStream adds at most n frames of the present segment (a stretch with linear gains) of a stream to dst and advances
// the voice. at is the number of frames between the start of the segment and dst. The result is the number of frames
// mixed; it is less than n at the end of the decoded part. Invalid samples make the voice faulty, and it ends.
func (v *Voice) runStream(dst []pcm.Frame, n int64, at int) int64 {
	var piece [2 * (playable.StreamReach + streamPiece + playable.StreamReach)]float32
	done := int64(0)
	for done < n {
		// ended has been loaded before, so this value includes the last frames.
		left := v.buffer.Written() - v.played
		if left <= 0 {
			break
		}
		k := min(n-done, (streamPiece<<32-1-v.pos)/v.step+1, (left<<32-v.pos+v.step-1)/v.step)
		frames := (v.pos+(k-1)*v.step)>>32 + 1 + 2*playable.StreamReach
		if !v.buffer.CopyTo(piece[:2*frames], v.played-playable.StreamReach) {
			v.faulty = true
			break
		}
		g := v.ramp
		g.Start = at + int(done)
		whole := playable.Store{Floats: piece[:]}
		v.kernelAt(v.pos).mix(dst[done:done+k], &whole, v.pos+playable.StreamReach<<32, v.step, g)
		v.advanceStream(k)
		done += k
	}
	return done
}

// advanceStream advances the position of a stream by n frames of the mix at the present speed. v.played counts the
// whole frames of the stream, and v.pos keeps the fraction. It does not check whether the frames are decoded.
func (v *Voice) advanceStream(n int64) {
	v.pos += n * v.step
	v.played += v.pos >> 32
	v.pos &= 1<<32 - 1
}

// skipStream advances a stream by n frames of the mix, from frame on, without output. The result is n, or less if the
// voice ends. At the end of the decoded part the voice waits for more frames, which counts in the result, too. An
// underrun ends here, and this waiting is not a new underrun.
func (v *Voice) skipStream(n, frame int64) int64 {
	done := int64(0)
	for done < n && !v.Ended(frame) {
		if v.waiting && !v.isReady() {
			return n
		}
		v.waiting, v.underrun = false, false
		if frame >= v.segEnd {
			v.nextSegment(frame)
		}
		k := v.switchDueBuffer(min(n-done, v.segEnd-frame))
		to := v.played + (v.pos+k*v.step)>>32
		switch ended := v.buffer.Ended(); { // load ended before written, which is then final
		case to > v.buffer.Written() && !ended:
			v.waiting = true
			return n
		case ended:
			k = min(k, ((v.buffer.Written()-v.played)<<32-v.pos+v.step-1)/v.step)
		}
		v.advanceStream(k)
		done += k
		frame += k
	}
	return done
}
