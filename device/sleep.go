package device

import "time"

// Sleeper is a source that can sleep while it is silent, such as a mixer. A device may then stop its server or
// clock. Sleep and Wake are called by the goroutine that calls Render, and never from within it.
type Sleeper interface {
	Source

	// Sleep reports whether Render would return only silence until the next command. If so, the source sleeps,
	// and its clock advances by itself: the next frame is due at the time at.
	Sleep(at time.Time) bool

	// Asked returns a channel that receives a value when a command for the source arrives after Sleep.
	Asked() <-chan struct{}

	// Wake ends the sleep at a time, and returns the number of frames that have passed since Sleep, which
	// Render would have returned as silence. Commands issued during the sleep act after them. Call it before
	// the next Render, and every few seconds, because it takes some 25 us for each second of sleep.
	Wake(at time.Time) (frames int64)
}
