package voice

import "voicepool/pcm"

// DirectFilter is a low-pass on the direct path of a voice to its bus, if its sends take another path. It
// filters the voice's output. The zero DirectFilter is off.
type DirectFilter struct{ filter Filter }

// Start resets the filter for a voice that starts. rate is the sample rate in Hz, and hz the cutoff in Hz; 0: off.
func (s *DirectFilter) Start(rate int, hz float64) {
	s.filter.init(rate, 0, 0)
	s.Set(0, hz, 0)
}

// Started reports whether Start has been called.
func (s *DirectFilter) Started() bool { return s.filter.rate > 0 }

// Set moves the cutoff to hz, from frame to frame+frames of the mix and linearly in its logarithm; hz 0 switches the
// filter off. Requires Start.
func (s *DirectFilter) Set(frame int64, hz float64, frames int64) {
	if hz != 0 || s.filter.low.hasSpatial {
		s.filter.rampSpatial(frame, hz, frames)
	}
}

// Active reports whether the filter changes the signal. If it is false, Apply has no effect.
func (s *DirectFilter) Active() bool { return s.filter.active() }

// MarkStale makes the next Apply clear the filter state first, because the filter has missed frames of the voice.
func (s *DirectFilter) MarkStale() { s.filter.stale = true }

// Apply filters x, the output of a voice, in place and advances the filter state. frame is the number of the first
// frame of x in the mix. Each call must begin where the last one ended, except after MarkStale.
func (s *DirectFilter) Apply(x []pcm.Frame, frame int64) {
	s.filter.clearIfStale()
	s.filter.stereo(x, frame)
}
