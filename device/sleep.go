package device

import "time"

// Sleeper is a source that need not be pulled from while it has nothing to play, as a mixer.
// A device that makes use of it asks its server for nothing meanwhile. Sleep and Wake are
// called by the goroutine that calls Render, and never from within it.
type Sleeper interface {
	Source

	// Sleep reports whether all that Render would give is silence until the source is asked
	// for something. Then its clock goes on by itself: the next frame is due at the time at.
	Sleep(at time.Time) bool

	// Asked returns what has one value when the source was asked for something after Sleep.
	Asked() <-chan struct{}

	// Wake ends the sleep at a time, and returns how many frames have passed in it: those
	// that Render would have given, and nobody has missed. What was asked for meanwhile acts
	// after them. It is to be called before the next Render, and every few seconds, for it
	// takes some 25 us for each second that was slept.
	Wake(at time.Time) (frames int64)
}
