//go:build !nooto

package oto

import (
	"fmt"
	"io"
	"time"

	driver "github.com/ebitengine/oto/v3"
)

// Open finds the sound card and makes the process's one device of it. Where
// there is none it returns an error that wraps device.ErrUnavailable, within
// half a second; a server that has said it can play has three seconds to begin
// (a Bluetooth loudspeaker needs them). It prints nothing.
func Open(c Config) (*Device, error) {
	c, err := c.filled()
	if err != nil {
		return nil, err
	}
	patience, err := look()
	if err != nil {
		return nil, err
	}
	restore := hush()
	ctx, ready, err := newContext(&driver.NewContextOptions{
		SampleRate:      c.Rate,
		ChannelCount:    2,
		Format:          driver.FormatFloat32LE,
		BufferSize:      c.Buffer,
		ApplicationName: c.Name,
	})
	if err != nil {
		restore()
		return nil, unavailable("%v", bare(err))
	}
	if patience > 0 {
		select {
		case <-ready:
		case <-time.After(patience):
			// The driver is still at it, and stays hushed.
			return nil, unavailable("the sound system did not begin to play within %v", patience)
		}
	}
	restore()
	if err := ctx.Err(); err != nil {
		return nil, unavailable("%v", bare(err))
	}
	return &Device{config: c, out: context{ctx}}, nil
}

// newContext makes an error of a panic: in a browser's worker the driver calls
// methods of a document that is not there.
func newContext(o *driver.NewContextOptions) (ctx *driver.Context, ready chan struct{}, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return driver.NewContext(o)
}

// context is the driver's, as a device wants it.
type context struct{ *driver.Context }

func (c context) play(r io.Reader, bytes int) player {
	p := c.NewPlayer(r)
	p.SetBufferSize(bytes)
	p.Play()
	return p
}
