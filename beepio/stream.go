package beepio

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/gopxl/beep/v2"

	"voicepool/pcm"
	"voicepool/sounds"
)

// Stream returns s, at rate frames per second, as what a library plays as it comes:
//
//	music, err := lib.StreamFrames(beepio.Stream("music", s, format.SampleRate), sounds.StreamOptions{})
//
// A plain streamer can be played once; a beep.StreamSeeker again and again, from
// any place, and looped (where beep's decoder can seek: that of FLAC cannot in every
// file, which is then played once), but by one voice at a time, since it is in one place at
// a time: a voice that begins, and one that seeks, takes it away from what
// played it before, which ends after what was decoded ahead. Nothing else may
// use s from the first Play on, but beep's own lock is not needed.
//
// A streamer that panics, fails, gives what is no sound, or nothing three times
// without being drained, ends the stream with an error that wraps ErrStreamer;
// sounds.StreamOptions.OnError is told. One that does not return from Stream
// makes the stream run dry, and its goroutine cannot be stopped. Control side.
func Stream(name string, s beep.Streamer, rate beep.SampleRate) sounds.FrameSource {
	shared := &streamer{s: s}
	src := sounds.FrameSource{Name: name, Rate: int(rate), Open: shared.open}
	if seeker, ok := s.(beep.StreamSeeker); ok {
		src.Frames = lengthOf(seeker)
	}
	return src
}

// streamer is what all readers of a beep.Streamer share.
type streamer struct {
	mu     sync.Mutex
	s      beep.Streamer
	now    *reader // who plays it; nil: nobody has yet
	prefix string  // of errors: a name, or nothing where the library says it
}

func (s *streamer) open() (sounds.FrameReader, error) {
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
				return nil // some decoders cannot seek, and play all the same
			}
			return seeker.Seek(0)
		})
	}
	if before != nil {
		return nil, fmt.Errorf("%w: it cannot seek, so it is played once, and it has been", ErrStreamer)
	}
	return r, nil
}

// reader is a beep.Streamer as one voice plays it.
type reader struct {
	streamer *streamer
	given    int64
	samples  [block][2]float64
}

// guard calls f while nobody else uses the streamer, if no other reader has taken
// it, and makes an error of a panic.
func (r *reader) guard(f func() error) (err error) {
	r.streamer.mu.Lock()
	defer r.streamer.mu.Unlock()
	if r.streamer.now != r {
		return fmt.Errorf("%w: another voice plays it now", ErrStreamer)
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panics after %d frames: %v", r.given, p)
		}
		if err != nil && err != io.EOF {
			err = fmt.Errorf("%w: %s%w", ErrStreamer, r.streamer.prefix, err)
		}
	}()
	return f()
}

// Read gives what the streamer gives.
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
	r.given += int64(n)
	return n, err
}

// seekReader is a beep.StreamSeeker as one voice plays it.
type seekReader struct {
	*reader
	s beep.StreamSeeker
}

var _ sounds.FrameSeeker = (*seekReader)(nil)

// SeekFrame makes Read go on at a frame; beyond the end, at the end.
func (r *seekReader) SeekFrame(frame int64) error {
	return r.guard(func() error { return r.s.Seek(int(min(frame, int64(max(r.s.Len(), 0))))) })
}

// lengthOf returns the length that a streamer claims; 0, which nobody knows, where
// it panics.
func lengthOf(s beep.StreamSeeker) (frames int64) {
	defer func() {
		if recover() != nil {
			frames = 0
		}
	}()
	return int64(max(s.Len(), 0))
}

// ErrStreamer is wrapped by the errors of Read.
var ErrStreamer = errors.New("beepio: bad streamer")

// emptyReads is how often a streamer may give nothing and say that it is not
// drained, before it counts as one that never will be.
const emptyReads = 3

// Read takes all that s gives, at rate frames per second, as a clip to be
// prepared by the package sounds: one of beep's decoders, generators or effects.
// Control side. A streamer that gives more than frames, gives nothing and does
// not drain, panics or fails ends in an error, which wraps ErrStreamer; one that
// does not return from Stream cannot be stopped.
func Read(name string, s beep.Streamer, rate beep.SampleRate, frames int) (*sounds.Clip, error) {
	shared := &streamer{s: s, prefix: name + ": "}
	r := &reader{streamer: shared}
	shared.now = r
	c := &sounds.Clip{Name: name, Format: "beep", Channels: 2, Rate: int(rate)}
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
			return nil, fmt.Errorf("%w: %s: it gives nothing after %d frames and is not drained", ErrStreamer, name, r.given)
		}
		if r.given > int64(frames) {
			return nil, fmt.Errorf("%w: %s: it gives more than %d frames", ErrStreamer, name, frames)
		}
		for _, x := range got[:n] {
			c.Samples = append(c.Samples, x[:]...)
		}
	}
}
