//go:build !nooto

package oto

import (
	"fmt"
	"io"
	"strings"
	"time"

	driver "github.com/ebitengine/oto/v3"
)

// Open opens the process's one device on the sound card. Without a sound card it returns an error that wraps
// device.ErrUnavailable, within half a second. A server that has answered has three seconds to start, which
// Bluetooth loudspeakers need. Open prints no messages.
//
// A process can open the sound card once, with Open or with the audio context of Ebitengine; the second attempt
// fails. With Ebitengine use package device/reader.
func Open(c Config) (*Device, error) {
	c, err := c.filled()
	if err != nil {
		return nil, err
	}
	patience, err := driverTimeout()
	if err != nil {
		return nil, err
	}
	restore := muteLibasound()
	ctx, ready, err := newContext(&driver.NewContextOptions{
		SampleRate:      c.Rate,
		ChannelCount:    2,
		Format:          driver.FormatFloat32LE,
		BufferSize:      c.Buffer,
		ApplicationName: c.Name,
	})
	if err != nil {
		restore()
		return nil, refused(err)
	}
	if patience > 0 {
		select {
		case <-ready:
		case <-time.After(patience):
			// The driver is still trying, so it stays hushed.
			return nil, alreadyOpened("the sound system did not begin to play within %v", patience)
		}
	}
	restore()
	if err := ctx.Err(); err != nil {
		return nil, alreadyOpened("%v", withoutPrefix(err))
	}
	return &Device{config: c, out: context{ctx}}, nil
}

// rule is the error text for a second device.
const rule = "the sound card of this process is taken: one of an earlier oto.Open and Ebitengine's audio context " +
	"can have it, and only once; to play through Ebitengine's use device/reader"

// refused returns the error of a driver that failed to start. The driver does not report which code opened it
// first, so that error lists the candidates.
func refused(err error) error {
	if strings.HasSuffix(err.Error(), "context is already created") {
		return alreadyOpened("%s", rule)
	}
	return alreadyOpened("%v", withoutPrefix(err))
}

// newContext turns a panic into an error: in a web worker the driver calls methods of a missing document.
func newContext(o *driver.NewContextOptions) (ctx *driver.Context, ready chan struct{}, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return driver.NewContext(o)
}

// context adapts the driver's context to output.
type context struct{ *driver.Context }

// play starts a player that reads from r, with a buffer of the given size in bytes.
func (c context) play(r io.Reader, bytes int) player {
	p := c.NewPlayer(r)
	p.SetBufferSize(bytes)
	p.Play()
	return p
}
