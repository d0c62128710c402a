package beepio

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/gopxl/beep/v2"

	"voicepool/pcm"
	"voicepool/sounds/library"
)

// Stream returns s, at rate frames per second, as a source for library.Library.StreamFrames:
//
//	music, err := lib.StreamFrames(beepio.Stream("music", s, format.SampleRate), library.StreamOptions{})
//
// A streamer that cannot seek can be played once. A beep.StreamSeeker can be played repeatedly, from any
// position, and looped, but by one voice at a time, since it has only one position. When a second voice
// starts to play it, the first voice ends after the frames that are already decoded. (Some of beep's
// decoders fail to seek, for instance in some FLAC files; these play once.) From the first Play on, the
// program must not use s. Package speaker need not be locked.
//
// The stream ends with an error that wraps ErrStreamer if s panics, fails, outputs invalid samples, or
// returns no frames three times in a row with ok set. library.StreamOptions.OnError receives the error. If
// s.Stream blocks forever, the voice falls silent, and the goroutine that reads s cannot be stopped.
func Stream(name string, s beep.Streamer, rate beep.SampleRate) library.FrameSource {
	shared := &streamer{s: s}
	src := library.FrameSource{Name: name, Rate: int(rate), Open: shared.open}
	if seeker, ok := s.(beep.StreamSeeker); ok {
		src.Frames = lengthOf(seeker)
	}
	return src
}

// streamer is shared by all readers of a beep.Streamer.
type streamer struct {
	mu     sync.Mutex
	s      beep.Streamer
	now    *reader // the current reader; nil: not yet played
	prefix string  // prefix of errors: a name, or empty if the library adds the name
}

// open returns a reader from the beginning of the streamer, which becomes its only valid reader. The error wraps
// ErrStreamer if a streamer that cannot seek is opened a second time, or if seeking fails.
func (s *streamer) open() (library.FrameReader, error) {
	seeker, ok := s.s.(beep.StreamSeeker)
	r := &reader{streamer: s}
	s.mu.Lock()
	before := s.now
	if before == nil || ok {
		s.now = r
	}
	s.mu.Unlock()
	if ok {
		return &seekReader{reader: r, s: seeker}, r.guard(func() error {
			if before == nil && seeker.Position() == 0 {
				return nil // already at the start; some decoders cannot seek
			}
			return seeker.Seek(0)
		})
	}
	if before != nil {
		return nil, fmt.Errorf("%w: it cannot seek, so it is played once, and it has been", ErrStreamer)
	}
	return r, nil
}

// reader reads a beep.Streamer for one voice.
type reader struct {
	streamer  *streamer
	delivered int64
	samples   [block][2]float64
}

// guard calls f with exclusive use of the streamer, and returns its error, which wraps ErrStreamer except io.EOF. If
// another reader has taken the streamer over, it returns an error without calling f. A panic of f becomes an error.
func (r *reader) guard(f func() error) (err error) {
	r.streamer.mu.Lock()
	defer r.streamer.mu.Unlock()
	if r.streamer.now != r {
		return fmt.Errorf("%w: another voice plays it now", ErrStreamer)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panics after %d frames: %v", r.delivered, p)
		}
		if err != nil && err != io.EOF {
			err = fmt.Errorf("%w: %s%w", ErrStreamer, r.streamer.prefix, err)
		}
	}()
	return f()
}

// Read reads the next frames of the streamer into dst, at most block of them, and returns their number. The error is
// io.EOF at the end, or wraps ErrStreamer.
func (r *reader) Read(dst []pcm.Frame) (n int, err error) {
	samples := r.samples[:min(len(dst), block)]
	err = r.guard(func() error {
		k, ok := r.streamer.s.Stream(samples)
		switch {
		case !ok && r.streamer.s.Err() != nil:
			return r.streamer.s.Err()
		case !ok:
			return io.EOF
		case k < 0 || k > len(samples):
			return fmt.Errorf("it says that it gave %d of %d frames", k, len(samples))
		}
		n = k
		return nil
	})
	for i, x := range samples[:n] {
		dst[i] = pcm.Frame{float32(x[0]), float32(x[1])}
	}
	r.delivered += int64(n)
	return n, err
}

// seekReader reads a beep.StreamSeeker for one voice.
type seekReader struct {
	*reader
	s beep.StreamSeeker
}

var _ library.FrameSeeker = (*seekReader)(nil)

// SeekFrame makes Read continue at a frame. Frames beyond the end are limited to the end. The error wraps
// ErrStreamer.
func (r *seekReader) SeekFrame(frame int64) error {
	return r.guard(func() error { return r.s.Seek(int(min(frame, int64(max(r.s.Len(), 0))))) })
}

// lengthOf returns the length in frames that a streamer reports, or 0 (unknown) if Len panics or is negative.
func lengthOf(s beep.StreamSeeker) (frames int64) {
	defer func() {
		if recover() != nil {
			frames = 0
		}
	}()
	return int64(max(s.Len(), 0))
}

// ErrStreamer is wrapped by the errors of Read and NewInsert, and by the errors that end a Stream.
var ErrStreamer = errors.New("beepio: bad streamer")

// emptyReads is the number of consecutive reads without frames after which a streamer counts as broken.
const emptyReads = 3

// Read reads s to its end, at rate frames per second, into a clip for package library. s may be a decoder, a
// generator or an effect of beep. frames limits the length: if s has more frames, panics, fails, or returns
// no frames three times in a row with ok set, Read returns an error that wraps ErrStreamer. If s.Stream
// never returns, neither does Read.
func Read(name string, s beep.Streamer, rate beep.SampleRate, frames int) (*library.Clip, error) {
	shared := &streamer{s: s, prefix: name + ": "}
	r := &reader{streamer: shared}
	shared.now = r
	c := &library.Clip{Name: name, Format: "beep", Channels: 2, Rate: int(rate)}
	var got [block]pcm.Frame
	for empty := 0; ; {
		n, err := r.Read(got[:])
		switch {
		case err == io.EOF:
			return c, nil
		case err != nil:
			return nil, err
		case n > 0:
			empty = 0
		default:
			empty++
		}
		if empty == emptyReads {
			return nil, fmt.Errorf("%w: %s: it gives nothing after %d frames and is not drained", ErrStreamer, name, r.delivered)
		}
		if r.delivered > int64(frames) {
			return nil, fmt.Errorf("%w: %s: it gives more than %d frames", ErrStreamer, name, frames)
		}
		for _, x := range got[:n] {
			c.Samples = append(c.Samples, x[:]...)
		}
	}
}
