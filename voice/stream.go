package voice

import (
	"fmt"

	"voicepool/pcm"
)

// Stream is what NewStream makes a Sound from: one that is decoded as it plays.
type Stream struct {
	Name   string       // for reports; any
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
	if s.Level == 0 {
		s.Level = -20
	}
	if s.Loop == (pcm.Loop{}) {
		s.Loop[1] = s.Frames
	}
	return &Sound{
		name: s.Name, rate: s.Rate, channels: 2, frames: s.Frames, loop: s.Loop,
		open: s.Open, mono: s.Mono, envelope: Envelope{declared: float64(s.Level.Gain() * s.Level.Gain())},
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
