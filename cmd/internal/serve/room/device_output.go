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

// deviceOutput is the device of a room. Its audio side takes no lock, because the frames for listeners pass through a
// ring buffer.
type deviceOutput struct {
	room            *Room
	device          device.Device
	card            *auto.Device // nil: a null device
	kind            string
	queue           *ring.Ring[listenerBlock]
	hasListeners    atomic.Bool  // there are listeners
	requestedFrames atomic.Int64 // frames requested by the device, the sum over all outputs
	latency         atomic.Int64 // nanoseconds between a request of the device and the output of its frames
	stop            chan struct{}
	stopped         chan struct{}
}

// listenerBlock is a part of a block on its way to the listeners.
type listenerBlock struct {
	frames [512]pcm.Frame
	n      int
	frame  int64 // number of the first frame in the mixer
}

// CheckDevice returns an error if text is not valid as Options.Device. The two values for rooms without a device are
// valid. CheckDevice does not look for the device.
func CheckDevice(text string) error {
	if text == "" || text == "none" {
		return nil
	}
	_, err := parseDevice(text)
	return err
}

// parseDevice parses text, the name of a room's device, such as "auto" or "pulse:SINK". An unknown device or a device
// that writes a file is an error. The caller must handle the two values for rooms without a device itself.
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

// openDeviceOutput opens Options.Device of the room r and starts playback on it. It also starts a goroutine that serves
// the listeners. The caller must close the result.
//
// If the device is "auto" and no sound card works, the room plays silently. The output then keeps looking for a sound
// card, and Options.Log gets a line. Any other device that is invalid or missing is an *Error of Kind Range. If the
// device does not start, its error is returned unchanged.
func openDeviceOutput(r *Room) (*deviceOutput, error) {
	o := &r.options
	spec, err := parseDevice(o.Device)
	if err != nil {
		return nil, &Error{Kind: Range, Field: "device", Detail: "device: " + err.Error()}
	}
	c := &deviceOutput{room: r, kind: spec.String(), queue: ring.New[listenerBlock](256), stop: make(chan struct{}), stopped: make(chan struct{})}
	config := auto.Config{
		Rate: r.rate, Outputs: r.current().player.Outputs(), Block: o.Block, Buffer: o.Buffer, Sink: spec.Name, Name: "voicepool", Title: o.Title,
	}
	switch {
	case spec.Kind == "null":
		c.device = null.NewPaced(null.Config{Rate: r.rate, Outputs: r.current().player.Outputs(), Block: o.Block})
	case spec.Kind == "auto":
		if config.Outputs > 1 { // prefer a device with all outputs
			c.card, _ = auto.Find(config)
		}
		if c.card == nil {
			c.card = auto.New(config)
		}
		if why := c.card.Reason(); why != "" {
			r.logLine("no sound here (" + why + "): playing on silently, and looking for a sound card")
		}
	default:
		config.Driver = spec.Kind
		card, err := auto.Find(config)
		if err != nil {
			return nil, &Error{Kind: Range, Field: "device", Detail: "device: " + spec.String() + ": no sound here (" + auto.Reason(err) + ")"}
		}
		c.card = card
	}
	if c.card != nil {
		c.device = c.card
	}
	if err := c.device.Start(c); err != nil {
		c.device.Close()
		return nil, err
	}
	go c.forward()
	return c, nil
}

// Render fills dst with the next frames of the mix, with all outputs interleaved. It then applies the output gate,
// which silences a room without a valid lease, and adds the length of dst to c.requestedFrames. If c.hasListeners is
// set, Render queues a copy for the listeners; if the queue is full, they get a gap. The device calls Render on the
// audio side, so it takes no lock.
func (c *deviceOutput) Render(dst []pcm.Frame) {
	c.room.current().player.Render(dst)
	c.room.gate.apply(dst, c.Outputs(), c.room.rate, time.Duration(c.latency.Load()))
	c.requestedFrames.Add(int64(len(dst)))
	if !c.hasListeners.Load() {
		return
	}
	wide := c.room.current().player.Outputs()
	frame := c.room.current().player.Mixer().Now() - int64(len(dst)/wide)
	for len(dst) > 0 {
		s := listenerBlock{frame: frame}
		s.n = copy(s.frames[:len(s.frames)/wide*wide], dst)
		ring.Push(c.queue, s) // if the ring is full, listeners get a gap
		dst = dst[s.n:]
		frame += int64(s.n / wide)
	}
}

// Outputs returns the number of stereo outputs in each block.
func (c *deviceOutput) Outputs() int { return c.room.current().player.Outputs() }

// Rate returns the sample rate of the room in Hz.
func (c *deviceOutput) Rate() int { return c.room.rate }

// forward passes the queued frames to the listeners every 10 ms (the constant mixInterval) until c.stop is closed; then
// it closes c.stopped. Each time it also sets two fields for Render: c.hasListeners, whether there are listeners, and
// c.latency, the latency of the device in nanoseconds. It runs on its own goroutine.
func (c *deviceOutput) forward() {
	defer close(c.stopped)
	ticker := time.NewTicker(mixInterval)
	defer ticker.Stop()
	for {
		c.hasListeners.Store(!c.room.listeners.empty())
		c.latency.Store(int64(pcm.Duration(int64(c.device.Latency()), c.device.Rate())))
		for s := ring.Front(c.queue); s != nil; s = ring.Front(c.queue) {
			c.room.listeners.broadcast(s.frames[:s.n], s.frame)
			ring.Drop(c.queue)
		}
		select {
		case <-c.stop:
			return
		case <-ticker.C:
		}
	}
}

// state returns the driver, the sink and the latency of the device. If the output does not reach a sound card, Lost is
// the reason; otherwise it is "". A null device always works.
func (c *deviceOutput) state() liveview.Output {
	h := liveview.Output{Device: c.kind, State: "playing", Latency: pcm.Duration(int64(c.device.Latency()), c.device.Rate())}
	if c.card != nil {
		h.Device, h.Sink, h.Lost = c.card.Driver(), c.card.Sink(), c.card.Reason()
	}
	return h
}

// close closes the device, ends the goroutine of forward and waits for its end. It returns the error of the device. It
// must be called once.
func (c *deviceOutput) close() error {
	err := c.device.Close()
	close(c.stop)
	<-c.stopped
	return err
}
