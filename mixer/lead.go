package mixer

import (
	"time"

	"voicepool/pcm"
)

// lead gives calls of now a frame of their own, so that their distances in time
// are kept. Rendered frames move on in steps of a block, just after which they
// are nearest to the clock: so the line through the tops of the steps is where
// the clock is in frames.
type lead struct {
	frames int64 // how long after the call; 0: off
	clock  func() time.Duration
	begun  bool
	offset time.Duration // of the line: its time is that of the clock, and offset
	seen   time.Duration // the clock when the line last sank
	block  int64         // the frame rendered then: between two blocks it stays
	last   int64         // the last frame given
}

// leadLeak is how fast the line may sink, a share of the time: more than the
// difference of any two clocks.
const leadLeak = 2000

func newLead(c *Config) lead {
	l := lead{frames: pcm.Frames(c.Lead, c.Rate), clock: c.Clock}
	if l.clock == nil {
		begin := time.Now()
		l.clock = func() time.Duration { return time.Since(begin) }
	}
	return l
}

// now returns the time of the clock. One that panics stands still: a Stop must arrive
// all the same.
func (l *lead) now() (t time.Duration) {
	defer func() {
		if recover() != nil {
			t = l.seen
		}
	}()
	return l.clock()
}

// frame returns the frame of a call that is made now, when all before the frame
// rendered has been mixed. Frames never fall.
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
	if l.offset > top+pcm.Duration(l.frames, rate) { // nothing has been rendered for long: the line begins anew
		l.offset = top
	}
	l.last = max(l.last, pcm.Frames(now+l.offset, rate)+l.frames)
	return l.last
}

// Latency is where a call of now, and a sound, spend their time on the way to the
// device; what the device adds it says itself.
type Latency struct {
	Lead    time.Duration // Config.Lead: from a call to the frame at which it acts
	Block   time.Duration // the longest block that Render was asked for until now: without a Lead a call waits for the next one
	Limiter time.Duration // the look-ahead: from the frame at which something acts until it comes out of Render
}

// Latency returns what the mixer adds to the time from a call until it is heard.
// Control side.
func (m *Mixer) Latency() Latency {
	return Latency{
		Lead: pcm.Duration(m.lead.frames, m.rate), Block: pcm.Duration(m.longest.Load(), m.rate), Limiter: pcm.Duration(int64(m.latency), m.rate),
	}
}
