// Package beepio connects the mixer to programs that use beep.
//
// A Streamer presents a mixer as a beep.Streamer, for speaker.Play. Read makes a sound from a beep.Streamer;
// Stream makes a stream from it, which is decoded as it plays. An Insert uses a chain of beep's effects as the
// effect of a bus. For a mixer as an io.Reader see package device/reader.
//
// Use beep's decoders only for trusted files: malicious files make them panic, exhaust the memory or never
// return. The decoders of package sounds are safe, and are the default.
//
//	speaker.Play(beepio.NewStreamer(m))          // the audio side
//	clip, err := beepio.Read("tone", tone, 48000, 10*48000) // at most ten seconds
//	music, err := lib.StreamFrames(beepio.Stream("music", s, 44100), sounds.StreamOptions{})
package beepio

import (
	"github.com/gopxl/beep/v2"

	"voicepool/device"
	"voicepool/mixer"
	"voicepool/pcm"
)

// block is the number of frames that are mixed at a time.
const block = 512

// Streamer presents a mixer as an endless beep.Streamer at the mixer's rate. It fails only if the mixer has
// several outputs, because beep plays stereo.
type Streamer struct {
	mixer  device.Source
	err    error
	frames [block]pcm.Frame
}

var _ beep.Streamer = (*Streamer)(nil)

// NewStreamer returns the audio side of m as a beep.Streamer. No other code may render m. If the mixer has
// several outputs, Stream returns no samples and Err returns an error.
func NewStreamer(m *mixer.Mixer) *Streamer { return newStreamer(m, m.Rate()) }

func newStreamer(src device.Source, rate int) *Streamer {
	return &Streamer{mixer: src, err: device.Check(src, rate)}
}

// Stream fills samples. Audio side; it does not allocate.
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

// Err returns nil, or an error that wraps device.ErrOutputs.
func (s *Streamer) Err() error { return s.err }
