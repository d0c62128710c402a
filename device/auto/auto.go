// Package auto plays on the best device there is, and plays on where there is none: the
// sound card, or a null device that keeps time unheard.
//
//	out := auto.Open(m, auto.Config{}) // m is a mixer; it never fails
//	defer out.Close()
//	log.Print(out) // "oto", or "null: no sound card in /dev/snd"
package auto

import (
	"strings"
	"time"

	"voicepool/device"
	"voicepool/device/null"
	"voicepool/device/oto"
	"voicepool/internal/words"
)

// Config says how a device is opened. The zero value means the defaults.
type Config struct {
	Rate   int           // frames per second, as oto.Config.Rate; 0 means 48000. Open takes that of its source.
	Buffer time.Duration // of the sound card, as oto.Config.Buffer
	Name   string        // what the system's own mixer shows, as oto.Config.Name
	Block  int           // of the null device, as null.Config.Block
}

// Device is the best device there was when it was opened. Its methods may be called by
// any goroutine, but not from within Render.
type Device struct {
	device device.Device
	driver string
	reason string
}

var _ device.Device = (*Device)(nil)

// Open opens a device at the rate of src, and starts to play it. It never fails: where
// nothing can be opened it plays on with the driver null, and Reason says why. Control
// side. It takes up to half a second where there is no sound, and up to three seconds
// where a sound server is slow to begin.
func Open(src device.Rated, c Config) *Device {
	c.Rate = src.Rate()
	d := New(c)
	_ = d.Start(src) // has just been opened, at the rate of src
	return d
}

// New opens a device as Open does, at Config.Rate, and leaves the Start to the caller.
func New(c Config) *Device {
	card, err := oto.Open(oto.Config{Rate: c.Rate, Buffer: c.Buffer, Name: c.Name})
	return choose(card, err, c)
}

// choose returns the card, or what plays on without it.
func choose(card device.Device, err error, c Config) *Device {
	if err == nil {
		return &Device{device: card, driver: "oto"}
	}
	reason := strings.TrimSuffix(err.Error(), ": "+device.ErrUnavailable.Error())
	return &Device{
		device: null.NewPaced(null.Config{Rate: c.Rate, Block: c.Block}),
		driver: "null", reason: words.OneLine(strings.TrimPrefix(reason, "oto: ")),
	}
}

// Driver returns the driver that plays: "oto", or "null" where nothing is heard.
func (d *Device) Driver() string { return d.driver }

// Reason returns why nothing is heard, in one line; "" where the sound card plays.
func (d *Device) Reason() string { return d.reason }

// String returns the driver, and the reason where there is one.
func (d *Device) String() string {
	if d.reason == "" {
		return d.driver
	}
	return d.driver + ": " + d.reason
}

// Start begins to pull from src. After Open it returns device.ErrStarted.
func (d *Device) Start(src device.Source) error { return d.device.Start(src) }

// Rate returns the frames per second that the device plays.
func (d *Device) Rate() int { return d.device.Rate() }

// Latency returns that of the driver, in frames.
func (d *Device) Latency() int { return d.device.Latency() }

// Err returns what took the sound card away, or nil. The source is still pulled from, in
// time.
func (d *Device) Err() error { return d.device.Err() }

// Close ends the pulling, when a Render under way has ended.
func (d *Device) Close() error { return d.device.Close() }
