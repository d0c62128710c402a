package room

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/show/liveplay"
	"voicepool/cmd/internal/view/liveview"
	"voicepool/device"
	"voicepool/device/auto"
	"voicepool/device/null"
	"voicepool/internal/ring"
	"voicepool/pcm"
)

// deviceOutput is the device of a room. Its audio side takes no lock: the frames for listeners go through a ring
// buffer.
type deviceOutput struct {
	room    *Room
	device  device.Device
	best    *auto.Device // nil: a null device
	kind    string
	waits   *ring.Ring[listenerBlock]
	heeded  atomic.Bool  // there are listeners
	asked   atomic.Int64 // frames requested by the device
	ahead   atomic.Int64 // nanoseconds between a request of the device and the output of its frames
	stop    chan struct{}
	stopped chan struct{}
}

// listenerBlock is a part of a block on its way to the listeners.
type listenerBlock struct {
	frames [512]pcm.Frame
	n      int
}

// CheckDevice returns an error if text is not a valid Options.Device; both values for no device are valid. It does not
// look for the device.
func CheckDevice(text string) error {
	if text == "" || text == "none" {
		return nil
	}
	_, err := parseDevice(text)
	return err
}

// parseDevice parses text, the device of a room, such as "auto" or "pulse:SINK". An unknown device, and a device that
// writes a file, are errors. The caller must handle both values for no device itself.
func parseDevice(text string) (d liveplay.Device, err error) {
	err = d.UnmarshalText([]byte(text))
	switch kind, _, _ := strings.Cut(text, ":"); {
	case err == nil && d.Writes():
		err = errors.New("a room plays on a sound card, on null or on none; record it from its audio.wav")
	case err != nil && kind != "pulse":
		err = fmt.Errorf("unknown device %q of a room (want auto, pulse, pulse:SINK, oto, null or none)", text)
	}
	return d, err
}

// openDeviceOutput opens Options.Device of r and starts playback on it, and the goroutine that serves the listeners.
// With "auto" and no working sound card, the room plays silently, and the output keeps looking for one; a log line
// reports that. Another device that is invalid or missing is an *Error of Kind Range. The caller must close the result.
func openDeviceOutput(r *Room) (*deviceOutput, error) {
	o := &r.options
	asked, err := parseDevice(o.Device)
	if err != nil {
		return nil, &Error{Kind: Range, Field: "device", Detail: "device: " + err.Error()}
	}
	c := &deviceOutput{room: r, kind: asked.String(), waits: ring.New[listenerBlock](256), stop: make(chan struct{}), stopped: make(chan struct{})}
	config := auto.Config{
		Rate: r.rate, Outputs: r.on().player.Outputs(), Block: o.Block, Buffer: o.Buffer, Sink: asked.Name, Name: "voicepool", Title: o.Title,
	}
	switch {
	case asked.Kind == "null":
		c.device = null.NewPaced(null.Config{Rate: r.rate, Outputs: r.on().player.Outputs(), Block: o.Block})
	case asked.Kind == "auto":
		if config.Outputs > 1 { // prefer a device with all outputs
			c.best, _ = auto.Find(config)
		}
		if c.best == nil {
			c.best = auto.New(config)
		}
		if why := c.best.Reason(); why != "" {
			r.say("no sound here (" + why + "): playing on silently, and looking for a sound card")
		}
	default:
		config.Driver = asked.Kind
		best, err := auto.Find(config)
		if err != nil {
			return nil, &Error{Kind: Range, Field: "device", Detail: "device: " + asked.String() + ": no sound here (" + auto.Reason(err) + ")"}
		}
		c.best = best
	}
	if c.best != nil {
		c.device = c.best
	}
	if err := c.device.Start(c); err != nil {
		c.device.Close()
		return nil, err
	}
	go c.drain()
	return c, nil
}

// Render fills dst with the next frames of the mix, with all outputs interleaved, applies the output gate, and queues a
// copy for the listeners, if there are any. If the queue is full, the listeners get a gap. Render takes no lock. The
// device calls it on the audio side.
func (c *deviceOutput) Render(dst []pcm.Frame) {
	c.room.on().player.Render(dst)
	c.room.gate.shape(dst, c.Outputs(), c.room.rate, time.Duration(c.ahead.Load()))
	c.asked.Add(int64(len(dst)))
	if !c.heeded.Load() {
		return
	}
	wide := c.room.on().player.Outputs()
	for len(dst) > 0 {
		var s listenerBlock
		s.n = copy(s.frames[:len(s.frames)/wide*wide], dst)
		ring.Push(c.waits, s) // if the ring is full, listeners get a gap
		dst = dst[s.n:]
	}
}

// Outputs returns the number of stereo outputs of the player.
func (c *deviceOutput) Outputs() int { return c.room.on().player.Outputs() }

// Rate returns the sample rate of the room in Hz.
func (c *deviceOutput) Rate() int { return c.room.rate }

// drain passes the queued frames to the listeners every 10 ms (the constant step) until c.stop is closed; then it
// closes c.stopped. Each time it also sets c.heeded, whether there are listeners, and c.ahead, the latency of the
// device, for Render. It runs on its own goroutine.
func (c *deviceOutput) drain() {
	defer close(c.stopped)
	ticker := time.NewTicker(step)
	defer ticker.Stop()
	for {
		c.heeded.Store(!c.room.listeners.empty())
		c.ahead.Store(int64(pcm.Duration(int64(c.device.Latency()), c.device.Rate())))
		for s := ring.Front(c.waits); s != nil; s = ring.Front(c.waits) {
			c.room.listeners.give(s.frames[:s.n])
			ring.Drop(c.waits)
		}
		select {
		case <-c.stop:
			return
		case <-ticker.C:
		}
	}
}

// heard returns the driver, the sink and the latency of the output. The field Lost is the reason why no sound card
// plays, or "" if the output works. A null device always works.
func (c *deviceOutput) heard() liveview.Output {
	h := liveview.Output{Device: c.kind, State: "playing", Latency: pcm.Duration(int64(c.device.Latency()), c.device.Rate())}
	if c.best != nil {
		h.Device, h.Sink, h.Lost = c.best.Driver(), c.best.Sink(), c.best.Reason()
	}
	return h
}

// close closes the device, ends drain and waits for its end. It returns the error of the device. Call it once.
func (c *deviceOutput) close() error {
	err := c.device.Close()
	close(c.stop)
	<-c.stopped
	return err
}
