package auto

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"voicepool/device"
	"voicepool/device/oto"
	"voicepool/internal/words"
)

const (
	// openTimeout is the time that New waits for a card to open.
	openTimeout = 500 * time.Millisecond

	// closeTimeout is the time that Close waits for a driver.
	closeTimeout = 300 * time.Millisecond

	// attemptTimeout is the time limit of an attempt.
	attemptTimeout = 4 * time.Second
)

// driver is one way to open a sound card.
type driver struct {
	name        string
	sinks       bool // it can play on a sink chosen by name
	multiOutput bool // it can play several outputs
	openOnce    bool // a process can open it once only, so a lost card cannot be reopened
	open        func(ctx context.Context, c *Config) (device.Device, error)
	opening     atomic.Bool
	finalErr    atomic.Pointer[error] // the error that made further opens impossible
}

// Drivers returns the names of the drivers of this system, in the order of trial.
func Drivers() []string {
	var names []string
	for _, d := range drivers() {
		names = append(names, d.name)
	}
	return names
}

// drivers returns the drivers whose name is Driver, or all if Driver is "". If Sink is set, it omits drivers
// that have no sinks.
func (c *Config) drivers() []*driver {
	return slices.DeleteFunc(drivers(), func(d *driver) bool {
		return c.Driver != "" && d.name != c.Driver || c.Sink != "" && !d.sinks
	})
}

// noDriver returns the error for a configuration without a matching driver: Driver is unknown, or has no sinks
// although Sink is set.
func (c *Config) noDriver() error {
	if names := Drivers(); !slices.Contains(names, c.Driver) {
		return fmt.Errorf("auto: no driver %q, want one of %s", words.OneLine(c.Driver), strings.Join(names, ", "))
	}
	return fmt.Errorf("auto: %s has no sinks to choose from, want pulse for sink %q", c.Driver, words.OneLine(c.Sink))
}

// attempt is one try to open a card. It runs in its own goroutine and may take long.
type attempt struct {
	number int
	source *cardSource
	opened chan struct{} // closed when driver, card and err are set
	driver *driver
	card   device.Device
	err    error

	began        time.Time
	stalledSince time.Time // start of the current period without consumed frames
	sinceFrames  int64     // frames consumed at stalledSince
	unused       bool      // it has not consumed any frames yet
	prefillLeft  int       // remaining checks that count consumed frames as prebuffering, not as playback
	closed       bool
}

// consumedFrames returns the number of frames that the driver has consumed: as the card counts them, or else as it has
// pulled them from the source.
func (a *attempt) consumedFrames() int64 {
	if c, ok := a.card.(interface{ Frames() int64 }); ok {
		return c.Frames()
	}
	return a.source.consumed.Load()
}

// try starts attempt number in the background and returns it immediately. The attempt opens the first of drivers
// that works and closes opened. Once the device has been started, it starts the card and sends itself to
// d.finished.
func (d *Device) try(number int, drivers []*driver) *attempt {
	a := &attempt{
		number: number, opened: make(chan struct{}), began: time.Now(), unused: true,
		source: &cardSource{gate: &d.gate, attempt: number, rate: d.config.Rate, outputs: d.config.Outputs},
	}
	d.background.Go(func() {
		ctx, cancel := context.WithTimeout(d.ctx, attemptTimeout)
		defer cancel()
		a.driver, a.card, a.err = d.open(ctx, drivers)
		close(a.opened)
		if a.err == nil {
			select {
			case <-d.started:
				if a.err = a.card.Start(a.source); a.err != nil {
					_ = a.card.Close()
				}
			case <-d.ctx.Done():
			}
		}
		select {
		case d.finished <- a:
			return
		case <-d.ctx.Done():
		}
		if a.card != nil {
			_ = a.card.Close()
		}
	})
	return a
}

// open opens the first driver that works at the configured rate, and returns it with its open card. Otherwise it
// returns the error of the last driver that failed, or the error of a configuration without drivers. It stops at
// a driver that times out, because others would use the same server.
func (d *Device) open(ctx context.Context, drivers []*driver) (*driver, device.Device, error) {
	if len(drivers) == 0 {
		return nil, nil, d.config.noDriver()
	}
	err := errors.New("the driver is slow to answer")
	drivers, skipped := d.config.splitByChannels(drivers)
	if len(drivers) == 0 {
		err = nil
	}
	for _, r := range drivers {
		if finalErr := r.finalErr.Load(); finalErr != nil {
			err = *finalErr
			continue
		}
		if r.openOnce && !r.opening.CompareAndSwap(false, true) {
			continue // another attempt is opening it
		}
		card, failed := r.open(ctx, &d.config)
		if errors.Is(failed, oto.ErrSpent) {
			r.finalErr.Store(&failed)
		}
		r.opening.Store(false)
		if failed == nil && card.Rate() != d.config.Rate {
			failed = fmt.Errorf("%s: wrong rate: it plays %d frames per second, not %d", r.name, card.Rate(), d.config.Rate)
			_ = card.Close()
		}
		if failed == nil {
			return r, card, nil
		}
		err = failed
		// A server that times out exists, and other drivers would use the same server.
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) {
			break
		}
	}
	if len(skipped) > 0 && !errors.Is(err, device.ErrOutputs) {
		err = &tooFewChannelsError{names: skipped, outputs: d.config.Outputs, err: err}
	}
	return nil, nil, err
}

// Reason formats an error of Find in one line, without the prefixes of the package and driver.
func Reason(err error) string {
	text := strings.TrimSuffix(err.Error(), ": "+device.ErrUnavailable.Error())
	for _, name := range append(Drivers(), "auto") {
		text = strings.TrimPrefix(text, name+": ")
	}
	return words.OneLine(text)
}
