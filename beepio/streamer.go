// Package beepio connects the mixer to programs that use beep (github.com/gopxl/beep).
//
// A Streamer presents a mixer as a beep.Streamer, for speaker.Play. Read loads a beep.Streamer into memory
// as a sound; Stream reads it while it plays. An Insert uses a chain of beep's effects as the effect of a
// bus. For a mixer as an io.Reader see package device/reader.
//
// Use beep's decoders only for files that you trust: malicious files make them panic, exhaust the memory or
// never return. The decoders of package library are safe for any file, and are the default.
//
//	speaker.Play(beepio.NewStreamer(m))          // the audio side
//	clip, err := beepio.Read("tone", tone, 48000, 10*48000) // at most ten seconds
//	music, err := lib.StreamFrames(beepio.Stream("music", s, 44100), library.StreamOptions{})
package beepio

import (
	"github.com/gopxl/beep/v2"

	"voicepool/device"
	"voicepool/mixer"
	"voicepool/pcm"
)

// block is the number of frames that are mixed at a time.
const block = 512

// Streamer presents a mixer as an endless beep.Streamer at the rate of the mixer, Mixer.Rate. Initialize
// beep's speaker with this rate.
type Streamer struct {
	mixer  device.Source
	err    error
	frames [block]pcm.Frame
}

var _ beep.Streamer = (*Streamer)(nil)

// NewStreamer returns a beep.Streamer that renders m. No other device may render m at the same time. beep
// plays stereo: if m has several outputs, Stream returns no samples, and Err returns an error.
func NewStreamer(m *mixer.Mixer) *Streamer { return newStreamer(m, m.Rate()) }

// newStreamer returns a beep.Streamer that renders src at a rate in Hz. If device.Check rejects them, its Err returns
// the error, and Stream returns no samples.
func newStreamer(src device.Source, rate int) *Streamer {
	return &Streamer{mixer: src, err: device.Check(src, rate)}
}

// Stream renders len(samples) frames into samples. It does not allocate. beep calls it.
func (s *Streamer) Stream(samples [][2]float64) (n int, ok bool) {
	if s.err != nil {
		return 0, false
	}
	n = len(samples)
	for len(samples) > 0 {
		frames := s.frames[:min(len(samples), block)]
		s.mixer.Render(frames)
		for i, f := range frames {
			samples[i] = [2]float64{float64(f[0]), float64(f[1])}
		}
		samples = samples[len(frames):]
	}
	return n, true
}

// Err returns nil, or an error that wraps device.ErrOutputs if the mixer has several outputs.
func (s *Streamer) Err() error { return s.err }
