package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"voicepool/device"
	"voicepool/pcm"
	"voicepool/sounds"
	"voicepool/sounds/tone"
)

// Measured is what a driver did while it played. Times are in milliseconds, but for Seconds.
type Measured struct {
	Driver  string  `json:"driver"`
	Sink    string  `json:"sink"` // "" is not known
	Tone    bool    `json:"tone"`
	Seconds float64 `json:"seconds"`
	Frames  int64   `json:"frames"` // that the driver took
	Rate    int     `json:"rate"`
	Latency float64 `json:"latency_ms"`       // from a pull to the ear, the median
	Worst   float64 `json:"worst_latency_ms"` // the longest
	Asked   int     `json:"latency_asked"`    // how often the server was asked; 0: it is what the driver says, at the most
	Gaps    int     `json:"gaps"`
	Longest float64 `json:"longest_pause_ms"` // between two pulls
}

const (
	// glance is how often a driver is looked at.
	glance = 20 * time.Millisecond
	// asking is how often a server is asked.
	asking = 100 * time.Millisecond
	// stuck is for how long a driver may take nothing when it has nothing left to play.
	stuck = 2 * time.Second
	// still is for how long it may do so at the end.
	still = 250 * time.Millisecond
)

// listen plays for the time of Listening, and measures. The error says why nothing is heard at
// the end; then what was measured may be nil.
func listen(ctx context.Context, p Player, o Options) (*Measured, error) {
	s, err := newSource(p.Rate(), o.Tone, pcm.Duration(int64(p.Latency()), p.Rate()))
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	if err := p.Start(s); err != nil {
		return nil, err
	}
	l := listener{player: p, moved: begin}
	err = l.run(ctx, begin, o.Told)
	m := &Measured{
		Tone: o.Tone, Seconds: time.Since(begin).Round(time.Millisecond).Seconds(),
		Frames: p.Frames(), Rate: p.Rate(), Asked: len(l.latencies),
	}
	m.Gaps, m.Longest = s.pauses()
	if u, ok := p.(interface{ Underflows() int64 }); ok {
		m.Gaps = max(m.Gaps, int(u.Underflows()))
	}
	if len(l.latencies) == 0 {
		told := device.LatenciesOf(p)
		l.latencies = []time.Duration{told.Driver + told.Server}
	}
	slices.Sort(l.latencies)
	m.Latency, m.Worst = ms(l.latencies[len(l.latencies)/2]), ms(l.latencies[len(l.latencies)-1])
	return m, err
}

// ms is a time in milliseconds, to a tenth.
func ms(d time.Duration) float64 { return float64(d.Round(100*time.Microsecond).Microseconds()) / 1000 }

// listener looks at a player while it plays.
type listener struct {
	player    Player
	frames    int64
	moved     time.Time // when frames was another number
	latencies []time.Duration
}

func (l *listener) run(ctx context.Context, begin time.Time, told func(string, ...any)) error {
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	for asked := begin; ; {
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
		quiet, played := now.Sub(l.moved)-l.held(), now.Sub(begin)
		switch {
		case quiet > stuck, played >= Listening && quiet > still:
			return l.stall()
		case played >= Listening:
			return nil
		case now.Sub(asked) >= asking:
			asked = now
			told("listening, %.1f of %.0f s", played.Seconds(), Listening.Seconds())
			if played >= Listening/10 { // the first frames only fill what the server holds
				l.ask()
			}
		}
	}
}

// held is how long what the player holds at the most lasts.
func (l *listener) held() time.Duration {
	return pcm.Duration(int64(l.player.Latency()), l.player.Rate())
}

// ask asks the server how long a frame takes, where the player can.
func (l *listener) ask() {
	if p, ok := l.player.(interface {
		Measure() (device.Latencies, error)
	}); ok {
		if got, err := p.Measure(); err == nil {
			l.latencies = append(l.latencies, got.Driver+got.Server)
		}
	}
}

// errSuspended is the error of a sink that the server has put to rest.
var errSuspended = errors.New("the sink is suspended")

// stall returns why the player takes nothing.
func (l *listener) stall() error {
	if s, ok := l.player.(interface{ Suspended() bool }); ok && s.Suspended() {
		return errSuspended
	}
	if l.frames <= int64(l.player.Latency()) {
		return stallError("it was opened, and has taken nothing since")
	}
	return stallError(fmt.Sprintf("it has taken nothing for %.1f s", time.Since(l.moved).Seconds()))
}

// stallError is the error of a player that takes no frames.
type stallError string

func (e stallError) Error() string { return string(e) }

// source is what is played, and notes when it is pulled from.
type source struct {
	tone sounds.FrameReader // nil: silence
	rate int
	held time.Duration // what the player holds lasts as long

	mutex   sync.Mutex
	frames  int64
	last    time.Time
	longest time.Duration // between two pulls
	gaps    int           // pauses that were longer than held
}

func newSource(rate int, audible bool, held time.Duration) (*source, error) {
	s := &source{rate: rate, held: held}
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

// Render renders the tone, for a second each on the left, on the right, and on both; or silence.
func (s *source) Render(dst []pcm.Frame) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	now := time.Now()
	if pause := now.Sub(s.last); s.frames > 0 {
		s.longest = max(s.longest, pause)
		if pause > s.held {
			s.gaps++
		}
	}
	s.last = now
	if s.tone == nil {
		clear(dst)
		s.frames += int64(len(dst))
		return
	}
	n, _ := s.tone.Read(dst) // has no end
	clear(dst[n:])
	for i := range dst {
		left, right := s.gains()
		dst[i] = pcm.Frame{float32(dst[i][0] * left), float32(dst[i][1] * right)}
		s.frames++
	}
}

// gains returns the gains of the next frame: each second fades in and out over 20 ms.
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

// Rate returns the frames per second that Render makes.
func (s *source) Rate() int { return s.rate }

// pauses returns how many gaps there were, and the longest time between two pulls in
// milliseconds.
func (s *source) pauses() (gaps int, longest float64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.gaps, ms(s.longest)
}
