package oto

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/device"
	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

const (
	// stall is how long a driver may ask for nothing before the device pulls
	// in its place.
	stall = 500 * time.Millisecond

	// grace is how long Close waits for a driver to stop.
	grace = 500 * time.Millisecond
)

// output is what a device wants of the driver's one context.
type output interface {
	// play lets the driver read r, keeping bytes of it ahead.
	play(r io.Reader, bytes int) player
	// Err returns what ended the context, for good.
	Err() error
	// Suspend stops the driver from reading.
	Suspend() error
}

// player is what a device wants of the driver's one player. It plays as long
// as it can be reached.
type player interface {
	// PauseAndStopReading waits until no read is under way; after it there is
	// none.
	PauseAndStopReading()
}

// Device is the sound card. Its methods may be called by any goroutine, but
// not from within Render.
type Device struct {
	config Config
	out    output
	life   pace.Life
	player player // nil before Start
	reader *reader
	taken  atomic.Int64 // frames, by the driver

	mu  sync.Mutex
	err error
}

var _ device.Device = (*Device)(nil)

// Start begins to play src. A goroutine watches the driver until Close.
func (d *Device) Start(src device.Source) error {
	return d.life.Start(src, d.config.Rate, 1, func() {
		d.reader = newReader(src, &d.taken)
		d.player = d.out.play(d.reader, d.held()*frameBytes)
		d.life.Go(d.watch)
	})
}

// Frames returns how many frames the driver has taken since Start. While it takes none, the
// device renders in its place, and Frames stands still.
func (d *Device) Frames() int64 { return d.taken.Load() }

// Rate returns Config.Rate.
func (d *Device) Rate() int { return d.config.Rate }

// Latency returns what the device holds at the most, and what the driver asked
// the system to hold. What the system adds to that is not known.
func (d *Device) Latency() int {
	return 2*d.held() + blockFrames - 1
}

// Latencies returns the parts of Latency: what the device holds, and what the system was
// asked to hold.
func (d *Device) Latencies() device.Latencies {
	return device.Latencies{
		Driver: pcm.Duration(int64(d.held()+blockFrames-1), d.config.Rate),
		Server: pcm.Duration(int64(d.held()), d.config.Rate),
	}
}

// held is how many frames the system was asked to hold. The player keeps as many ready: a
// server may ask for all that it can hold at once, and gets silence for what is not there.
func (d *Device) held() int { return int(pcm.Frames(d.config.Buffer, d.config.Rate)) }

// Err returns what took the sound card away, or nil. There is no way back; the
// source is still pulled from, in time.
func (d *Device) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Close ends the playing at once: the last Latency frames may not be heard. It
// returns nil.
func (d *Device) Close() error {
	d.life.Close(func() {
		if d.player != nil {
			d.player.PauseAndStopReading()
			d.reader.close()
		}
		suspended := make(chan struct{})
		go func() {
			defer close(suspended)
			// An error means that the context has ended, which is as good.
			_ = d.out.Suspend()
		}()
		select {
		case <-suspended:
		case <-time.After(grace):
		}
	})
	return nil
}

// watch pulls in time while the driver does not.
func (d *Device) watch(stop <-chan struct{}) {
	look := time.NewTicker(stall / 4)
	defer look.Stop()
	for {
		select {
		case <-stop:
			return
		case <-look.C:
		}
		if last, reads := d.reader.seen(); time.Since(last) >= stall {
			d.standIn(last, reads, stop)
		}
	}
}

// standIn renders for nobody, from when the driver read last until it does
// again. Only now does it ask for the driver's error: PulseAudio's is set
// without a lock, right when the reading ends.
func (d *Device) standIn(last time.Time, reads int64, stop <-chan struct{}) {
	clock := pace.NewClock(last, d.config.Rate, blockFrames)
	second := int64(d.config.Rate/blockFrames) + 1
	for n := int64(0); clock.Wait(stop); n++ {
		if n%second == 0 {
			d.note(d.out.Err())
		}
		if !d.reader.skip(reads) {
			return
		}
	}
}

func (d *Device) note(err error) {
	if err == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = fmt.Errorf("oto: the sound card is gone, the sound goes on without it: %w", bare(err))
	}
}
