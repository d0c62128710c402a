package voice

import "voicepool/pcm"

// DirectFilter is a low-pass on the direct path of a voice to its bus, if its sends take another path. It
// filters the voice's output. The zero DirectFilter is off.
type DirectFilter struct{ filter Filter }

// Start resets the filter for a voice that starts. rate is the sample rate in Hz. hz is the constant cutoff in Hz; 0
// leaves the filter off.
func (s *DirectFilter) Start(rate int, hz float64) {
	s.filter.init(rate, 0, 0)
	s.Set(0, hz, 0)
}

// Started reports whether Start has been called.
func (s *DirectFilter) Started() bool { return s.filter.rate > 0 }

// Set moves the cutoff to hz, in Hz. The move begins at frame of the mix and lasts the given number of frames; with 0
// or less the change is immediate. It is linear in the logarithm of the cutoff. If the filter was off, an immediate
// change switches it on without a fade. A gradual move to the present target has no effect, even while another move to
// it is under way. If hz is 0, the filter is off after the move. Start must have been called.
func (s *DirectFilter) Set(frame int64, hz float64, frames int64) {
	if hz != 0 || s.filter.low.hasSpatial {
		s.filter.rampSpatial(frame, hz, frames)
	}
}

// Active reports whether the filter changes the signal. If it is false, Apply has no effect.
func (s *DirectFilter) Active() bool { return s.filter.active() }

// MarkStale makes the next Apply clear the filter state first, because the filter has missed frames of the voice.
func (s *DirectFilter) MarkStale() { s.filter.stale = true }

// Apply filters x, the stereo output of a voice, in place and advances the filter state. x begins at frame of the mix.
// Each call must continue where the last one ended, except after MarkStale, which makes Apply clear the state first.
func (s *DirectFilter) Apply(x []pcm.Frame, frame int64) {
	s.filter.clearIfStale()
	s.filter.stereo(x, frame)
}
