// Package auto plays on the best device there is, and plays on through every failure: the
// sound card, or a null device that keeps time unheard until a card is found or comes back.
//
//	out := auto.Open(m, auto.Config{}) // m is a mixer; it never fails
//	defer out.Close()
//	log.Print(out) // "pulse on speakers", or "null: no sound card in /dev/snd"
//
// Events tells of each loss and each return.
package auto

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"voicepool/device"
	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

// Config says how a device is opened. The zero value means the defaults.
type Config struct {
	Rate   int           // frames per second, as oto.Config.Rate; 0 means 48000. Open takes that of its source.
	Buffer time.Duration // of the sound card, as pulse.Config.Buffer
	Block  int           // frames at a time while nothing is heard; 0 or less means 512

	// Outputs is how many stereo outputs are played, 1..16; 0 or less means 1. Open takes that of
	// its source. Drivers that play two channels are not tried for more.
	Outputs int

	Driver string // the only one to be tried, of Drivers; "" tries all
	Sink   string // as pulse.Config.Sink; drivers without sinks are not tried

	// What the system's own mixer shows, as pulse.Config has it. Other drivers show Name.
	Name, Title, Icon string
}

// Device is the best device there is. It watches the driver that plays: when the driver is
// lost, it keeps time, and looks for the driver until it is back. Its methods may be called
// by any goroutine, but not from within Render.
type Device struct {
	config  Config
	drivers []*driver // that are tried
	life    pace.Life
	valve   valve
	first   *attempt
	begun   chan struct{} // closed by Start
	found   chan *attempt // those that have come to their end
	ctx     context.Context
	cancel  context.CancelFunc
	loose   sync.WaitGroup // attempts, and cards that are being closed

	mutex sync.Mutex
	shown
}

// shown is what others may ask for.
type shown struct {
	driver  *driver // that plays; nil: none
	heard   device.Device
	reason  string // why nothing is heard
	final   bool   // nothing is looked for any more
	since   int64  // the first frame that is not heard
	unheard int64  // frames of the gaps that are over
	events  []Event
}

var _ device.Device = (*Device)(nil)

// Open opens a device at the rate of src, with its outputs, and starts to play it. It never fails: while
// nothing can be opened the device keeps time unheard, and Reason says why. A card that
// comes later is found. Control side. It returns within half a second.
func Open(src device.Rated, c Config) *Device {
	c.Rate, c.Outputs = src.Rate(), device.OutputsOf(src)
	d := New(c)
	_ = d.Start(src) // has just been opened for src
	return d
}

// New opens a device as Open does, at Config.Rate, and leaves the Start to the caller.
func New(c Config) *Device {
	d := begin(c, c.drivers())
	select {
	case <-d.first.opened:
	case <-time.After(prompt):
	}
	d.look()
	return d
}

// Find opens a device as New does, and returns an error where no driver plays: for a
// driver that was asked for by its name. A driver that is lost later is looked for. It
// takes up to 8 s where a driver is slow to answer.
func Find(c Config) (*Device, error) {
	return find(c, c.drivers())
}

func find(c Config, drivers []*driver) (*Device, error) {
	d := begin(c, drivers)
	<-d.first.opened
	if err := d.first.err; err != nil {
		d.Close()
		return nil, err
	}
	d.look()
	return d, nil
}

// begin makes a device which tries drivers.
func begin(c Config, drivers []*driver) *Device {
	c.Rate, c.Block, c.Outputs = cmp.Or(max(c.Rate, 0), 48000), cmp.Or(max(c.Block, 0), 512), max(c.Outputs, 1)
	d := &Device{config: c, drivers: drivers, begun: make(chan struct{}), found: make(chan *attempt)}
	d.valve.asked, d.valve.nudge = make(chan struct{}, 1), make(chan struct{}, 1)
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.first = d.try(1, drivers)
	return d
}

// look tells what has become of the first attempt.
func (d *Device) look() {
	select {
	case <-d.first.opened:
		if d.first.err == nil {
			d.show(d.first, "")
		} else {
			d.show(nil, Reason(d.first.err))
		}
	default:
		d.show(nil, "the sound system is slow to answer")
	}
}

// show tells who plays, or why nobody does.
func (d *Device) show(a *attempt, reason string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.driver, d.heard, d.reason = nil, nil, reason
	if a != nil {
		d.driver, d.heard = a.driver, a.card
	}
}

// Driver returns the driver that plays: one of Drivers, or "null" while nothing is heard.
func (d *Device) Driver() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.driver == nil {
		return "null"
	}
	return d.driver.name
}

// Sink returns what the driver plays on, as the sound server calls it; "" where the driver
// does not say, and while nothing is heard.
func (d *Device) Sink() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if s, ok := d.heard.(interface{ Sink() string }); ok {
		return s.Sink()
	}
	return ""
}

// Reason returns why nothing is heard, in one line; "" while a sound card plays.
func (d *Device) Reason() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.reason
}

// Unheard returns how much of the source nobody has heard until now: the gaps that are
// over, and the one that is open.
func (d *Device) Unheard() time.Duration {
	now := d.valve.count()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	frames := d.unheard
	if d.driver == nil {
		frames += max(now-d.since, 0)
	}
	return pcm.Duration(frames, d.config.Rate)
}

// String returns the driver with its sink, and the reason where there is one.
func (d *Device) String() string {
	text := d.Driver()
	if sink := d.Sink(); sink != "" {
		text += " on " + sink
	}
	if reason := d.Reason(); reason != "" {
		text += ": " + reason
	}
	return text
}

// Start begins to pull from src. After Open it returns device.ErrStarted.
func (d *Device) Start(src device.Source) error {
	return d.life.Start(src, d.config.Rate, d.config.Outputs, func() { d.life.Go(d.supervise(src)) })
}

// Outputs returns how many outputs the device plays.
func (d *Device) Outputs() int { return d.config.Outputs }

// Rate returns the frames per second that the device plays.
func (d *Device) Rate() int { return d.config.Rate }

// Latency returns that of the driver that plays, in frames; while none does, Config.Block.
func (d *Device) Latency() int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.heard == nil {
		return d.config.Block
	}
	return d.heard.Latency()
}

// Latencies returns the parts of Latency, as the driver that plays tells them.
func (d *Device) Latencies() device.Latencies {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.heard == nil {
		return device.Latencies{Driver: pcm.Duration(int64(d.config.Block), d.config.Rate)}
	}
	return device.LatenciesOf(d.heard)
}

// Underflows returns how often a sound server had nothing to play since its driver was
// opened, because the source was late; 0 where the driver does not say.
func (d *Device) Underflows() int64 {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if c, ok := d.heard.(interface{ Underflows() int64 }); ok {
		return c.Underflows()
	}
	return 0
}

// Err returns what took the sound card away for good: oto can be opened once in a process.
// Else it returns nil, for the card is looked for. The source is pulled from in time all
// the same.
func (d *Device) Err() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if !d.final {
		return nil
	}
	return fmt.Errorf("auto: %s: %w", d.reason, device.ErrUnavailable)
}

// Close ends the pulling, when a Render under way has ended, and waits up to 300 ms for
// the driver. It returns nil.
func (d *Device) Close() error {
	d.life.Close(func() {
		d.cancel()
		ended := make(chan struct{})
		go func() {
			d.loose.Wait()
			close(ended)
		}()
		limit := time.NewTimer(patience)
		defer limit.Stop()
		select {
		case <-ended:
		case <-limit.C:
		}
	})
	return nil
}
