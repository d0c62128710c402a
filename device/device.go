// Package device defines the interface between a mixer and a sound device: a Device pulls blocks of frames from
// a Source.
//
// Most programs use package device/auto, which plays on the best sound card and survives its loss. The other
// devices are pulse and oto (sound cards), null (no sound, for tests), wav (files) and reader (an
// io.Reader). docs/devices.md compares them. Package devicetest tests a device of your own.
package device

import (
	"errors"

	"voicepool/pcm"
)

// ErrUnavailable is wrapped by the error of a driver that finds no device: no sound card, no sound server, or a
// server that does not answer. Programs should expect it.
var ErrUnavailable = errors.New("device: none available")

// ErrClosed is returned by calls after Close.
var ErrClosed = errors.New("device: closed")

// ErrStarted is returned by the second Start of a device.
var ErrStarted = errors.New("device: already started")

// ErrNoSource is returned by Start(nil). The device is then unchanged.
var ErrNoSource = errors.New("device: no source to pull from")

// ErrRate is wrapped by the error of Start if the sample rates of the source and the device differ. Start
// may then be called with another source.
var ErrRate = errors.New("device: another rate")

// Source is the audio that a device plays. Render fills dst, of any length, with the next frames. It is called
// by one goroutine at a time, never blocks and never fails. It must write every frame of dst, which may contain
// old data. The frames of a source with several outputs are interleaved: see MultiOutput.
type Source interface {
	Render(dst []pcm.Frame)
}

// Rated is a source with a known rate, such as a mixer. A device accepts it at that rate only; the rate of
// other sources is not checked.
type Rated interface {
	Source

	// Rate returns the sample rate of Render's frames in Hz.
	Rate() int
}

// Check returns nil if a device with two channels and rate frames per second can play src. Otherwise it
// returns ErrNoSource, or an error that wraps ErrRate or ErrOutputs. It is for implementations of
// Device.Start; a device with several outputs calls CheckOutputs.
func Check(src Source, rate int) error { return CheckOutputs(src, rate, 1) }

// Preparer is a source that plays streams, which are decoded while they play. A device that renders faster
// than real time calls Prepare before each Render, on the same goroutine. Prepare waits until the streams
// are decoded, and returns the number of frames that may be rendered at once, at least 1.
type Preparer interface {
	Prepare() (frames int)
}

// Device pulls blocks from a source. Its methods may be called by any goroutine, but not from within Render.
type Device interface {
	// Start begins to pull from src immediately, from one goroutine at a time. It succeeds once; later calls
	// return ErrStarted, and calls after Close return ErrClosed. If Check or CheckOutputs rejects src, Start
	// returns that error and may be called again.
	Start(src Source) error

	// Rate returns the sample rate of the device in Hz.
	Rate() int

	// Latency returns the maximum delay in frames between Render and the audible output.
	Latency() int

	// Err returns the error that ended the device early (the sink failed, the sound card was removed), or
	// nil. After an error the device still calls Render in real time, so that the clock of the source
	// continues.
	Err() error

	// Close stops pulling and waits until a current Render has returned; the source is not called again.
	// Frames that were rendered but not yet played may be lost: to hear the end, wait for Latency frames
	// before Close. It returns an error if the output could not be completed, such as a file. Further calls
	// have no effect.
	Close() error
}
