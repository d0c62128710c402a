// Package beepio joins the mixer to programs that use beep.
//
// A Streamer is a mixer as a beep.Streamer, which speaker.Play takes. Read makes a sound
// of a beep.Streamer; Stream makes a stream of it, which a voice plays as it comes. An
// Insert is a chain of beep's effects as the effect of a bus. For a mixer as an io.Reader
// see package device/reader.
//
// Beep's decoders are for files that you trust: on hostile ones they panic, take all memory
// or never return. Those of package sounds do not, and are the default.
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

// block is how many frames are mixed at a time.
const block = 512

// Streamer is a mixer as beep sees it: a stream of the mixer's rate that never
// drains. It fails only where the mixer has several outputs: beep plays stereo.
type Streamer struct {
	mixer  device.Source
	err    error
	frames [block]pcm.Frame
}

var _ beep.Streamer = (*Streamer)(nil)

// NewStreamer returns the audio side of m as a beep.Streamer. Nothing else may
// render m. Of a mixer with several outputs it gives nothing, and Err says so.
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
