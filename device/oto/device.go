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
	// stall is the time without reads by the driver after which the device renders in its place.
	stall = 500 * time.Millisecond

	// closeTimeout is the time that Close waits for the driver to stop.
	closeTimeout = 500 * time.Millisecond
)

// output is the part of the driver's context that a device uses.
type output interface {
	// play starts a player that reads r and keeps bytes of it ahead.
	play(r io.Reader, bytes int) player
	// Err returns the error that ended the context for good.
	Err() error
	// Suspend stops the driver from reading.
	Suspend() error
}

// player is the part of the driver's player that a device uses. It plays until it is garbage collected.
type player interface {
	// PauseAndStopReading waits until a current read has returned, and prevents further ones.
	PauseAndStopReading()
}

// Device is the sound card. Its methods may be called by any goroutine, but not from within Render.
type Device struct {
	config     Config
	out        output
	lifecycle  pace.Lifecycle
	player     player // nil before Start
	reader     *reader
	framesRead atomic.Int64 // frames read by the driver

	mu  sync.Mutex
	err error
}

var _ device.Device = (*Device)(nil)

// Start begins to play src. A goroutine watches the driver until Close.
func (d *Device) Start(src device.Source) error {
	return d.lifecycle.Start(src, d.config.Rate, 1, func() {
		d.reader = newReader(src, &d.framesRead)
		d.player = d.out.play(d.reader, d.bufferFrames()*frameBytes)
		d.lifecycle.Go(d.watch)
	})
}

// Frames returns the number of frames that the driver has read since Start. When the driver does not read, the
// device renders in its place, and Frames does not change.
func (d *Device) Frames() int64 { return d.framesRead.Load() }

// Rate returns Config.Rate.
func (d *Device) Rate() int { return d.config.Rate }

// Latency returns the maximum number of frames in the device and in the requested buffer of the system. Further
// buffers of the system are unknown.
func (d *Device) Latency() int {
	return 2*d.bufferFrames() + blockFrames - 1
}

// Latencies returns the parts of Latency: the device, and the requested buffer of the system.
func (d *Device) Latencies() device.Latencies {
	return device.Latencies{
		Driver: pcm.Duration(int64(d.bufferFrames()+blockFrames-1), d.config.Rate),
		Server: pcm.Duration(int64(d.bufferFrames()), d.config.Rate),
	}
}

// bufferFrames returns the requested size of the system's buffer in frames. The player keeps the same number ready: a
// server may ask for its whole buffer at once, and plays silence for missing frames.
func (d *Device) bufferFrames() int { return int(pcm.Frames(d.config.Buffer, d.config.Rate)) }

// Err returns the error that took the sound card away, or nil. The card cannot be reopened; the device still
// pulls from the source in time.
func (d *Device) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Close stops playing immediately: the last Latency frames may be lost. It returns nil.
func (d *Device) Close() error {
	d.lifecycle.Close(func() {
		if d.player != nil {
			d.player.PauseAndStopReading()
			d.reader.close()
		}
		suspended := make(chan struct{})
		go func() {
			defer close(suspended)
			// An error means that the context has already ended.
			_ = d.out.Suspend()
		}()
		select {
		case <-suspended:
		case <-time.After(closeTimeout):
		}
	})
	return nil
}

// watch looks for reads of the driver until stop is closed. If the driver has not read for the time stall, watch
// renders in its place until the next read.
func (d *Device) watch(stop <-chan struct{}) {
	look := time.NewTicker(stall / 4)
	defer look.Stop()
	for {
		select {
		case <-stop:
			return
		case <-look.C:
		}
		if last, reads := d.reader.lastRead(); time.Since(last) >= stall {
			d.renderDiscarded(last, reads, stop)
		}
	}
}

// renderDiscarded renders and discards frames in real time, from the driver's last read until its next one or until
// stop is closed. reads is the number of reads at the last one. Only here does it call the driver's Err, because
// PulseAudio's error is set without a lock when reading ends.
func (d *Device) renderDiscarded(last time.Time, reads int64, stop <-chan struct{}) {
	clock := pace.NewClock(last, d.config.Rate, blockFrames)
	second := int64(d.config.Rate/blockFrames) + 1
	for n := int64(0); clock.Wait(stop); n++ {
		if n%second == 0 {
			d.storeError(d.out.Err())
		}
		if !d.reader.skip(reads) {
			return
		}
	}
}

// storeError stores the first error of the driver for Err. nil is ignored.
func (d *Device) storeError(err error) {
	if err == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.err = fmt.Errorf("oto: the sound card is gone, the sound goes on without it: %w", withoutPrefix(err))
	}
}
