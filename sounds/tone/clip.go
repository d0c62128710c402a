package tone

import (
	"fmt"
	"math"
	"time"

	"voicepool/pcm"
	"voicepool/sounds/library"
)

// maxLength is the maximum duration of a clip.
const maxLength = 10 * time.Minute

// Clip returns a stereo clip of the signal, for library.Prepare, which loops without a seam. rate is in Hz. length is
// the duration, above 0 and at most ten minutes. The duration of a wave is adjusted by up to half a period, so that
// it has whole periods. Its frequency is exact up to half a frame per clip, which is 10 ppm for one second at 48 kHz.
// The error wraps ErrSignal.
func (s Signal) Clip(rate int, length time.Duration) (*library.Clip, error) {
	if err := s.check(rate); err != nil {
		return nil, err
	}
	if length <= 0 || length > maxLength {
		return nil, fmt.Errorf("%w: %v for %v, which is not above 0 to %v", ErrSignal, s, length, maxLength)
	}
	frames := max(math.Floor(float64(length.Seconds()*float64(rate))+0.5), 1)
	turns := 0.0
	if !s.Shape.noise() {
		turns = max(math.Floor(float64(length.Seconds()*s.Hertz)+0.5), 1)
		frames = math.Floor(float64(turns*float64(rate))/s.Hertz + 0.5)
	}
	g := newGenerator(s, rate, turns, frames)
	n := int(frames)
	if s.Shape == Pink { // one lap in advance brings the filter to its state at the end
		for range n {
			g.next()
		}
		g.seed = newGenerator(Signal{Shape: White, Seed: s.Seed}, rate, 0, 1).seed
	}
	c := &library.Clip{
		Name: s.String(), Format: "tone", Channels: 2, Rate: rate, Samples: make([]float32, 2*n), Loop: &pcm.Loop{0, int64(n)},
	}
	for i := range n {
		x := g.next()
		c.Samples[2*i], c.Samples[2*i+1] = x, x
	}
	return c, nil
}

// Source returns the signal as an endless source of frames at rate in Hz, for Library.StreamFrames. Each voice that
// plays it starts the signal from its beginning. The frequency is exact. The error wraps ErrSignal.
func (s Signal) Source(rate int) (library.FrameSource, error) {
	if err := s.check(rate); err != nil {
		return library.FrameSource{}, err
	}
	open := func() (library.FrameReader, error) {
		return &reader{newGenerator(s, rate, s.Hertz, float64(rate))}, nil
	}
	return library.FrameSource{Name: s.String(), Rate: rate, Open: open}, nil
}

// reader generates the signal for one voice.
type reader struct{ generator *generator }

// Read fills all of dst with the next frames of the signal, with equal channels, and returns len(dst). The error is
// always nil, because the signal is endless.
func (r *reader) Read(dst []pcm.Frame) (int, error) {
	for i := range dst {
		x := r.generator.next()
		dst[i] = pcm.Frame{x, x}
	}
	return len(dst), nil
}
