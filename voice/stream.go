package voice

import (
	"cmp"
	"fmt"
	"math"

	"voicepool/internal/dsp"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// Stream is the input of NewStream, for a sound that is decoded while it plays.
type Stream struct {
	Name   string       // for reports; any
	File   string       // source file for reports; any
	Rate   int          // frames per second of the buffers; must equal the mixer's rate: the mixer does not convert it
	Frames int64        // the length in frames; 0: unknown
	Level  pcm.Decibels // mean loudness for its audibility, at most 0; 0: -20 dB

	// Mono declares that both samples of every frame are equal. The stream is then panned like a sound with
	// one channel.
	Mono bool

	// Loop is the part that a looping voice repeats, in frames; the zero value means the whole stream.
	Loop pcm.Loop

	// Open begins to decode a range in a new goroutine, which ends when the buffer is closed, and returns the
	// buffer. Each Play and each Seek calls it on the control side. It must not wait for frames.
	Open func(PlayRange) (*StreamBuffer, error)
}

// NewStream returns a sound with two channels that is decoded while it plays. It checks the fields of s, but does not
// call s.Open yet. The error wraps ErrSound if a field is out of its range or s.Open is nil. Control side.
func NewStream(s Stream) (*Sound, error) {
	switch {
	case s.Rate < 1 || s.Rate > 768000:
		return nil, fmt.Errorf("%w: %w", ErrSound, &pcm.RangeError{Name: "rate", Value: float64(s.Rate), Min: 1, Max: 768000, Unit: "Hz"})
	case s.Frames < 0 || s.Frames > maxFrames:
		return nil, fmt.Errorf("%w: %d frames, a stream has at most %d", ErrSound, s.Frames, int64(maxFrames))
	case !(s.Level <= 0 && s.Level >= -120):
		return nil, fmt.Errorf("%w: %w", ErrSound, &pcm.RangeError{Name: "level", Value: float64(s.Level), Min: -120, Unit: "dB"})
	case s.Loop[0] < 0 || s.Loop.Frames() < 0 || s.Frames > 0 && s.Loop[1] > s.Frames:
		return nil, fmt.Errorf("%w: the loop [%d, %d) is not inside its %d frames", ErrSound, s.Loop[0], s.Loop[1], s.Frames)
	case s.Open == nil:
		return nil, fmt.Errorf("%w: a stream without Open", ErrSound)
	}
	level := cmp.Or(s.Level, -20).Gain()
	return &Sound{
		name: s.Name, file: s.File, rate: s.Rate, channels: 2, frames: s.Frames, loop: cmp.Or(s.Loop, pcm.Loop{0, s.Frames}),
		open: s.Open, mono: s.Mono, warped: spectrum.Warp(s.Rate), envelope: Envelope{declared: float64(level * level)},
	}, nil
}

// Streamed reports whether the sound is decoded while it plays.
func (s *Sound) Streamed() bool { return s.open != nil }

// Open begins to decode the range c of the stream and returns the buffer that receives its frames. It calls
// Stream.Open, does not wait for frames and returns an error of Stream.Open unchanged. The caller must close the
// buffer. If Stream.Open panics or returns neither a buffer nor an error, the error wraps ErrSound. The sound must be
// Streamed. Control side.
func (s *Sound) Open(c PlayRange) (buffer *StreamBuffer, err error) {
	defer func() {
		if p := recover(); p != nil {
			buffer, err = nil, fmt.Errorf("%w: Open panics: %v", ErrSound, p)
		}
	}()
	if buffer, err = s.open(c); buffer == nil && err == nil {
		err = fmt.Errorf("%w: Open returns neither a buffer nor an error", ErrSound)
	}
	return buffer, err
}

const (
	// minFade is the minimum length in frames of the fade when a stream runs out of frames.
	minFade = 8

	// streamReach is the number of frames of a stream that a voice needs before and after its position.
	streamReach = 4

	// streamPiece is the number of stream frames made contiguous at a time: enough for one step of the
	// fastest voice.
	streamPiece = 1<<maxOctaves + 256
)

// playedOut reports whether all frames of the buffer have been played and no further frames will be written. played is
// the number of frames that the voice has played.
func (f *StreamBuffer) playedOut(played int64) bool {
	return f.ended.Load() && played >= f.written.Load()
}

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
		v.buffer.read.Store(max(v.played-streamReach, 0))
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

// TailFrames returns how long the tail of the voice can last, in frames of the mix: n, or less for a fast stream. The
// tail is a copy of the voice that fades out from frame of the mix on. For a stream, the result is limited to the
// frames of the buffer that are reserved for the tail.
func (v *Voice) TailFrames(frame, n int64) int64 {
	if v.buffer == nil {
		return n
	}
	semitones := v.basePitch
	for _, m := range [...]*Move{&v.pitch, &v.speed, &v.busPitch} {
		semitones += max(m.At(frame), m.To)
	}
	if v.space != nil {
		semitones += max(v.space.pitch.At(frame), v.space.pitch.To)
	}
	return min(n, v.buffer.tailReserve()<<32/max(v.step, stepOf(semitones)))
}

// Underrun reports whether the stream has run out of decoded frames (dry). from is then the frame of the mix where the
// fade-out for this reason began. The voice is silent after that fade until more frames arrive. If dry is false, from
// is meaningless.
func (v *Voice) Underrun() (from int64, dry bool) { return v.resume.start, v.underrun }

// Faulty reports whether the voice ended because of invalid samples.
func (v *Voice) Faulty() bool { return v.faulty }

// Broken reports whether the stream has ended early because of an error: its decoder called StreamBuffer.Fail, and the
// voice has played all frames before that point.
func (v *Voice) Broken() bool {
	return v.buffer != nil && v.buffer.broken.Load() && v.buffer.playedOut(v.played)
}

// mixStream adds the voice, a stream, to dst, which begins at frame of the mix, and advances it. The result is
// len(dst), or less if the voice ends: the number of frames before its end. Frames of silence while it waits count,
// too.
//
// If decoded frames arrive too late, the voice fades out over the last 5 ms of them, waits, and fades in again over 5
// ms. If the speed rises so suddenly that too few frames are left for the fade, the voice becomes silent at once.
// Waiting for the first frames is not an underrun.
func (v *Voice) mixStream(dst []pcm.Frame, frame int64) int {
	smooth := int64(v.sound.rate+199) / 200
	done := 0
	for done < len(dst) && !v.Ended(frame) {
		if v.waiting || v.underrun && frame >= v.resume.end() {
			if !v.isReady() {
				return len(dst)
			}
			if v.underrun {
				v.resume = newFadeIn(frame, smooth)
			}
			v.waiting, v.underrun = false, false
			v.Replan(frame)
		}
		n := v.switchDueBuffer(int64(len(dst) - done))
		fadeFrames := smooth
		if v.step > dsp.One { // the same time in the stream, but at least a few frames
			fadeFrames = min(smooth, max(smooth<<32/v.step, minFade))
		}
		if left, ends := v.available(); !ends && !v.underrun && left < n+fadeFrames {
			if left > fadeFrames { // no fade until there
				n = left - fadeFrames
			} else {
				v.underrun = true
				v.resume = fadeCurve{start: frame, frames: left, toSilence: true, level: v.resume.at(frame)}
				v.Replan(frame)
			}
		}
		if v.underrun {
			n = min(n, v.resume.end()-frame)
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
			v.resume = fadeCurve{start: frame, toSilence: true}
		}
	}
	return done
}

// isReady reports whether the stream has enough decoded frames to begin or to continue after an underrun. These are a
// tenth of a second, or half of the buffer if that is less, or all frames until the end of the stream.
func (v *Voice) isReady() bool {
	enough := min(int64(v.sound.rate)/10+streamReach, int64(len(v.buffer.ring))/2)
	left, ends := v.available()
	return ends || left > 0 && v.buffer.written.Load()-v.played >= enough
}

// available returns how long the decoded part of the stream lasts at the present speed, as a lower bound in frames of
// the mix. If the stream is decoded to its end, ends is true and frames is math.MaxInt64.
func (v *Voice) available() (frames int64, ends bool) {
	if v.buffer.ended.Load() {
		return math.MaxInt64, true
	}
	left := v.buffer.written.Load() - v.played - streamReach - 1
	return max(left, 0) << 32 / max(v.step, dsp.One/2), false
}

// runStream adds at most n frames of the present segment (a stretch with linear gains) of a stream to dst and advances
// the voice. at is the number of frames between the start of the segment and dst. The result is the number of frames
// mixed; it is less than n at the end of the decoded part. Invalid samples make the voice faulty, and it ends.
func (v *Voice) runStream(dst []pcm.Frame, n int64, at int) int64 {
	var piece [2 * (streamReach + streamPiece + streamReach)]float32
	done := int64(0)
	for done < n {
		// ended has been loaded before, so this value includes the last frames.
		left := v.buffer.written.Load() - v.played
		if left <= 0 {
			break
		}
		k := min(n-done, (streamPiece<<32-1-v.pos)/v.step+1, (left<<32-v.pos+v.step-1)/v.step)
		frames := (v.pos+(k-1)*v.step)>>32 + 1 + 2*streamReach
		if !v.buffer.copyTo(piece[:2*frames], v.played-streamReach) {
			v.faulty = true
			break
		}
		g := v.ramp
		g.Start = at + int(done)
		whole := sampleStore{floats: piece[:]}
		v.kernelAt(v.pos).mix(dst[done:done+k], &whole, v.pos+streamReach<<32, v.step, g)
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

// copyTo fills dst with interleaved stereo samples from frame number first of the buffer on. Frames before 0 and frames
// that are not written yet are silent. Samples below 2^-80 become 0. Frames from first on must not be released yet. It
// reports whether all samples are finite and within maxSample.
func (f *StreamBuffer) copyTo(dst []float32, first int64) bool {
	ring := dsp.Interleaved(f.ring)
	// From here on counts are in samples, two per frame.
	from, to, largest := 2*first, 2*f.written.Load(), float32(0)
	for len(dst) > 0 {
		n := int64(len(dst))
		switch {
		case from < 0:
			n = min(n, -from)
			clear(dst[:n])
		case from >= to:
			clear(dst)
		default:
			at := from & int64(len(ring)-1)
			n = min(n, to-from, int64(len(ring))-at)
			largest = max(largest, dsp.FlushTiny(dst[:n], ring[at:]))
		}
		dst, from = dst[n:], from+n
	}
	return largest <= maxSample
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
		switch ended := v.buffer.ended.Load(); { // load ended before written, which is then final
		case to > v.buffer.written.Load() && !ended:
			v.waiting = true
			return n
		case ended:
			k = min(k, ((v.buffer.written.Load()-v.played)<<32-v.pos+v.step-1)/v.step)
		}
		v.advanceStream(k)
		done += k
		frame += k
	}
	return done
}
