package performance

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/console"
	"voicepool/device"
	"voicepool/pcm"
)

// gate stands between a device and what it plays, so that the playing can be put in order while the
// device is stuck: once it is shut, the source is asked no more, whatever the device does.
type gate struct {
	source device.Source
	shut   atomic.Bool
	inside atomic.Bool
}

// Render is the source's, and silence behind a gate that is shut. Audio side.
func (g *gate) Render(dst []pcm.Frame) {
	g.inside.Store(true)
	defer g.inside.Store(false)
	if g.shut.Load() {
		clear(dst)
		return
	}
	g.source.Render(dst)
}

// close shuts the gate, and returns when nobody is inside: at most one block later.
func (g *gate) close() {
	g.shut.Store(true)
	for g.inside.Load() {
		time.Sleep(time.Millisecond)
	}
}

// closing is how long what is stuck is waited for when a command has been told to end.
const closing = 2 * time.Second

// errStuck is the error of a device that does not come back.
var errStuck = errors.New("the device is stuck: what reads it, or its driver, has stopped")

// closeDevice closes a device. One that is stuck when ctx has ended is left behind, for the process
// is about to end.
func closeDevice(ctx context.Context, d device.Device) error {
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	if err, finished := console.Await(ctx, closed, closing); finished {
		return err
	}
	return errStuck
}
