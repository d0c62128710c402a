package device

import "time"

// Sleeper is a source that can sleep while it is silent, such as a mixer. A device may then stop its server or
// clock. Sleep and Wake are called by the goroutine that calls Render, and never from within it.
type Sleeper interface {
	Source

	// Sleep puts the source to sleep and returns true if Render can only return silence until a further command.
	// Render then need not be called: the frame count of the source advances with the system clock. Otherwise Sleep
	// returns false and has no effect. at is the time at which the next frame is due.
	Sleep(at time.Time) bool

	// Asked returns a channel that receives a value when a command for the source arrives after Sleep.
	Asked() <-chan struct{}

	// Wake ends the sleep at the time at. It returns the number of silent frames that have passed since Sleep.
	// Commands issued during the sleep take effect after them. Call Wake before the next Render. Wake may take longer
	// after a longer sleep. In a long sleep, therefore, call Wake and then Sleep every few seconds.
	Wake(at time.Time) (frames int64)
}
