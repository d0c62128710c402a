package voice

import (
	"cmp"
	"fmt"
	"math"

	"voicepool/internal/dsp"
	"voicepool/internal/spectrum"
	"voicepool/pcm"
)

// Stream is what NewStream makes a Sound from: one that is decoded as it plays.
type Stream struct {
	Name   string       // for reports; any
	File   string       // where it comes from, for reports; any
	Rate   int          // frames per second of what the feeds carry: the mixer's, which never converts
	Frames int64        // the length, in frames; 0: nobody knows
	Level  pcm.Decibels // the mean loudness that counts for its audibility, at most 0; 0: -20 dB

	// Mono says that both samples of every frame are equal: it is panned as a sound
	// of one channel is.
	Mono bool

	// Loop is the part that repeats when a voice loops, in frames; the zero value
	// means all of it.
	Loop pcm.Loop

	// Open begins to decode a course, in a goroutine of its own that ends when the
	// feed is closed, and returns where the frames come from. It is called on the
	// control side, by each Play and each Seek, and does not wait for frames. A
	// course repeats what its Loop says, or, with a Loop of 0 to 0, nothing.
	Open func(Course) (*Feed, error)
}

// NewStream returns a sound that is decoded as it plays. Control side. Its frames
// are stereo. The error wraps ErrSound.
func NewStream(s Stream) (*Sound, error) {
	switch {
	case s.Rate < 1 || s.Rate > 768000:
		return nil, fmt.Errorf("%w: a rate of %d Hz is not in 1..768000", ErrSound, s.Rate)
	case s.Frames < 0 || s.Frames > maxFrames:
		return nil, fmt.Errorf("%w: %d frames, a stream has at most %d", ErrSound, s.Frames, int64(maxFrames))
	case !(s.Level <= 0 && s.Level >= -120):
		return nil, fmt.Errorf("%w: a level of %v dB is not in -120..0", ErrSound, s.Level)
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

// Streamed reports whether the sound is decoded as it plays.
func (s *Sound) Streamed() bool { return s.open != nil }

// Open begins to decode a course of a stream. Control side. The error is that of
// Stream.Open. Where that panics, or returns no feed, the error wraps ErrSound.
func (s *Sound) Open(c Course) (feed *Feed, err error) {
	defer func() {
		if p := recover(); p != nil {
			feed, err = nil, fmt.Errorf("%w: Open panics: %v", ErrSound, p)
		}
	}()
	if feed, err = s.open(c); feed == nil && err == nil {
		err = fmt.Errorf("%w: Open returns neither a feed nor an error", ErrSound)
	}
	return feed, err
}

const (
	// leastFade is how many frames a stream falls silent over at least, however
	// fast it is.
	leastFade = 8

	// streamReach is how many frames around its position a voice needs of a
	// stream: before it, and beyond it.
	streamReach = 4

	// streamPiece is how many frames of a stream are laid out in a row at a time:
	// enough for one step of the fastest voice.
	streamPiece = 1<<maxOctaves + 256
)

// over reports whether a voice that has heard so much has heard all.
func (f *Feed) over(heard int64) bool { return f.ended.Load() && heard >= f.written.Load() }

// Commit returns the voice's Position, and lets go of what it has played of a
// stream. Until then a copy of the voice may go on from where it was, as its tail
// does. To be called when both are done.
func (v *Voice) Commit() int64 {
	if v.steady.left > 0 {
		return v.pos >> 32
	}
	if v.feed != nil {
		if v.past != nil {
			v.past.Drop()
			v.past = nil
		}
		v.feed.read.Store(max(v.heard-streamReach, 0))
	}
	return v.Position()
}

// Drop ends the voice: it closes what that is fed by, and has it refer to nothing any more.
func (v *Voice) Drop() {
	if v.feed != nil {
		v.feed.Drop()
		v.leaveFeeds()
	}
	v.sound, v.feed, v.space = nil, nil, nil
	v.steady.from, v.now.version, v.was.version = nil, nil, nil
}

// Tail returns how many frames a tail has that is to have n from a frame on: fewer of a
// stream so fast that a prepared feed may not hold them, see Feed.Prepared.
func (v *Voice) Tail(frame, n int64) int64 {
	if v.feed == nil {
		return n
	}
	semitones := v.basePitch
	for _, m := range [...]*Move{&v.pitch, &v.speed, &v.shared} {
		semitones += max(m.At(frame), m.To)
	}
	if v.space != nil {
		semitones += max(v.space.pitch.At(frame), v.space.pitch.To)
	}
	return min(n, v.feed.tailRoom()<<32/max(v.step, stepOf(semitones)))
}

// Dry reports whether the stream has run dry, and from which frame on it fades
// out: then it is silent until frames come.
func (v *Voice) Dry() (from int64, dry bool) { return v.back.start, v.dry }

// Faulty reports whether the voice ended because it gave what is no sound.
func (v *Voice) Faulty() bool { return v.faulty }

// Broken reports whether the voice has come to where its stream broke.
func (v *Voice) Broken() bool { return v.feed != nil && v.feed.broken.Load() && v.feed.over(v.heard) }

// mixStream is Mix for a stream. Where frames do not come in time, it falls
// silent over the last 5 ms of the stream that it has, waits, and comes back over 5 ms. A
// voice that has not begun waits without having been dry.
func (v *Voice) mixStream(dst []pcm.Frame, frame int64) int {
	smooth := int64(v.sound.rate+199) / 200
	done := 0
	for done < len(dst) && !v.Over(frame) {
		if v.waits || v.dry && frame >= v.back.end() {
			if !v.served() {
				return len(dst)
			}
			if v.dry {
				v.back = fadeIn(frame, smooth)
			}
			v.waits, v.dry = false, false
			v.Replan(frame)
		}
		n := v.turnFeed(int64(len(dst) - done))
		fade := smooth
		if v.step > dsp.One { // the same stretch of the stream, but a few frames at least
			fade = min(smooth, max(smooth<<32/v.step, leastFade))
		}
		if left, ends := v.supply(); !ends && !v.dry && left < n+fade {
			if left > fade { // up to there it is as ever
				n = left - fade
			} else {
				v.dry = true
				v.back = curve{start: frame, frames: left, out: true, level: v.back.at(frame)}
				v.Replan(frame)
			}
		}
		if v.dry {
			n = min(n, v.back.end()-frame)
		}
		if frame >= v.segEnd {
			v.proceed(frame)
		}
		n = min(n, v.segEnd-frame)
		got := v.give(dst[done:], n, frame)
		done += int(got)
		frame += got
		if got < n && !v.Over(frame) { // it became faster than was reckoned with
			v.dry = true
			v.back = curve{start: frame, out: true}
		}
	}
	return done
}

// served reports whether there is a tenth of a second to begin with, or all there is.
func (v *Voice) served() bool {
	enough := min(int64(v.sound.rate)/10+streamReach, int64(len(v.feed.ring))/2)
	left, ends := v.supply()
	return ends || left > 0 && v.feed.written.Load()-v.heard >= enough
}

// supply returns how many frames the voice can surely give, at its present or
// any coming speed of this segment, from what has been decoded; and whether
// that is all that ever comes.
func (v *Voice) supply() (frames int64, ends bool) {
	if v.feed.ended.Load() {
		return math.MaxInt64, true
	}
	left := v.feed.written.Load() - v.heard - streamReach - 1
	return max(left, 0) << 32 / max(v.step, dsp.One/2), false
}

// runStream is run for a stream.
func (v *Voice) runStream(dst []pcm.Frame, n int64, at int) int64 {
	var piece [2 * (streamReach + streamPiece + streamReach)]float32
	done := int64(0)
	for done < n {
		// Called after ended was looked at: what is written now includes the last.
		left := v.feed.written.Load() - v.heard
		if left <= 0 {
			break
		}
		k := min(n-done, (streamPiece<<32-1-v.pos)/v.step+1, (left<<32-v.pos+v.step-1)/v.step)
		frames := (v.pos+(k-1)*v.step)>>32 + 1 + 2*streamReach
		if !v.feed.copyTo(piece[:2*frames], v.heard-streamReach) {
			v.faulty = true
			break
		}
		g := v.ramp
		g.Start = at + int(done)
		whole := store{wide: piece[:]}
		v.kernelAt(v.pos).mix(dst[done:done+k], &whole, v.pos+streamReach<<32, v.step, g)
		v.pass(k)
		done += k
	}
	return done
}

// pass goes on by n frames in the course of a stream.
func (v *Voice) pass(n int64) {
	v.pos += n * v.step
	v.heard += v.pos >> 32
	v.pos &= 1<<32 - 1
}

// copyTo fills dst with the frames of the course from first on; what is not there is
// silent. It reports whether all of them are finite and in range.
func (f *Feed) copyTo(dst []float32, first int64) bool {
	ring := dsp.Interleaved(f.ring)
	// From here on in samples, of which two are a frame.
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
			largest = max(largest, dsp.Settle(dst[:n], ring[at:]))
		}
		dst, from = dst[n:], from+n
	}
	return largest <= maxSample
}

// skipStream is Skip for a stream, as far as it has been decoded. It never runs dry.
func (v *Voice) skipStream(n, frame int64) int64 {
	done := int64(0)
	for done < n && !v.Over(frame) {
		if v.waits && !v.served() {
			return n
		}
		v.waits, v.dry = false, false
		if frame >= v.segEnd {
			v.proceed(frame)
		}
		k := v.turnFeed(min(n-done, v.segEnd-frame))
		to := v.heard + (v.pos+k*v.step)>>32
		switch ended := v.feed.ended.Load(); { // before what is written, which then is all
		case to > v.feed.written.Load() && !ended:
			v.waits = true
			return n
		case ended:
			k = min(k, ((v.feed.written.Load()-v.heard)<<32-v.pos+v.step-1)/v.step)
		}
		v.pass(k)
		done += k
		frame += k
	}
	return done
}
