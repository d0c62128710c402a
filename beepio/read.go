package beepio

import (
	"errors"
	"fmt"

	"github.com/gopxl/beep/v2"

	"voicepool/sounds"
)

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
func Read(name string, s beep.Streamer, rate beep.SampleRate, frames int) (c *sounds.Clip, err error) {
	defer func() {
		if p := recover(); p != nil {
			c, err = nil, fmt.Errorf("%w: %s: it panics after %d frames: %v", ErrStreamer, name, len(c.Samples)/2, p)
		}
	}()
	c = &sounds.Clip{Name: name, Format: "beep", Channels: 2, Rate: int(rate)}
	var samples [block][2]float64
	for empty := 0; ; {
		n, ok := s.Stream(samples[:])
		if !ok {
			break
		}
		if n < 0 || n > len(samples) {
			return nil, fmt.Errorf("%w: %s: it says that it gave %d of %d frames", ErrStreamer, name, n, len(samples))
		}
		if n > 0 {
			empty = 0
		} else if empty++; empty == emptyReads {
			return nil, fmt.Errorf("%w: %s: it gives nothing after %d frames and is not drained", ErrStreamer, name, len(c.Samples)/2)
		}
		if len(c.Samples)/2+n > frames {
			return nil, fmt.Errorf("%w: %s: it gives more than %d frames", ErrStreamer, name, frames)
		}
		for _, x := range samples[:n] {
			c.Samples = append(c.Samples, float32(x[0]), float32(x[1]))
		}
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrStreamer, name, err)
	}
	return c, nil
}
