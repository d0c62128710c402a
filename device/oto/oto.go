// Package oto plays through the machine's sound card: PulseAudio or PipeWire, else ALSA on Linux; WASAPI on
// Windows; Core Audio on macOS; Web Audio in a browser. It needs no C compiler.
//
// Programs should expect machines without sound: Open then returns an error that wraps device.ErrUnavailable.
// Open looks for a server or a card before it calls the driver, checks that the server has a sink, and limits
// the time of every wait.
//
// The driver has one context per process and cannot release it. So a process can open one device, once, and
// cannot also use the audio context of Ebitengine, which has the same driver. A second Open fails, even after
// Close, and even if the first Open failed inside the driver. If the sound card is removed, Err returns an
// error, and the device continues to pull in time.
//
// The build tag nooto excludes the driver; on Linux such a binary is static. Open then always returns an error.
package oto

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"voicepool/device"
)

// Config configures a device. The zero value means 48,000 frames per second with a driver buffer of 40 ms.
type Config struct {
	// Rate is in frames per second, 1000..768000; 0 means 48000. The system converts if the card has another
	// rate.
	Rate int
	// Buffer is the duration of the buffer that the driver requests from the system, 5ms..1s; 0 means 40ms. The
	// device itself holds as much again. A program that does not react to its user should use 100ms or more, so
	// that a busy machine causes no gaps.
	Buffer time.Duration
	// Name is the name in the system's own mixer; "" means the name of the program.
	Name string
}

const (
	defaultRate   = 48000
	defaultBuffer = 40 * time.Millisecond
)

// filled returns c with the defaults for zero values, or an error if the rate or buffer is out of range.
func (c Config) filled() (Config, error) {
	c.Rate = cmp.Or(c.Rate, defaultRate)
	c.Buffer = cmp.Or(c.Buffer, defaultBuffer)
	switch {
	case c.Rate < 1000 || c.Rate > 768_000:
		return c, fmt.Errorf("oto: a rate of %d, want 1000..768000", c.Rate)
	case c.Buffer < 5*time.Millisecond || c.Buffer > time.Second:
		return c, fmt.Errorf("oto: a buffer of %v, want 5ms..1s", c.Buffer)
	}
	return c, nil
}

// Driver is one way to use a sound card, as reported by Probe.
type Driver struct {
	// Name is the name of the driver: pulse, alsa, wasapi, coreaudio, webaudio, none.
	Name string
	// Found reports that the driver can be tried. Open uses the first driver that is found and works.
	Found bool
	// Detail describes the finding in a few words.
	Detail string
}

// Probe lists the drivers of this system in Open's order of trial. It opens no device.
func Probe() []Driver { return probe() }

// ErrSpent is wrapped by the errors of an Open that has used up the one context of the process, or finds it
// used: later calls of Open also fail. It wraps device.ErrUnavailable.
var ErrSpent = fmt.Errorf("%w", device.ErrUnavailable)

// alreadyOpened returns an error that wraps ErrSpent: Open has called the driver, so that this process cannot open it
// again.
func alreadyOpened(format string, args ...any) error {
	return fmt.Errorf("oto: %s: %w", fmt.Sprintf(format, args...), ErrSpent)
}

// unavailable returns an error that wraps device.ErrUnavailable: this machine has no sound.
func unavailable(format string, args ...any) error {
	return fmt.Errorf("oto: %s: %w", fmt.Sprintf(format, args...), device.ErrUnavailable)
}

// longest limits a driver's message in bytes: ALSA lists every device that it did not find.
const longest = 240

// message is an error of the driver in one short line, without the repeated prefixes of the driver's layers.
type message struct{ error }

// withoutPrefix wraps an error of the driver so that its message is one short line without the driver's prefix.
func withoutPrefix(err error) error { return message{err} }

// Unwrap returns the error of the driver.
func (m message) Unwrap() error { return m.error }

// Error returns the message in one line, without the prefix "oto: ", cut after longest bytes.
func (m message) Error() string {
	line := strings.Join(strings.Fields(m.error.Error()), " ")
	line = strings.ReplaceAll(line, "oto: ", "")
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + " ..."
	}
	return line
}
