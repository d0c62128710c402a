// Package oto plays through the machine's sound card: PulseAudio or PipeWire, else
// ALSA on Linux; WASAPI on Windows; Core Audio on macOS; Web Audio in a browser. It
// needs no C compiler.
//
// A machine without sound is a normal situation: Open then returns an error that wraps
// device.ErrUnavailable. Open looks for a server or a card before it calls the driver,
// asks the server whether it has a sink, and bounds the time of every wait.
//
// The driver has one context per process and cannot give it back. So a process can
// open one device, once, and none beside the audio context of Ebitengine, which has the
// same driver. A second Open fails, also after a Close, and also after an Open that failed
// inside the driver. When the sound card goes away, Err says so, and the
// device goes on pulling in time.
//
// The build tag nooto leaves the driver out; on Linux such a binary is static. Open then
// always fails, and says why.
package oto

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"voicepool/device"
)

// Config says how a device is opened. The zero value is 48,000 frames per
// second with 40 ms in the driver.
type Config struct {
	// Rate is in frames per second, 1000..768000; 0 means 48000. The system
	// converts where the card has another one.
	Rate int
	// Buffer is how much the driver asks the system to hold, 5ms..1s; 0 means
	// 40ms. The device holds as much again of its own. A program that only
	// plays, and reacts to nobody, is better off with 100ms or more: then a
	// busy machine makes no gaps.
	Buffer time.Duration
	// Name is what the system's own mixer shows; "" means the name of the
	// program.
	Name string
}

const (
	defaultRate   = 48000
	defaultBuffer = 40 * time.Millisecond
)

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

// Driver is one way to a sound card, as Probe sees it.
type Driver struct {
	// Name is the driver's: pulse, alsa, wasapi, coreaudio, webaudio, none.
	Name string
	// Found says that there is something to try. Open takes the first driver
	// that is found and answers.
	Found bool
	// Detail is what was seen, in a few words.
	Detail string
}

// Probe lists the drivers of this system in the order in which Open tries
// them. It looks, and opens nothing.
func Probe() []Driver { return probe() }

// ErrSpent is wrapped by the errors of an Open that has used up the one context of the
// process, or finds it used: no other Open will do better. It wraps device.ErrUnavailable.
var ErrSpent = fmt.Errorf("%w", device.ErrUnavailable)

// spent makes the error of an Open that went as far as the driver.
func spent(format string, args ...any) error {
	return fmt.Errorf("oto: %s: %w", fmt.Sprintf(format, args...), ErrSpent)
}

// unavailable makes the error for a machine without sound.
func unavailable(format string, args ...any) error {
	return fmt.Errorf("oto: %s: %w", fmt.Sprintf(format, args...), device.ErrUnavailable)
}

// longest is how many bytes of a driver's message are of use: ALSA's goes on
// with every device that it did not find.
const longest = 240

// message is an error of the driver in one short line and without its
// prefixes, which every level of it puts before the one below.
type message struct{ error }

func bare(err error) error { return message{err} }

func (m message) Unwrap() error { return m.error }

func (m message) Error() string {
	line := strings.Join(strings.Fields(m.error.Error()), " ")
	line = strings.ReplaceAll(line, "oto: ", "")
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + " ..."
	}
	return line
}
