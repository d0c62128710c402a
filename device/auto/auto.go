// Package auto plays on the best available device and survives every failure: it uses the sound card, or a null
// device that keeps time silently until a card is found or returns.
//
//	out := auto.Open(m, auto.Config{}) // m is a mixer; it never fails
//	defer out.Close()
//	log.Print(out) // "pulse on speakers", or "null: no sound card in /dev/snd"
//
// Events reports each loss and each return.
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

// Config configures a device. The zero value means the defaults.
type Config struct {
	Rate   int           // frames per second, as oto.Config.Rate; 0 means 48000. Open uses the rate of its source.
	Buffer time.Duration // of the sound card, as pulse.Config.Buffer
	Block  int           // frames per block without a sound card; 0 or less means 512

	// Outputs is the number of stereo outputs, 1..16; 0 or less means 1. Open uses the number of its source.
	// For more than one output, drivers limited to two channels are skipped.
	Outputs int

	Driver string // the only driver to try, a name in Drivers; "" tries all
	Sink   string // as pulse.Config.Sink; drivers without sinks are skipped

	// Name, title and icon in the system's own mixer, as in pulse.Config. Other drivers show Name only.
	Name, Title, Icon string
}

// Device plays on the best available driver. It watches the driver, and when the driver is lost, it keeps time
// silently and retries until the driver is back. Its methods may be called by any goroutine, but not from
// within Render.
type Device struct {
	config     Config
	drivers    []*driver // the drivers to try
	lifecycle  pace.Lifecycle
	gate       sourceGate
	first      *attempt
	started    chan struct{} // closed by Start
	finished   chan *attempt // finished attempts
	ctx        context.Context
	cancel     context.CancelFunc
	background sync.WaitGroup // attempts, and cards that are being closed

	mutex sync.Mutex
	publicState
}

// publicState is the state that other goroutines may read.
type publicState struct {
	driver    *driver // the playing driver; nil without a sound card
	playing   device.Device
	reason    string // why no sound card plays
	final     bool   // the device has stopped looking for a card
	since     int64  // the first frame of the current gap
	gapFrames int64  // frames of the past gaps
	events    []Event
}

var _ device.Device = (*Device)(nil)

// Open opens a device with the rate and the outputs of src, and starts to play src. It never fails. Without
// a sound card, the device renders src in real time without sound, Device.Reason returns the cause, and a
// card that appears later is used. Open returns within half a second.
func Open(src device.Rated, c Config) *Device {
	c.Rate, c.Outputs = src.Rate(), device.OutputsOf(src)
	d := New(c)
	_ = d.Start(src) // src has the rate and the outputs of d
	return d
}

// New returns a device that plays the rate and outputs of c, like Open, but without a source: the caller calls Start.
func New(c Config) *Device {
	d := newDevice(c, c.drivers())
	select {
	case <-d.first.opened:
	case <-time.After(openTimeout):
	}
	d.showFirst()
	return d
}

// Find opens a device like New, but returns an error if no driver plays. Use it for a driver that the user
// chose by name. A driver that is lost later is retried. Find takes up to 8 s if a driver is slow to answer.
func Find(c Config) (*Device, error) {
	return find(c, c.drivers())
}

// find waits until the first attempt with the given drivers has opened a card, and returns the device. If no
// driver works, it closes the device and returns the error of the attempt.
func find(c Config, drivers []*driver) (*Device, error) {
	d := newDevice(c, drivers)
	<-d.first.opened
	if err := d.first.err; err != nil {
		d.Close()
		return nil, err
	}
	d.showFirst()
	return d, nil
}

// newDevice returns a device with the defaults filled in, and starts its first attempt, which tries the drivers in
// the background.
func newDevice(c Config, drivers []*driver) *Device {
	c.Rate, c.Block, c.Outputs = cmp.Or(max(c.Rate, 0), 48000), cmp.Or(max(c.Block, 0), 512), max(c.Outputs, 1)
	d := &Device{config: c, drivers: drivers, started: make(chan struct{}), finished: make(chan *attempt)}
	d.gate.wakeRequest, d.gate.wakeNotice = make(chan struct{}, 1), make(chan struct{}, 1)
	d.ctx, d.cancel = context.WithCancel(context.Background())
	d.first = d.try(1, drivers)
	return d
}

// showFirst publishes the state of the first attempt without waiting: its driver, the reason why no driver plays, or
// that it still runs.
func (d *Device) showFirst() {
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

// show publishes a as the playing attempt, or, if a is nil, the reason why no driver plays. reason is "" if a
// plays.
func (d *Device) show(a *attempt, reason string) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	d.driver, d.playing, d.reason = nil, nil, reason
	if a != nil {
		d.driver, d.playing = a.driver, a.card
	}
}

// Driver returns the name of the playing driver, as in Drivers, or "null" without a sound card.
func (d *Device) Driver() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.driver == nil {
		return "null"
	}
	return d.driver.name
}

// Sink returns the name of the sink that the driver plays on. It is "" if the driver has no sinks, or without a
// sound card.
func (d *Device) Sink() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if s, ok := d.playing.(interface{ Sink() string }); ok {
		return s.Sink()
	}
	return ""
}

// Reason returns in one line why no sound card plays, or "" if one plays.
func (d *Device) Reason() string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.reason
}

// Unheard returns how much audio was rendered without a sound card, in total since Start.
func (d *Device) Unheard() time.Duration {
	now := d.gate.renderedFrames()
	d.mutex.Lock()
	defer d.mutex.Unlock()
	frames := d.gapFrames
	if d.driver == nil {
		frames += max(now-d.since, 0)
	}
	return pcm.Duration(frames, d.config.Rate)
}

// String returns the driver with its sink, and the reason if there is one.
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
	return d.lifecycle.Start(src, d.config.Rate, d.config.Outputs, func() { d.lifecycle.Go(d.supervise(src)) })
}

// Outputs returns the number of outputs that the device plays.
func (d *Device) Outputs() int { return d.config.Outputs }

// Rate returns the frames per second that the device plays.
func (d *Device) Rate() int { return d.config.Rate }

// Latency returns the latency of the playing driver in frames, or Config.Block without a sound card.
func (d *Device) Latency() int {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.playing == nil {
		return d.config.Block
	}
	return d.playing.Latency()
}

// Latencies returns the parts of Latency, as the playing driver reports them.
func (d *Device) Latencies() device.Latencies {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.playing == nil {
		return device.Latencies{Driver: pcm.Duration(int64(d.config.Block), d.config.Rate)}
	}
	return device.LatenciesOf(d.playing)
}

// Underflows returns the number of times that the sound server ran out of frames since its driver was opened,
// because the source was late. It is 0 if the driver does not report them.
func (d *Device) Underflows() int64 {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if c, ok := d.playing.(interface{ Underflows() int64 }); ok {
		return c.Underflows()
	}
	return 0
}

// Err returns an error if the sound card cannot come back: oto can be opened once per process. Otherwise it
// returns nil, because the device retries. In both cases the device keeps pulling from the source in time.
func (d *Device) Err() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if !d.final {
		return nil
	}
	return fmt.Errorf("auto: %s: %w", d.reason, device.ErrUnavailable)
}

// Close stops pulling, after a current Render has returned, and waits up to 300 ms for the driver. It returns
// nil.
func (d *Device) Close() error {
	d.lifecycle.Close(func() {
		d.cancel()
		ended := make(chan struct{})
		go func() {
			d.background.Wait()
			close(ended)
		}()
		select {
		case <-ended:
		case <-time.After(closeTimeout):
		}
	})
	return nil
}
