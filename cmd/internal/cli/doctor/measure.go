package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"voicepool/device"
	"voicepool/pcm"
	"voicepool/sounds/library"
	"voicepool/sounds/tone"
)

// Measured holds the measurements of a driver. Times are in milliseconds, except Seconds.
type Measured struct {
	Driver  string  `json:"driver"`
	Sink    string  `json:"sink"` // "" if unknown
	Tone    bool    `json:"tone"`
	Seconds float64 `json:"seconds"`
	Frames  int64   `json:"frames"` // accepted by the driver
	Rate    int     `json:"rate"`
	Latency float64 `json:"latency_ms"`       // from a pull to the ear, the median
	Worst   float64 `json:"worst_latency_ms"` // the longest
	Queries int     `json:"latency_asked"`    // number of latency requests to the server; 0: an upper bound from the driver
	Gaps    int     `json:"gaps"`
	Longest float64 `json:"longest_pause_ms"` // between two pulls
}

const (
	// checkInterval is the interval between checks of a driver.
	checkInterval = 20 * time.Millisecond
	// queryInterval is the interval between latency requests.
	queryInterval = 100 * time.Millisecond
	// stallTimeout is how long a driver may take no frames after its buffer has run out.
	stallTimeout = 2 * time.Second
	// finalStallTimeout is the same limit at the end of the measurement.
	finalStallTimeout = 250 * time.Millisecond
)

// measure plays on p for 5 s and returns the measured latencies and gaps. It ends earlier if p fails, takes no frames
// for too long, or ctx ends. The error is then the reason, or the cause of ctx. Even with an error the measurements
// are valid, except if p did not start; then they are nil. measure does not close p. o.Tone selects a tone or silence.
func measure(ctx context.Context, p Player, o Options) (*Measured, error) {
	s, err := newSource(p.Rate(), o.Tone, pcm.Duration(int64(p.Latency()), p.Rate()))
	if err != nil {
		return nil, err
	}
	start := time.Now()
	if err := p.Start(s); err != nil {
		return nil, err
	}
	l := listener{player: p, moved: start}
	err = l.run(ctx, start, o.Progress)
	m := &Measured{
		Tone: o.Tone, Seconds: time.Since(start).Round(time.Millisecond).Seconds(),
		Frames: p.Frames(), Rate: p.Rate(), Queries: len(l.latencies),
	}
	pulled := s.pulls.Totals()
	m.Gaps, m.Longest = pulled.Gaps, Milliseconds(pulled.Longest)
	if u, ok := p.(interface{ Underflows() int64 }); ok {
		m.Gaps = max(m.Gaps, int(u.Underflows()))
	}
	if len(l.latencies) == 0 {
		latencies := device.LatenciesOf(p)
		l.latencies = []time.Duration{latencies.Driver + latencies.Server}
	}
	slices.Sort(l.latencies)
	m.Latency, m.Worst = Milliseconds(l.latencies[len(l.latencies)/2]), Milliseconds(l.latencies[len(l.latencies)-1])
	return m, err
}

// Milliseconds converts d to milliseconds, rounded to a tenth.
func Milliseconds(d time.Duration) float64 {
	return float64(d.Round(100*time.Microsecond).Microseconds()) / 1000
}

// listener measures a player while it plays.
type listener struct {
	player    Player
	frames    int64
	moved     time.Time // the last time frames changed
	latencies []time.Duration
}

// run watches the player while it plays, and appends its latencies to l.latencies. It returns nil 5 s after start. It
// returns earlier with the error of the player, with the reason if the player takes no frames for too long, or with
// the cause of ctx. The function progress receives the progress, one line at a time.
func (l *listener) run(ctx context.Context, start time.Time, progress func(string, ...any)) error {
	ticker := time.NewTicker(checkInterval)
	defer ticker.Stop()
	for lastQuery := start; ; {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
		now := time.Now()
		if err := l.player.Err(); err != nil {
			return err
		}
		if frames := l.player.Frames(); frames != l.frames {
			l.frames, l.moved = frames, now
		}
		quiet, played := now.Sub(l.moved)-l.bufferDuration(), now.Sub(start)
		switch {
		case quiet > stallTimeout, played >= Listening && quiet > finalStallTimeout:
			return l.stallReason()
		case played >= Listening:
			return nil
		case now.Sub(lastQuery) >= queryInterval:
			lastQuery = now
			progress("listening, %.1f of %.0f s", played.Seconds(), Listening.Seconds())
			if played >= Listening/10 { // the first frames only fill the server's buffer
				l.queryLatency()
			}
		}
	}
}

// bufferDuration returns how long the player can play from its full buffer.
func (l *listener) bufferDuration() time.Duration {
	return pcm.Duration(int64(l.player.Latency()), l.player.Rate())
}

// queryLatency requests the latency from the sound server and appends it to l.latencies. If the player does not
// support that or the request fails, it has no effect.
func (l *listener) queryLatency() {
	if p, ok := l.player.(interface {
		Measure() (device.Latencies, error)
	}); ok {
		if got, err := p.Measure(); err == nil {
			l.latencies = append(l.latencies, got.Driver+got.Server)
		}
	}
}

// errSuspended is the error of a suspended sink.
var errSuspended = errors.New("the sink is suspended")

// stallReason returns the error for a player that takes no frames. It is errSuspended if the sink of the player is
// suspended. Otherwise it is a stallError that describes since when.
func (l *listener) stallReason() error {
	if s, ok := l.player.(interface{ Suspended() bool }); ok && s.Suspended() {
		return errSuspended
	}
	if l.frames <= int64(l.player.Latency()) {
		return stallError("it has not taken a frame since it was opened")
	}
	return stallError(fmt.Sprintf("it has not taken a frame for %.1f s", time.Since(l.moved).Seconds()))
}

// stallError is the error of a player that takes no frames.
type stallError string

// Error returns the text.
func (e stallError) Error() string { return string(e) }

// source plays a tone or silence and measures the times of its pulls.
type source struct {
	tone   library.FrameReader // nil: silence
	rate   int
	frames int64 // rendered
	pulls  *Pulls
}

// newSource returns a source that measures when a player calls it. It plays a tone of 440 Hz if audible is true,
// otherwise silence. The parameter rate is in Hz. The parameter bufferTime is the duration of the player's buffer: a
// longer pause between two calls of Render counts as a gap.
func newSource(rate int, audible bool, bufferTime time.Duration) (*source, error) {
	s := &source{rate: rate, pulls: NewPulls(bufferTime)}
	if !audible {
		return s, nil
	}
	a, err := tone.Signal{Hertz: 440}.Source(rate)
	if err != nil {
		return nil, err
	}
	s.tone, err = a.Open()
	return s, err
}

// Render fills dst with the next frames of the test signal: silence, or a tone in turn for a second on the left, on
// the right, and on both channels. It records the time since the last call, and counts a gap if that was too long.
func (s *source) Render(dst []pcm.Frame) {
	s.pulls.Note(time.Now(), len(dst))
	if s.tone == nil {
		clear(dst)
		return
	}
	n, _ := s.tone.Read(dst) // it is endless
	clear(dst[n:])
	for i := range dst {
		left, right := s.gains()
		dst[i] = pcm.Frame{float32(dst[i][0] * left), float32(dst[i][1] * right)}
		s.frames++
	}
}

// gains returns the linear gains of the tone, left and right, for the next frame. The tone changes its side every
// second and fades in and out over 20 ms in each.
func (s *source) gains() (left, right float32) {
	second, in := s.frames/int64(s.rate), s.frames%int64(s.rate)
	ramp := int64(s.rate/50) + 1
	gain := float32(min(in, int64(s.rate)-1-in, ramp)) / float32(ramp)
	switch second % 3 {
	case 0:
		return gain, 0
	case 1:
		return 0, gain
	}
	return gain, gain
}

// Rate returns the sample rate in Hz.
func (s *source) Rate() int { return s.rate }
