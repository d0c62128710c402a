package liveplay

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

	"voicepool/cmd/internal/cli/console"
	"voicepool/cmd/internal/cli/outfiles"
	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/device/null"
	"voicepool/device/wav"
	"voicepool/internal/words"
	"voicepool/pcm"
)

// Device is the value of --device. Name is the path of a file, "-" for standard output, the sink of pulse, or empty.
type Device struct {
	Kind string // auto, pulse, oto, null, wav, raw, raw16
	Name string // of a file or a sink
}

// formats are the file formats by kind.
var formats = map[string]wav.Config{
	"wav": {}, "raw": {Format: wav.F32, Raw: true}, "raw16": {Format: wav.S16, Raw: true},
}

// deviceValues lists the values of --device.
const deviceValues = "auto, pulse, pulse:SINK, oto, null, wav:FILE, raw:FILE, raw16:FILE or -"

// UnmarshalText parses a value of --device into d, such as auto, pulse:SINK or wav:FILE. "-" alone means a WAV on
// standard output. Errors are an unknown kind, a missing name of a file or sink, and a name after auto, oto or null.
// After an error d is unchanged.
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
		return fmt.Errorf("unknown device %q (want %s)", text, deviceValues)
	}
	*d = Device{Kind: kind, Name: name}
	return nil
}

// String returns the device as in --device, on one line. "-" alone becomes wav:-.
func (d Device) String() string {
	if d.Name == "" {
		return d.Kind
	}
	return d.Kind + ":" + words.OneLine(d.Name)
}

// Writes reports whether the device is wav, raw or raw16, which write the audio to a file, a pipe or standard output.
func (d Device) Writes() bool {
	_, written := formats[d.Kind]
	return written
}

// Standard reports whether the device writes to standard output.
func (d Device) Standard() bool { return d.Writes() && d.Name == "-" }

// File returns the path of the file or pipe that the device writes, or "" for any other device and for standard output.
func (d Device) File() string {
	if !d.Writes() || d.Standard() {
		return ""
	}
	return d.Name
}

// Plays reports whether the device is or may be a sound card: auto, pulse or oto.
func (d Device) Plays() bool { return !d.Writes() && d.Kind != "null" }

// open opens the device o.Device and does not start it. rate is the sample rate in Hz, and outputs the number of stereo
// outputs. The parameter seed is for the dither of a recorded file. If the device is auto and no sound card is found,
// open prints a message on c and returns a device that plays silently.
func (o *Options) open(c *console.Console, rate, outputs int, seed uint64) (openedDevice, error) {
	d := o.Device
	switch {
	case d.Writes():
		config := formats[d.Kind]
		config.Rate, config.Outputs, config.Seed = rate, outputs, seed
		return d.write(config)
	case d.Kind == "null":
		return openedDevice{Device: null.NewPaced(null.Config{Rate: rate, Outputs: outputs, Block: o.Block})}, nil
	}
	card, err := openSoundCard(c, d, auto.Config{
		Rate: rate, Outputs: outputs, Block: o.Block, Buffer: o.Buffer, Sink: d.Name, Name: "voicepool", Title: o.Title,
	})
	return openedDevice{Device: card}, err
}

// openedDevice is an opened device. file is the file that it records to, or nil.
type openedDevice struct {
	device.Device
	file *wav.File
}

// write opens the output of d, a file or standard output, for recording in the format of config. d must satisfy Writes.
// For a file, the result also has the file, so that the caller can abort the recording. If standard output is a
// terminal, the result is a usage error.
func (d Device) write(config wav.Config) (openedDevice, error) {
	if !d.Standard() {
		file, err := wav.Record(d.Name, config)
		if err != nil {
			return openedDevice{}, err
		}
		return openedDevice{wav.NewDevice(file), file}, nil
	}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		return openedDevice{}, console.Usage("--device -: standard output is a terminal; send it to a file or a pipe")
	}
	sink, err := wav.NewWriter(outfiles.Standard(), config)
	if err != nil {
		return openedDevice{}, err
	}
	return openedDevice{Device: wav.NewDevice(sink)}, nil
}

// gate lies between a device and its source. Once it is closed, the source is not called again, even if the device is
// stuck. Then the report can be made safely.
type gate struct {
	source    device.Rated
	tap       *tap // copies the audio; nil: not needed
	closed    atomic.Bool
	rendering atomic.Bool
}

// Render fills dst with the next audio of the source, or with silence after close. Audio side.
func (g *gate) Render(dst []pcm.Frame) {
	g.rendering.Store(true)
	defer g.rendering.Store(false)
	if g.closed.Load() {
		clear(dst)
		return
	}
	g.source.Render(dst)
	if g.tap != nil {
		g.tap.record(dst)
	}
}

// Outputs returns the number of stereo outputs of the source.
func (g *gate) Outputs() int { return device.OutputsOf(g.source) }

// Rate returns the sample rate of the source in Hz.
func (g *gate) Rate() int { return g.source.Rate() }

// close ends the use of the source: every later Render writes silence. It waits until a running Render has returned. A
// second call has no effect.
func (g *gate) close() {
	g.closed.Store(true)
	for g.rendering.Load() {
		time.Sleep(time.Millisecond)
	}
}

// closeTimeout is the waiting time for blocked operations after the command has received a signal.
const closeTimeout = 2 * time.Second

// errStuck is the error of a device that does not return.
var errStuck = errors.New("the device is stuck: its reader or its driver has stopped")

// closeDevice closes d and returns the error of closing. If that takes more than 2 s, it abandons d and returns
// errStuck. A goroutine may then remain, because the process ends soon.
//
// If records is true, d writes to a file or a pipe, whose reader may be slow. Then closeDevice first waits without a
// limit until ctx ends; the 2 s begin afterwards.
func closeDevice(ctx context.Context, d device.Device, records bool) error {
	if !records {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		ctx = ended
	}
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	if err, finished := console.Await(ctx, closed, closeTimeout); finished {
		return err
	}
	return errStuck
}
