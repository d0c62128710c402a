//go:build !nooto

package oto

import (
	"fmt"
	"io"
	"strings"
	"time"

	driver "github.com/ebitengine/oto/v3"
)

// Open finds the sound card and makes the process's one device of it. Where
// there is none it returns an error that wraps device.ErrUnavailable, within
// half a second; a server that has said it can play has three seconds to begin
// (a Bluetooth loudspeaker needs them). It prints nothing.
//
// A process has one sound card, by Open or by the audio context of Ebitengine, never by
// both: what comes second fails. Beside that context use package device/reader.
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
		return nil, refused(err)
	}
	if patience > 0 {
		select {
		case <-ready:
		case <-time.After(patience):
			// The driver is still at it, and stays hushed.
			return nil, spent("the sound system did not begin to play within %v", patience)
		}
	}
	restore()
	if err := ctx.Err(); err != nil {
		return nil, spent("%v", bare(err))
	}
	return &Device{config: c, out: context{ctx}}, nil
}

// rule is what a second device is told.
const rule = "the sound card of this process is taken: one of an earlier oto.Open and Ebitengine's audio context " +
	"can have it, and only once; to play through Ebitengine's use device/reader"

// refused makes the error of a driver that did not begin. Of one that has begun before it
// says the rule: the driver tells nobody by whom.
func refused(err error) error {
	if strings.HasSuffix(err.Error(), "context is already created") {
		return spent("%s", rule)
	}
	return spent("%v", bare(err))
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
