package auto

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"voicepool/device"
	"voicepool/device/internal/pace"
	"voicepool/device/null"
	"voicepool/pcm"
)

// onPaced returns a device whose card never fails.
func onPaced(c Config) *Device {
	return newDevice(c, []*driver{{name: "fake", multiOutput: true, open: func(_ context.Context, c *Config) (device.Device, error) {
		return null.NewPaced(null.Config{Rate: c.Rate, Block: c.Block, Outputs: c.Outputs}), nil
	}}})
}

// The fake sound server plays rate frames per second, in steps.
const (
	rate  = 1000
	step  = 10 * time.Millisecond
	held  = 80 // frames in the buffer of a card
	moved = int(rate * step / time.Second)
)

// server is a fake sound server with the clock of synctest and all kinds of faults.
type server struct {
	mutex  sync.Mutex
	refuse error         // the error of Open
	slow   time.Duration // the duration of Open
	hangs  bool          // it does not answer before the context ends
	rate   int           // of its cards; 0: as requested
	halted bool          // cards consume no frames
	silent bool          // and report that their sink is suspended
	dummy  bool          // cards play on a silent sink
	until  time.Time     // the machine is suspended until then
	life   int           // cards of an earlier life are lost
	gone   error         // the error of lost cards
	asked  int
	opened int
	heard  []sample
}

// sample is the first and the last frame of a step of heard audio.
type sample struct {
	at          time.Time
	first, last float32
	torn        bool // the outputs differed
}

func (s *server) set(change func()) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	change()
}

// sleep blocks while the machine is suspended.
func (s *server) sleep() {
	s.mutex.Lock()
	until := s.until
	s.mutex.Unlock()
	time.Sleep(time.Until(until))
}

func (s *server) open(ctx context.Context, c *Config) (device.Device, error) {
	s.mutex.Lock()
	s.asked++
	slow, hangs, refuse, r, life := s.slow, s.hangs, s.refuse, s.rate, s.life
	s.mutex.Unlock()
	if hangs {
		<-ctx.Done()
		return nil, fmt.Errorf("oto: no answer: %w", ctx.Err())
	}
	select {
	case <-time.After(slow):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if refuse != nil {
		return nil, refuse
	}
	if r == 0 {
		r = c.Rate
	}
	s.set(func() { s.opened++ })
	return &fakeCard{server: s, rate: r, outputs: c.Outputs, life: life}, nil
}

func (s *server) driver() *driver { return &driver{name: "fake", multiOutput: true, open: s.open} }

// fakeCard is a stream of the server. Like a real one it first fills its buffer at once, and then consumes
// frames in real time. After a loss it keeps time by itself.
type fakeCard struct {
	server *server
	rate   int
	life   int
	pace   pace.Lifecycle

	outputs int
	taken   atomic.Int64
}

func (c *fakeCard) Rate() int     { return c.rate }
func (c *fakeCard) Latency() int  { return held }
func (c *fakeCard) Frames() int64 { return c.taken.Load() }

func (c *fakeCard) Sink() string {
	c.server.mutex.Lock()
	defer c.server.mutex.Unlock()
	if c.server.dummy {
		return "auto_null"
	}
	return "speakers"
}

func (c *fakeCard) Suspended() bool {
	c.server.mutex.Lock()
	defer c.server.mutex.Unlock()
	return c.server.silent
}

func (c *fakeCard) Err() error {
	c.server.sleep()
	c.server.mutex.Lock()
	defer c.server.mutex.Unlock()
	if c.life != c.server.life {
		return c.server.gone
	}
	return nil
}

func (c *fakeCard) Close() error {
	c.pace.Close(func() {})
	return nil
}

func (c *fakeCard) Start(src device.Source) error {
	return c.pace.Start(src, c.rate, c.outputs, func() { c.pace.Go(func(stop <-chan struct{}) { c.play(src, stop) }) })
}

func (c *fakeCard) play(src device.Source, stop <-chan struct{}) {
	queue := make([]pcm.Frame, held*c.outputs)
	src.Render(queue)
	c.taken.Add(held)
	ticker := time.NewTicker(step)
	defer ticker.Stop()
	steps := moved * c.outputs
	block := make([]pcm.Frame, steps)
	for {
		select {
		case <-stop:
			return
		case now := <-ticker.C:
			gone := c.Err() != nil
			c.server.mutex.Lock()
			halted := c.server.halted
			if !gone && !halted {
				c.server.heard = append(c.server.heard, sample{now, queue[0][0], queue[steps-1][0], !c.alike(queue[:steps])})
			}
			c.server.mutex.Unlock()
			if halted && !gone {
				continue
			}
			src.Render(block)
			if !gone {
				c.taken.Add(int64(moved))
				queue = append(queue[steps:], block...)
			}
		}
	}
}

// alike reports whether each frame is equal on all outputs, as in a counter.
func (c *fakeCard) alike(frames []pcm.Frame) bool {
	for i, f := range frames {
		if f != frames[i/c.outputs*c.outputs] {
			return false
		}
	}
	return true
}

// counter is a source whose frames are numbers, from 1, equal on all outputs. It reports concurrent pulls, and
// blocks that end within a frame.
type counter struct {
	t       *testing.T
	outputs int // 0: one
	n       float32
	inside  atomic.Int32
}

func (c *counter) Outputs() int { return max(c.outputs, 1) }

func (c *counter) Rate() int { return rate }

func (c *counter) Render(dst []pcm.Frame) {
	if c.inside.Add(1) != 1 {
		c.t.Error("two pull at once")
	}
	defer c.inside.Add(-1)
	if len(dst)%c.Outputs() != 0 {
		c.t.Errorf("%d frames of %d outputs were asked for", len(dst), c.Outputs())
	}
	for i := range dst {
		if i%c.Outputs() == 0 {
			c.n++
		}
		dst[i] = pcm.Frame{c.n, c.n}
	}
}

var errGone = errors.New("oto: server gone")
