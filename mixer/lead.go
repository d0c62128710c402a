package mixer

import (
	"time"

	"voicepool/pcm"
)

// lead maps the time of a call to a frame, so that calls keep their distances in time. The number of
// rendered frames grows by a block at a time, so it is closest to the clock just after a block. The
// mapping is the line through these points.
type lead struct {
	frames int64 // Config.Lead in frames; 0: off
	clock  func() time.Duration
	begun  bool
	offset time.Duration // the frame time at clock time 0
	seen   time.Duration // the clock when the line was last lowered
	block  int64         // the number of rendered frames at that time
	last   int64         // the last frame returned
}

// leadLeak limits how fast the line may fall: by 1/leadLeak of the elapsed time, which exceeds the drift
// between any two clocks.
const leadLeak = 2000

func newLead(c *Config) lead {
	l := lead{frames: pcm.Frames(c.Lead, c.Rate), clock: c.Clock}
	if l.clock == nil {
		begin := time.Now()
		l.clock = func() time.Duration { return time.Since(begin) }
	}
	return l
}

// now returns the time of the clock. If the clock panics, it returns the last time, because a Stop must
// arrive anyway.
func (l *lead) now() (t time.Duration) {
	defer func() {
		if recover() != nil {
			t = l.seen
		}
	}()
	return l.clock()
}

// frame returns the frame for a call made now. rendered is the number of rendered frames. The result
// never decreases.
func (l *lead) frame(rendered int64, rate int) int64 {
	now := l.now()
	top := pcm.Duration(rendered, rate) - now
	if !l.begun {
		l.begun, l.offset, l.seen = true, top, now
	}
	if rendered != l.block {
		l.offset -= (now - l.seen) / leadLeak
		l.seen, l.block = now, rendered
	}
	l.offset = max(l.offset, top)
	if l.offset > top+pcm.Duration(l.frames, rate) { // no rendering for a long time: restart the line
		l.offset = top
	}
	l.last = max(l.last, pcm.Frames(now+l.offset, rate)+l.frames)
	return l.last
}

// Latency lists the delays that the mixer adds. The device adds its own latency.
type Latency struct {
	Lead    time.Duration // Config.Lead: from a call to its frame
	Block   time.Duration // the longest block up to now: without a Lead, a call waits for the next block
	Limiter time.Duration // the lookahead: from a frame of the mix to the output of Render
}

// Latency returns the delays from a call to the output of Render. Control side.
func (m *Mixer) Latency() Latency {
	return Latency{
		Lead: pcm.Duration(m.lead.frames, m.rate), Block: pcm.Duration(m.longest.Load(), m.rate), Limiter: pcm.Duration(int64(m.latency), m.rate),
	}
}
