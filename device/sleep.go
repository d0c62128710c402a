package device

import "time"

// Sleeper is a source that can sleep while it is silent, such as a mixer. A device may then stop its server or
// clock. Sleep and Wake are called by the goroutine that calls Render, and never from within it.
type Sleeper interface {
	Source

	// Sleep returns false if Render may return sound without a further command. Otherwise it puts the source
	// to sleep and returns true: Render need not be called, and the frames of the source advance with the
	// system clock. at is the time at which the next frame is due.
	Sleep(at time.Time) bool

	// Asked returns a channel that receives a value when a command for the source arrives after Sleep.
	Asked() <-chan struct{}

	// Wake ends the sleep at the time at. It returns the number of silent frames that have passed since
	// Sleep. Commands issued during the sleep take effect after them. Call Wake before the next Render. Call
	// it also every few seconds of a long sleep, followed by Sleep, because it takes some 25 us for each
	// second slept.
	Wake(at time.Time) (frames int64)
}
