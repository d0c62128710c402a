package beepio

import (
	"errors"
	"fmt"
	"io"

	"github.com/gopxl/beep/v2"

	"voicepool/pcm"
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
