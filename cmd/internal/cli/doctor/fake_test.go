package doctor

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"voicepool/device"
	"voicepool/device/pulse"
	"voicepool/pcm"
)

// machine is a simulated Machine. The zero value has a user, no files, and two drivers that find no
// sound.
type machine struct {
	identity Identity // zero: anna, 1000, on Linux
	env      map[string]string
	programs string            // in the path
	files    map[string]string // content by path; a content with ! is a file type: !socket, !device, !folder
	barred   string            // files and folders without permission
	owners   map[string]string // "user:group" by path
	sinks    []pulse.Sink
	sinkErr  error // nil: a server answers
	drivers  []Driver
	paused   time.Duration // longest pause of the process
}

func (m machine) Watch() (stop func() time.Duration) { return func() time.Duration { return m.paused } }

func (m machine) Identity() Identity {
	if m.identity == (Identity{}) {
		return Identity{OS: "linux", Arch: "amd64", User: "anna", ID: "1000"}
	}
	return m.identity
}

func (m machine) Env(name string) (string, bool) {
	v, set := m.env[name]
	return v, set
}

func (m machine) Program(name string) bool { return has(m.programs, name) }

func has(list, word string) bool {
	for _, w := range strings.Fields(list) {
		if w == word {
			return true
		}
	}
	return false
}

func (m machine) Files() fs.FS {
	files := fstest.MapFS{}
	for path, content := range m.files {
		f := &fstest.MapFile{Data: []byte(content), Mode: 0o600}
		switch content {
		case "!socket":
			f.Mode = fs.ModeSocket | 0o600
		case "!device":
			f.Mode = fs.ModeDevice | 0o660
		case "!folder":
			f.Mode = fs.ModeDir | 0o700
		}
		files[strings.TrimPrefix(path, "/")] = f
	}
	return guarded{files, m.barred}
}

// guarded is a file system with inaccessible folders.
type guarded struct {
	fs.FS
	barred string
}

func (g guarded) Open(name string) (fs.File, error) {
	for _, b := range strings.Fields(g.barred) {
		if folder := strings.TrimPrefix(b, "/"); strings.HasSuffix(b, "/") && strings.HasPrefix(name+"/", folder) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
		}
	}
	return g.FS.Open(name)
}

func (m machine) Usable(path string) error {
	if has(m.barred, path) {
		return fs.ErrPermission
	}
	return nil
}

func (m machine) Owner(path string) (user, group string) {
	user, group, _ = strings.Cut(m.owners[path], ":")
	return user, group
}

func (m machine) Sinks(context.Context) ([]pulse.Sink, error) { return m.sinks, m.sinkErr }

func (m machine) Drivers() []Driver {
	if m.drivers != nil {
		return m.drivers
	}
	if m.sinkErr == nil {
		return drivers(&player{sink: "speakers"}, nil, nil, errNone)
	}
	return drivers(nil, errNone, nil, errNone)
}

// with returns the machine with more files.
func (m machine) with(files map[string]string) machine {
	m.files = maps.Clone(m.files)
	if m.files == nil {
		m.files = map[string]string{}
	}
	maps.Copy(m.files, files)
	return m
}

var errNone = errors.New("there is none")

// drivers returns pulse and oto with the given results of Open.
func drivers(pulse *player, pulseErr error, oto *player, otoErr error) []Driver {
	open := func(p *player, err error) func(context.Context) (Player, error) {
		return func(context.Context) (Player, error) {
			if err != nil {
				return nil, err
			}
			return p, nil
		}
	}
	return []Driver{
		{Name: "pulse", Outputs: "PulseAudio, PipeWire", Open: open(pulse, pulseErr)},
		{Name: "oto", Outputs: "ALSA", Open: open(oto, otoErr)},
	}
}

// player is a simulated device: it takes 10 ms of audio every 10 ms, and holds 40 ms.
type player struct {
	sink      string
	moves     string        // to another sink, after a second
	only      time.Duration // how long it takes frames; 0: without limit
	pause     time.Duration // in the middle
	dies      error         // error after only, instead of stalling
	dry       int64
	suspended bool
	silent    bool // it reports no latency
	refuses   error
	hangs     bool // in Close, for long

	mutex  sync.Mutex
	frames int64
	err    error
	stop   chan struct{}
	done   chan struct{} // closed when src is not called again
	heard  []pcm.Frame
}

const held = 1920

func (p *player) Start(src device.Source) error {
	if p.refuses != nil {
		return p.refuses
	}
	p.stop, p.frames, p.heard, p.err = make(chan struct{}), 0, nil, nil // for a second start, too
	p.take(src, held)
	p.done = make(chan struct{})
	go func() {
		defer close(p.done)
		p.run(src, p.stop)
	}()
	return nil
}

func (p *player) run(src device.Source, stop chan struct{}) {
	begin := time.Now()
	for {
		select {
		case <-stop:
			return
		case <-time.After(10 * time.Millisecond):
		}
		past := time.Since(begin)
		if p.pause > 0 && past > 2*time.Second {
			time.Sleep(p.pause)
			p.pause = 0
		}
		if p.only > 0 && past > p.only {
			p.mutex.Lock()
			p.err = p.dies
			p.mutex.Unlock()
			return
		}
		p.take(src, 480)
	}
}

func (p *player) take(src device.Source, n int) {
	block := make([]pcm.Frame, n)
	src.Render(block)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.frames += int64(n)
	p.heard = append(p.heard, block...)
}

func (p *player) Close() error {
	if p.hangs {
		time.Sleep(openTimeout)
	}
	if p.stop != nil {
		close(p.stop)
		<-p.done
		p.stop = nil
	}
	return nil
}

func (p *player) Frames() int64 {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.frames
}

func (p *player) Err() error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.err
}

func (p *player) Rate() int         { return 48000 }
func (p *player) Latency() int      { return held }
func (p *player) Suspended() bool   { return p.suspended }
func (p *player) Underflows() int64 { return p.dry }

func (p *player) Sink() string {
	if p.moves != "" && p.Frames() > 48000 {
		return p.moves
	}
	return p.sink
}

func (p *player) Measure() (device.Latencies, error) {
	if p.silent {
		return device.Latencies{}, errNone
	}
	if p.Frames() < 14_400 { // still filling
		return device.Latencies{Server: time.Second}, nil
	}
	return device.Latencies{Driver: 20 * time.Millisecond, Server: 5 * time.Millisecond}, nil
}
