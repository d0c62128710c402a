package sounds

import (
	"cmp"
	"fmt"

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
	out := &Sound{name: s.Name, file: s.File, open: s.Open, envelope: Envelope{declared: float64(level * level)}}
	d := &out.data
	d.Rate, d.Channels, d.Mono, d.Frames, d.Loop, d.Warped = s.Rate, 2, s.Mono, s.Frames, cmp.Or(s.Loop, pcm.Loop{0, s.Frames}), spectrum.Warp(s.Rate)
	return out, nil
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
