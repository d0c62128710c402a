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
)

// Machine is what is looked at. Nothing that is asked of it changes anything.
type Machine interface {
	// Identity tells the system, and who asks.
	Identity() Identity
	// Env returns a variable of the environment.
	Env(name string) (value string, set bool)
	// Program reports whether a program of this name would be found by a shell.
	Program(name string) bool
	// Files has the files of the machine, by their path without the first slash.
	Files() fs.FS
	// Usable returns why this process may not read and write a file; nil: it may.
	Usable(path string) error
	// Owner returns the names of the user and of the group of a file; "" is not known.
	Owner(path string) (user, group string)
	// Drivers returns those that were built in, in the order in which they are tried.
	Drivers() []Driver
	// Watch measures until stop is called, once. stop returns the longest time for which this process was due to run
	// and did not.
	Watch() (stop func() time.Duration)
	// Sinks asks the sound server what it plays on.
	Sinks(ctx context.Context) ([]pulse.Sink, error)
}

// Identity is a system and a user of it.
type Identity struct {
	OS, Arch string // as runtime has them
	User     string // the name; "" is not known
	ID       string // of the user; "" is not known
}

// Driver is a way to a sound card.
type Driver struct {
	Name string // as --device takes it
	Ways string // what it can play through, as "PulseAudio, PipeWire"; "" where it was left out
	Open func(ctx context.Context) (Player, error)
}

// Player is a device that counts the frames that its driver took.
type Player interface {
	device.Device
	Frames() int64
}

// Here returns the machine on which this process runs.
func Here() Machine { return here{} }

type here struct{}

func (here) Identity() Identity {
	i := Identity{OS: runtime.GOOS, Arch: runtime.GOARCH}
	if u, err := user.Current(); err == nil {
		i.User, i.ID = u.Username, u.Uid
	}
	return i
}

func (here) Env(name string) (string, bool) { return os.LookupEnv(name) }

func (here) Program(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}

func (here) Files() fs.FS { return os.DirFS("/") }

func (here) Sinks(ctx context.Context) ([]pulse.Sink, error) { return pulse.Sinks(ctx) }

func (here) Watch() (stop func() time.Duration) {
	done, longest := make(chan struct{}), make(chan time.Duration)
	go func() {
		ticker := time.NewTicker(glance)
		defer ticker.Stop()
		var worst time.Duration
		for last := time.Now(); ; {
			select {
			case <-done:
				longest <- worst
				return
			case <-ticker.C:
			}
			now := time.Now()
			worst = max(worst, now.Sub(last)-glance)
			last = now
		}
	}()
	return func() time.Duration {
		close(done)
		return <-longest
	}
}

func (here) Drivers() (all []Driver) {
	for _, name := range auto.Drivers() {
		d := Driver{Name: name}
		switch name {
		case "pulse":
			d.Ways, d.Open = "PulseAudio, PipeWire", openPulse
		case "oto":
			d.Ways, d.Open = otoWays(), openOto
		}
		all = append(all, d)
	}
	return all
}

// ways are what oto plays through, by what it calls them.
var ways = map[string]string{
	"pulse": "PulseAudio, PipeWire", "alsa": "ALSA", "wasapi": "WASAPI", "coreaudio": "Core Audio",
	"android": "Android's audio", "webaudio": "Web Audio",
}

// otoWays returns "" where the tag nooto has left the driver out.
func otoWays() string {
	var list []string
	for _, p := range oto.Probe() {
		if way := ways[p.Name]; way != "" {
			list = append(list, way)
		}
	}
	return strings.Join(list, ", ")
}

// title is what the mixers of the desktop show.
const title = "voicepool doctor"

func openPulse(ctx context.Context) (Player, error) {
	d, err := pulse.Open(ctx, pulse.Config{Name: "voicepool", Title: title})
	if err != nil {
		return nil, err // not a nil device in an interface
	}
	return d, nil
}

func openOto(context.Context) (Player, error) {
	d, err := oto.Open(oto.Config{Name: "voicepool"})
	if err != nil {
		return nil, err
	}
	return d, nil
}
