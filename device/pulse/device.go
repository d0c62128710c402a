//go:build (linux || freebsd || netbsd || openbsd || dragonfly) && !android

package pulse

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jfreymuth/pulse/proto"

	"voicepool/device"
	"voicepool/device/internal/native"
	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

const (
	frameBytes = 8 // two float32 of one output

	// blockFrames is the number of frames per Render.
	blockFrames = 256

	// stall is the time without requests by the server after which the device renders in its place.
	stall = 500 * time.Millisecond
)

// Device is a stream of a sound server. Its methods may be called by any goroutine, but not from within Render.
type Device struct {
	config     Config
	size       int64 // bytes of a frame of all outputs
	conn       *native.Conn
	stream     uint32
	configSink uint32 // index of the sink in Config.Sink
	lifecycle  pace.Lifecycle

	requestedBytes atomic.Int64  // bytes that the server has requested
	requested      chan struct{} // has one value when requestedBytes has grown
	frames         atomic.Int64
	underflows     atomic.Int64
	suspended      atomic.Bool
	created        time.Time
	idleSince      atomic.Int64 // time since created; 0: the device is not idle
	once           sync.Once
	lost           chan struct{}

	mu        sync.Mutex
	err       error
	sink      string
	latencies device.Latencies
}

var _ device.Device = (*Device)(nil)

// newDevice returns a device without a connection for a configuration with defaults filled in.
func newDevice(c Config) *Device {
	return &Device{config: c, size: int64(c.Outputs) * frameBytes, created: time.Now(), requested: make(chan struct{}, 1), lost: make(chan struct{})}
}

// client returns the description of the device for the server.
func (d *Device) client() native.Client {
	return native.Client{Name: d.config.Name, Icon: d.config.Icon, OnMessage: d.handleMessage, OnClose: d.fail}
}

// handleMessage handles a message of the server: a request for bytes, an underflow, or a suspended, moved or killed
// stream. Other messages are ignored.
func (d *Device) handleMessage(message any) {
	switch m := message.(type) {
	case *proto.Request:
		d.addRequest(m.Length)
	case *proto.Underflow:
		d.underflows.Add(1)
	case *proto.PlaybackStreamSuspended:
		d.suspended.Store(m.Suspended)
	case *proto.PlaybackStreamMoved:
		left := d.Sink()
		d.setSink(m.DestName, m.BufferTargetLength, m.SinkLatency, m.Suspended)
		if d.config.Sink != "" && m.DestIndex != d.configSink || d.config.Outputs > 1 {
			go d.checkMove(left, m.DestIndex) // this callback must not send requests; Close ends the connection, and with it the goroutine
		}
	case *proto.PlaybackStreamKilled:
		d.fail(goneError(d.Sink()))
	}
}

// checkMove runs after the server has moved the stream from the sink left to the sink with index moved. It ends
// the device if Config.Sink was removed, or if the new sink has too few channels. If Config.Sink still exists,
// the user moved the stream. The error begins with the removed sink.
func (d *Device) checkMove(left string, moved uint32) {
	var sinks proto.GetSinkInfoListReply
	if err := d.conn.Request(&proto.GetSinkInfoList{}, &sinks); err != nil {
		return // other code detects a closed or hung server
	}
	exists := func(match func(s *proto.GetSinkInfoReply) bool) bool { return slices.ContainsFunc(sinks, match) }
	if d.config.Sink != "" && !exists(func(s *proto.GetSinkInfoReply) bool { return s.SinkIndex == d.configSink }) {
		d.fail(goneError(d.config.Sink))
		return
	}
	i := slices.IndexFunc(sinks, func(s *proto.GetSinkInfoReply) bool { return s.SinkIndex == moved })
	if i < 0 {
		return // removed, too: the server moves the stream again, or ends it
	}
	err := d.config.checkChannels(sinks[i])
	if err == nil {
		return
	}
	if !exists(func(s *proto.GetSinkInfoReply) bool { return s.SinkName == left }) {
		err = fmt.Errorf("%w, and %w", goneError(left), err)
	}
	d.fail(err)
}

// addRequest adds bytes to the number of bytes that the server requests, and wakes the feeder.
func (d *Device) addRequest(bytes uint32) {
	d.requestedBytes.Add(int64(bytes))
	select {
	case d.requested <- struct{}{}:
	default:
	}
}

// setSink records the name of the stream's sink and its latencies: held bytes in the stream's buffer, and the
// latency of the sink in the server.
func (d *Device) setSink(sink string, held uint32, server proto.Microseconds, suspended bool) {
	d.suspended.Store(suspended)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sink = sink
	d.latencies = device.Latencies{
		Driver: pcm.Duration(int64(held)/d.size, d.config.Rate),
		Server: time.Duration(server) * time.Microsecond,
	}
}

// fail records the error that ended the stream. Later errors are ignored.
func (d *Device) fail(err error) {
	d.once.Do(func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.err = fmt.Errorf("pulse: %w", err)
		close(d.lost)
	})
}

// Start begins to play src, from a goroutine that lives until Close.
func (d *Device) Start(src device.Source) error {
	return d.lifecycle.Start(src, d.config.Rate, d.config.Outputs, func() {
		sleeper, _ := src.(device.Sleeper)
		feeder := &feeder{
			Device: d, src: src, sleeper: sleeper,
			block: make([]pcm.Frame, blockFrames*d.config.Outputs), bytes: make([]byte, blockFrames*d.size),
		}
		d.lifecycle.Go(feeder.run)
	})
}

// Outputs returns the number of outputs of the stream.
func (d *Device) Outputs() int { return d.config.Outputs }

// Rate returns Config.Rate.
func (d *Device) Rate() int { return d.config.Rate }

// Latency returns the maximum number of frames that the server holds, as the server reported it.
func (d *Device) Latency() int {
	l := d.Latencies()
	return int(pcm.Frames(l.Driver+l.Server, d.config.Rate))
}

// Latencies returns the parts of Latency: frames that the server holds of the stream, and of the sink.
func (d *Device) Latencies() device.Latencies {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.latencies
}

// Sink returns the name of the sink that the stream currently plays on. The user may move it.
func (d *Device) Sink() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sink
}

// Frames returns the number of frames that the server has received. While it requests none, the device renders
// in its place, and Frames does not change. While the source sleeps, Frames advances with the clock.
func (d *Device) Frames() int64 {
	frames := d.frames.Load()
	if since := d.idleSince.Load(); since != 0 {
		frames += pcm.Frames(time.Since(d.created.Add(time.Duration(since))), d.config.Rate)
	}
	return frames
}

// Underflows returns the number of times that the server ran out of frames because the source was late.
func (d *Device) Underflows() int64 { return d.underflows.Load() }

// Suspended reports whether the server has suspended the sink. The server may resume it.
func (d *Device) Suspended() bool { return d.suspended.Load() }

// Lost is closed when the server or the stream is gone; Err then returns the cause. The device cannot recover:
// open another one.
func (d *Device) Lost() <-chan struct{} { return d.lost }

// Err returns the error that ended the stream, or nil. The device still pulls from the source in time.
func (d *Device) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}

// Close stops playing immediately: the last Latency frames may be lost. It returns nil, and does not wait for
// the server.
func (d *Device) Close() error {
	d.lifecycle.Close(func() { d.conn.Close() })
	return nil
}

// feeder pulls from a source for a device.
type feeder struct {
	*Device
	src     device.Source
	sleeper device.Sleeper // src, or nil if it cannot sleep
	silent  int64          // number of silent frames at the end of the rendered audio
	stop    <-chan struct{}
	block   []pcm.Frame // of all outputs
	bytes   []byte
}

// run sends the frames that the server requests. While the server requests none, it renders and discards frames
// in time.
func (f *feeder) run(stop <-chan struct{}) {
	f.stop = stop
	last := time.Now()
	f.feed()
	// Close ends the connection, and with it this goroutine.
	go f.uncork()
	idle := time.NewTimer(stall)
	defer idle.Stop()
	for {
		select {
		case <-f.stop:
			return
		case <-f.requested:
			f.feed()
			if f.putToSleep() {
				f.sleepUntilWake()
			}
			last = time.Now()
		case <-f.lost:
			f.renderDiscarded(last, true)
			return
		case <-idle.C:
			f.renderDiscarded(last, false)
			last = time.Now()
		}
		idle.Reset(stall)
	}
}

// uncork uncorks the stream.
func (f *feeder) uncork() {
	if err := f.conn.Request(&proto.CorkPlaybackStream{StreamIndex: f.stream}, nil); err != nil {
		f.fail(f.conn.Explain(err))
	}
}

// feed renders and sends all requested frames, in blocks of up to blockFrames, until the request is less than a
// frame or the device closes.
func (f *feeder) feed() {
	for f.requestedBytes.Load() >= f.size {
		select {
		case <-f.stop:
			return
		default:
		}
		f.render(min(f.requestedBytes.Load()/f.size, blockFrames))
	}
}

// render renders and sends a number of frames of each output, at most blockFrames, and subtracts them from the
// request. They count as received only if the connection is open. It also counts silent frames.
func (f *feeder) render(frames int64) {
	block, bytes := f.block[:frames*int64(f.config.Outputs)], f.bytes[:frames*f.size]
	f.src.Render(block)
	heard := uint32(0)
	for i, x := range block {
		left, right := math.Float32bits(x[0]), math.Float32bits(x[1])
		binary.LittleEndian.PutUint32(bytes[frameBytes*i:], left)
		binary.LittleEndian.PutUint32(bytes[frameBytes*i+4:], right)
		heard |= left | right
	}
	if f.silent += frames; heard != 0 {
		f.silent = 0
	}
	if f.conn.Send(f.stream, bytes) {
		f.frames.Add(frames)
	}
	f.requestedBytes.Add(-frames * f.size)
}

// renderDiscarded renders and discards blocks in real time, from the server's last request until its next one, or until
// the device closes if forever is set. The server's buffer remains ahead of time, as before.
func (f *feeder) renderDiscarded(last time.Time, forever bool) {
	clock := pace.NewClock(last, f.config.Rate, blockFrames)
	for clock.Wait(f.stop) && (forever || f.requestedBytes.Load() < f.size) {
		f.src.Render(f.block)
	}
}
