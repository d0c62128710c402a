package performance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"voicepool/cmd/internal/console"
	"voicepool/cmd/internal/output"
	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/device/null"
	"voicepool/device/wav"
	"voicepool/pcm"
)

// Device is where --device wants things to be heard.
type Device struct {
	Kind string // auto, oto, null, wav, -
	File string // of wav
}

// UnmarshalText reads auto, oto, null, wav:FILE or -.
func (d *Device) UnmarshalText(text []byte) error {
	name := string(text)
	switch file, ok := strings.CutPrefix(name, "wav:"); {
	case ok && file == "":
		return fmt.Errorf("wav: needs the name of a file, as wav:out.wav")
	case ok:
		*d = Device{"wav", file}
	case name == "auto", name == "pulse", name == "oto", name == "null", name == "-":
		*d = Device{Kind: name}
	default:
		return fmt.Errorf("%q is no device, want auto, oto, null, wav:FILE or -", text)
	}
	return nil
}

// open opens the device. auto says so when it takes another than the sound card.
func (d Device) open(c *console.Console, rate, block int, seed uint64) (device.Device, error) {
	config := wav.Config{Rate: rate, Seed: seed}
	switch d.Kind {
	case "wav":
		file, err := wav.Create(d.File, config)
		if err != nil {
			return nil, err
		}
		return wav.NewDevice(file), nil
	case "-":
		if term.IsTerminal(int(os.Stdout.Fd())) {
			return nil, console.Usage("--device -: standard output is a terminal; send it to a file or a pipe")
		}
		sink, err := wav.NewWriter(output.Standard(), config)
		if err != nil {
			return nil, err
		}
		return wav.NewDevice(sink), nil
	}
	if d.Kind == "null" {
		return null.NewPaced(null.Config{Rate: rate, Block: block}), nil
	}
	return openCard(c, d.Kind, auto.Config{Rate: rate, Block: block})
}

// gate stands between a device and what it plays, so that the playing can be put in order while the
// device is stuck: once it is shut, the source is asked no more, whatever the device does.
type gate struct {
	source device.Rated
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

// Rate is the source's.
func (g *gate) Rate() int { return g.source.Rate() }

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
