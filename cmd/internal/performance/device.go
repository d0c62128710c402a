package performance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
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
	"voicepool/internal/words"
	"voicepool/pcm"
)

// Device is where --device wants things to be heard.
type Device struct {
	Kind string // auto, pulse, oto, null, wav, raw, raw16
	Name string // of a file, or of a sink
}

// formats are what is written, by kind.
var formats = map[string]wav.Config{
	"wav": {}, "raw": {Format: wav.F32, Raw: true}, "raw16": {Format: wav.S16, Raw: true},
}

// want is what --device takes.
const want = "auto, pulse, pulse:SINK, oto, null, wav:FILE, raw:FILE, raw16:FILE or -"

// UnmarshalText reads what want lists. The file - is standard output, and - alone a WAV on it.
func (d *Device) UnmarshalText(text []byte) error {
	kind, name, named := strings.Cut(string(text), ":")
	_, written := formats[kind]
	switch {
	case string(text) == "-":
		kind, name = "wav", "-"
	case written && name == "":
		return fmt.Errorf("%s: needs the name of a file, as %s:out.%s", kind, kind, strings.TrimSuffix(kind, "16"))
	case kind == "pulse" && named && name == "":
		return errors.New("pulse: needs the name of a sink, as voicepool devices lists them")
	case written, kind == "pulse", !named && slices.Contains([]string{"auto", "oto", "null"}, kind):
	default:
		return fmt.Errorf("%q is no device, want %s", text, want)
	}
	*d = Device{Kind: kind, Name: name}
	return nil
}

// String returns the device as --device takes it.
func (d Device) String() string {
	if d.Name == "" {
		return d.Kind
	}
	return d.Kind + ":" + words.OneLine(d.Name)
}

// Writes reports whether the device is a file, or a pipe: somebody waits for what it writes.
func (d Device) Writes() bool {
	_, written := formats[d.Kind]
	return written
}

// Standard reports whether the device is standard output.
func (d Device) Standard() bool { return d.Writes() && d.Name == "-" }

// File returns the file that is written; "" where none is.
func (d Device) File() string {
	if !d.Writes() || d.Standard() {
		return ""
	}
	return d.Name
}

// Plays reports whether the device is a sound card, or may be one.
func (d Device) Plays() bool { return !d.Writes() && d.Kind != "null" }

// open opens the device for so many outputs, each of two channels. auto says so when it takes another
// than the sound card.
func (o *Options) open(c *console.Console, rate, outputs int, seed uint64) (opened, error) {
	d := o.Device
	switch {
	case d.Writes():
		config := formats[d.Kind]
		config.Rate, config.Outputs, config.Seed = rate, outputs, seed
		return d.write(config)
	case d.Kind == "null":
		return opened{Device: null.NewPaced(null.Config{Rate: rate, Outputs: outputs, Block: o.Block})}, nil
	}
	card, err := openCard(c, d, auto.Config{
		Rate: rate, Outputs: outputs, Block: o.Block, Buffer: o.Buffer, Sink: d.Name, Name: "voicepool", Title: o.Title,
	})
	return opened{Device: card}, err
}

// opened is a device, and the file that it records to, if it has one.
type opened struct {
	device.Device
	file *wav.File
}

// write opens what is written.
func (d Device) write(config wav.Config) (opened, error) {
	if !d.Standard() {
		file, err := wav.Record(d.Name, config)
		if err != nil {
			return opened{}, err
		}
		return opened{wav.NewDevice(file), file}, nil
	}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		return opened{}, console.Usage("--device -: standard output is a terminal; send it to a file or a pipe")
	}
	sink, err := wav.NewWriter(output.Standard(), config)
	if err != nil {
		return opened{}, err
	}
	return opened{Device: wav.NewDevice(sink)}, nil
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

// Outputs is the source's.
func (g *gate) Outputs() int { return device.OutputsOf(g.source) }

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

// closeDevice closes a device. One that is stuck is left behind, for the process is about to end:
// one that records only when ctx has ended too, for whoever reads it may be slow.
func closeDevice(ctx context.Context, d device.Device, records bool) error {
	if !records {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		ctx = ended
	}
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	if err, finished := console.Await(ctx, closed, closing); finished {
		return err
	}
	return errStuck
}
