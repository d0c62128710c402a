// Package device declares what a mixer and a sound device expect of each other: a
// Device pulls blocks of frames from a Source.
//
// docs/devices.md lists the devices. Package devicetest tests the contract.
package device

import (
	"errors"

	"voicepool/pcm"
)

// ErrUnavailable is wrapped by the errors of a driver that finds no device: no
// sound card, no server, or one that does not answer. It is a normal situation.
var ErrUnavailable = errors.New("device: none available")

// ErrClosed is returned by what is asked of a device after Close.
var ErrClosed = errors.New("device: closed")

// ErrStarted is returned by the second Start of a device.
var ErrStarted = errors.New("device: already started")

// ErrNoSource is returned by a Start without a source; it changes nothing.
var ErrNoSource = errors.New("device: no source to pull from")

// ErrRate is wrapped by the error of a Start whose source renders at another rate than
// the device plays; it changes nothing. So nothing is ever played at a wrong speed.
var ErrRate = errors.New("device: another rate")

// Source is what a device plays: Render fills dst, whatever its length, with
// the next frames. It is called by one goroutine at a time, never waits and
// never fails. It must write every frame of dst, which may hold old ones. Of a source with
// several outputs, the frames are interleaved: see Wide.
type Source interface {
	Render(dst []pcm.Frame)
}

// Rated is a source that says at which rate it renders, as a mixer does. A device takes
// it at that rate only; of other sources it takes the rate for granted.
type Rated interface {
	Source

	// Rate returns the frames per second that Render makes.
	Rate() int
}

// Check returns what is wrong with src for a device of two channels that plays rate frames per
// second: ErrNoSource, an error that wraps ErrRate or ErrOutputs, or nil. Start of every such
// device begins with it; see CheckOutputs for others.
func Check(src Source, rate int) error { return CheckOutputs(src, rate, 1) }

// Preparer is a source that has something to wait for before it renders: streams
// that are decoded as they play. A device that has no clock to keep calls Prepare
// before each Render, by the same goroutine, and renders at most as many frames as
// it returns, which is at least 1.
type Preparer interface {
	Prepare() (frames int)
}

// Device pulls blocks from a source. Its methods may be called by any
// goroutine, but not from within Render.
type Device interface {
	// Start begins to pull from src, at once and by one goroutine at a time. It
	// may be called once: after that it returns ErrStarted, and after Close
	// ErrClosed. It returns what Check or CheckOutputs says of src, and then may be called again.
	Start(src Source) error

	// Rate returns the frames per second that the device asks of its source.
	Rate() int

	// Latency returns how many frames lie, at the most, between what Render
	// gave and what is heard.
	Latency() int

	// Err returns what ended the device early (its sink failed, the sound card
	// is gone), or nil. A device without a sink keeps pulling in time.
	Err() error

	// Close stops the pulling and waits until no Render is under way; after it
	// the source is not called again. What was rendered but not yet heard may
	// be lost: to hear the end, let Latency frames pass before. It returns what
	// could not be finished. Closing twice is harmless.
	Close() error
}
