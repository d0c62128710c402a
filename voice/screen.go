package voice

import "voicepool/pcm"

// Screen is a low-pass on the way that a voice takes alone to its bus, where its sends take another: it
// is for what the voice has given. The zero Screen is off.
type Screen struct{ filter Filter }

// Begin makes it that of a voice that starts, at a rate, with a cutoff in Hz; 0: off.
func (s *Screen) Begin(rate int, hz float64) {
	s.filter.begin(rate, 0, 0)
	s.Set(0, hz, 0)
}

// Begun reports whether it is one of a rate.
func (s *Screen) Begun() bool { return s.filter.rate > 0 }

// Set moves the cutoff, straight in its logarithm; 0: off.
func (s *Screen) Set(frame int64, hz float64, frames int64) {
	if hz != 0 || s.filter.low.placed {
		s.filter.place(frame, hz, frames)
	}
}

// Active reports whether it does anything.
func (s *Screen) Active() bool { return s.filter.active() }

// Rest has it begin from silence.
func (s *Screen) Rest() { s.filter.stale = true }

// Apply takes what the voice has given from a frame on through it.
func (s *Screen) Apply(x []pcm.Frame, frame int64) {
	s.filter.wake()
	s.filter.stereo(x, frame)
}
