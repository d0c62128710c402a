package doctor

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strings"
	"time"

	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/device/oto"
	"voicepool/device/pulse"
	"voicepool/internal/lateness"
)

// Machine is the examined machine. Its methods change no settings.
type Machine interface {
	// Identity returns the system and the user.
	Identity() Identity
	// Env returns a variable of the environment.
	Env(name string) (value string, set bool)
	// Program reports whether a shell would find a program with this name.
	Program(name string) bool
	// Files returns the files of the machine. Their paths have no leading slash.
	Files() fs.FS
	// Usable returns an error if this process may not read and write a file.
	Usable(path string) error
	// Owner returns the names of a file's user and group, or "" if unknown.
	Owner(path string) (user, group string)
	// Drivers returns the built-in drivers in the order of trial.
	Drivers() []Driver
	// Watch measures until stop is called, once. stop returns the longest time for which this
	// process was ready but did not run.
	Watch() (stop func() time.Duration)
	// Sinks requests the sinks of the sound server.
	Sinks(ctx context.Context) ([]pulse.Sink, error)
}

// Identity is a system and its user.
type Identity struct {
	OS, Arch string // as in package runtime
	User     string // the name; "" if unknown
	ID       string // of the user; "" if unknown
}

// Driver is a driver for audio output.
type Driver struct {
	Name    string // as in --device
	Outputs string // possible outputs, such as "PulseAudio, PipeWire"; "" if it is not built in
	Open    func(ctx context.Context) (Player, error)
}

// Player is a device that counts the frames accepted by its driver.
type Player interface {
	device.Device
	Frames() int64
}

// LocalMachine returns the machine of this process.
func LocalMachine() Machine { return localMachine{} }

type localMachine struct{}

// Identity returns the operating system, the architecture and the user of this process. If the user is unknown, its
// name and ID are "".
func (localMachine) Identity() Identity {
	i := Identity{OS: runtime.GOOS, Arch: runtime.GOARCH}
	if u, err := user.Current(); err == nil {
		i.User, i.ID = u.Username, u.Uid
	}
	return i
}

// Env returns a variable of the environment and whether it is set.
func (localMachine) Env(name string) (string, bool) { return os.LookupEnv(name) }

// Program reports whether PATH has a program with this name.
func (localMachine) Program(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

// Files returns the files of the machine, from the root.
func (localMachine) Files() fs.FS { return os.DirFS("/") }

// Sinks requests the sinks of the sound server that the environment names.
func (localMachine) Sinks(ctx context.Context) ([]pulse.Sink, error) { return pulse.Sinks(ctx) }

// Watch starts to measure whether this process runs in time: a goroutine sleeps for 5 ms again and again. The function
// stop ends it and returns the longest time that a sleep was too long. Call stop once.
func (localMachine) Watch() (stop func() time.Duration) {
	control, began := lateness.Start(), time.Now()
	return func() time.Duration {
		defer control.Stop()
		return control.Worst(began, time.Now())
	}
}

// Drivers returns the known drivers in the order of trial. A driver that is not built in has an empty Outputs.
func (localMachine) Drivers() (all []Driver) {
	for _, name := range auto.Drivers() {
		d := Driver{Name: name}
		switch name {
		case "pulse":
			d.Outputs, d.Open = "PulseAudio, PipeWire", openPulse
		case "oto":
			d.Outputs, d.Open = otoOutputs(), openOto
		}
		all = append(all, d)
	}
	return all
}

// outputNames are the display names of oto's outputs.
var outputNames = map[string]string{
	"pulse": "PulseAudio, PipeWire", "alsa": "ALSA", "wasapi": "WASAPI", "coreaudio": "Core Audio",
	"android": "Android's audio", "webaudio": "Web Audio",
}

// otoOutputs returns the names of the outputs that the driver oto supports on this system, such as "ALSA", separated
// by commas. They may still fail on this machine. If the program was built with the tag nooto, the result is "".
func otoOutputs() string {
	var list []string
	for _, p := range oto.Probe() {
		if way := outputNames[p.Name]; way != "" {
			list = append(list, way)
		}
	}
	return strings.Join(list, ", ")
}

// title is the name of the stream in mixers of the desktop.
const title = "voicepool doctor"

// openPulse opens a stream on the sound server that the environment names. The end of ctx cancels the opening, but
// does not affect an open stream.
func openPulse(ctx context.Context) (Player, error) {
	d, err := pulse.Open(ctx, pulse.Config{Name: "voicepool", Title: title})
	if err != nil {
		return nil, err // not a nil device in an interface
	}
	return d, nil
}

// openOto opens the default output of the system with the driver oto. The opening cannot be cancelled.
func openOto(context.Context) (Player, error) {
	d, err := oto.Open(oto.Config{Name: "voicepool"})
	if err != nil {
		return nil, err
	}
	return d, nil
}
