package voice

import "voicepool/pcm"

// DirectFilter is a low-pass on the direct path of a voice to its bus, if its sends take another path. It
// filters the voice's output. The zero DirectFilter is off.
type DirectFilter struct{ filter Filter }

// Start initializes the filter at a sample rate for a voice that starts, with a cutoff in Hz; 0: off.
func (s *DirectFilter) Start(rate int, hz float64) {
	s.filter.init(rate, 0, 0)
	s.Set(0, hz, 0)
}

// Started reports whether Start has been called.
func (s *DirectFilter) Started() bool { return s.filter.rate > 0 }

// Set moves the cutoff in Hz, linearly in its logarithm; 0: off.
func (s *DirectFilter) Set(frame int64, hz float64, frames int64) {
	if hz != 0 || s.filter.low.hasSpatial {
		s.filter.rampSpatial(frame, hz, frames)
	}
}

// Active reports whether the filter changes the signal.
func (s *DirectFilter) Active() bool { return s.filter.active() }

// MarkStale clears the state before the next use.
func (s *DirectFilter) MarkStale() { s.filter.stale = true }

// Apply filters the output of a voice from frame on, in place.
func (s *DirectFilter) Apply(x []pcm.Frame, frame int64) {
	s.filter.clearIfStale()
	s.filter.stereo(x, frame)
}
