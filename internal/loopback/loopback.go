// Package loopback measures the time from the start of a sound until it arrives in a recording of the sound server:
//
//	l, err := loopback.Listen(ctx, "") // the monitor of the default sink
//	defer l.Close()
//	r, err := l.Measure(ctx, 200, 150*time.Millisecond, play)
//
// The recording is a monitor of a sink, or a microphone or cable at the output. It requests no latency; otherwise the
// sink would reduce its own. A result is the time when the server passed on the block with the first sample, so it is
// never too short.
package loopback

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jfreymuth/pulse"
	"github.com/jfreymuth/pulse/proto"

	"voicepool/internal/lateness"
)

const (
	rate    = 48000                 // of the recording, in Hz
	quiet   = rate / 20             // frames below the threshold before a sound can begin
	timeout = time.Second           // for a start to be recorded, and for an answer of the server
	jitter  = 40 * time.Millisecond // the longest random part of the rest before a start
	// loud is the threshold of an onset, as a linear factor of full scale.
	loud = 0.05
)

// monitorSuffix ends the names of monitors.
const monitorSuffix = ".monitor"

// Server is a sound server.
type Server struct {
	Name    string // the program and its version
	Capture string // the default source, if it is a microphone or a cable; "" if it is a monitor or missing
}

// connectTimeout is the time limit of a connection to the sound server.
const connectTimeout = 2 * time.Second

// errConnect is the error of connect after connectTimeout.
var errConnect = fmt.Errorf("the sound server does not accept a connection within %v", connectTimeout)

// dial connects to the sound server of the environment, without a time limit.
func dial() (*pulse.Client, error) {
	return pulse.NewClient(pulse.ClientApplicationName("voicepool"), pulse.ClientTimeout(timeout))
}

// connect returns what dial returns. If dial takes longer than 2 s, or ctx ends, connect returns an error, and dial
// continues on its goroutine. A client that comes later is closed.
func connect[C interface{ Close() }](ctx context.Context, dial func() (C, error)) (client C, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, connectTimeout, errConnect)
	defer cancel()
	done := make(chan func() (C, error))
	go func() {
		c, err := dial()
		select {
		case done <- func() (C, error) { return c, err }:
		case <-ctx.Done():
			if err == nil {
				c.Close()
			}
		}
	}()
	select {
	case result := <-done:
		return result()
	case <-ctx.Done():
		return client, context.Cause(ctx)
	}
}

// Find connects to the sound server of the environment and describes it. It waits at most 2 s for the connection and a
// second for the answer. If ctx ends while it connects, it returns the cause.
func Find(ctx context.Context) (Server, error) {
	c, err := connect(ctx, dial)
	if err != nil {
		return Server{}, err
	}
	defer c.Close()
	var info proto.GetServerInfoReply
	if err := c.RawRequest(&proto.GetServerInfo{}, &info); err != nil {
		return Server{}, err
	}
	s := Server{Name: strings.TrimSpace(info.PackageName + " " + info.PackageVersion)}
	if !strings.HasSuffix(info.DefaultSourceName, monitorSuffix) {
		s.Capture = info.DefaultSourceName
	}
	return s, nil
}

// Monitor returns the name of the source that records the output of a sink.
func Monitor(sink string) string { return sink + monitorSuffix }

// Listener records a source and notes when a sound begins after 50 ms of quiet. Its methods belong to one goroutine.
type Listener struct {
	client *pulse.Client
	onsets chan time.Time
	meter
}

// meter finds onsets in the recorded blocks.
type meter struct {
	quiet     int           // frames since the last loud frame
	threshold atomic.Uint32 // of an onset, in millionths of full scale
	peak      atomic.Uint32 // the largest sample since the last reset, in millionths of full scale
}

// millionths converts a sample to millionths of full scale, at most 4,000 times full scale.
func millionths(x float32) uint32 { return uint32(min(max(x, -x), 4000) * 1e6) }

// onset adds a block of one channel and reports whether a sound begins in it.
func (m *meter) onset(block []float32) bool {
	var peak uint32
	for _, x := range block {
		peak = max(peak, millionths(x))
	}
	m.peak.Store(max(m.peak.Load(), peak))
	if peak <= m.threshold.Load() {
		m.quiet += len(block)
		return false
	}
	began := m.quiet > quiet
	m.quiet = 0
	return began
}

// Listen records a source of the sound server until Close: the one with this name, or for "" the monitor of the
// default sink. It waits at most 2 s for the connection and a second per answer. If ctx ends while it connects, it
// returns the cause.
func Listen(ctx context.Context, source string) (*Listener, error) {
	client, err := connect(ctx, dial)
	if err != nil {
		return nil, err
	}
	l := &Listener{client: client, onsets: make(chan time.Time, 16)}
	l.threshold.Store(millionths(loud))
	if err := l.record(source); err != nil {
		client.Close()
		return nil, err
	}
	return l, nil
}

// record starts the recording stream of l.
func (l *Listener) record(source string) error {
	if source == "" {
		sink, err := l.client.DefaultSink()
		if err != nil {
			return err
		}
		source = Monitor(sink.ID())
	}
	from, err := l.client.SourceByID(source)
	if err != nil {
		return fmt.Errorf("source %q: %w", source, err)
	}
	stream, err := l.client.NewRecord(pulse.Float32Writer(func(block []float32) (int, error) {
		now := time.Now()
		if l.onset(block) {
			select {
			case l.onsets <- now:
			default: // Measure is not running
			}
		}
		return len(block), nil
	}), pulse.RecordSource(from), pulse.RecordSampleRate(rate), pulse.RecordBufferFragmentSize(48*4))
	if err != nil {
		return fmt.Errorf("source %q: %w", source, err)
	}
	stream.Start()
	return nil
}

// Close ends the recording.
func (l *Listener) Close() { l.client.Close() }

// ErrNoise is the error of Calibrate at a source that is never quiet.
var ErrNoise = errors.New("the recording is too loud for a measurement; want silence at the microphone")

// Calibrate listens to the noise of the source for a time, and sets the threshold of an onset to four times its peak,
// at least to 1 % of full scale.
func (l *Listener) Calibrate(ctx context.Context, d time.Duration) error {
	l.peak.Store(0)
	if err := wait(ctx, d); err != nil {
		return err
	}
	threshold := max(4*l.peak.Load(), millionths(0.01))
	if threshold > millionths(0.5) {
		return ErrNoise
	}
	l.threshold.Store(threshold)
	return nil
}

// Result holds the latencies of starts, shortest first.
type Result struct {
	Heard   []time.Duration // from each start until it was heard
	Judged  []time.Duration // the same without the time that a control lost; see package lateness
	Unheard int             // starts that were not heard within a second
}

// Measure calls play some times, at random times from a fixed seed, and returns how long each start took to be heard.
// Before each start it waits for the duration rest and up to 40 ms. If ctx ends or play fails, it returns the
// latencies until then and the error.
func (l *Listener) Measure(ctx context.Context, starts int, rest time.Duration, play func() error) (r Result, err error) {
	random := rand.New(rand.NewPCG(1, 1))
	control := lateness.Start()
	defer control.Stop()
	for range starts {
		if err = wait(ctx, rest+time.Duration(random.Int64N(int64(jitter)))); err != nil {
			break
		}
		for len(l.onsets) > 0 {
			<-l.onsets
		}
		begin := time.Now()
		if err = play(); err != nil {
			break
		}
		select {
		case at := <-l.onsets:
			r.Heard, r.Judged = append(r.Heard, at.Sub(begin)), append(r.Judged, at.Sub(begin)-control.Lost(begin, at))
		case <-time.After(timeout):
			r.Unheard++
		}
	}
	slices.Sort(r.Heard)
	slices.Sort(r.Judged)
	return r, err
}

// wait waits for a duration, or until ctx ends, whose cause it returns.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
