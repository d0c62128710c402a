// Package callclock maps the time of a call to a frame of a mixer, so that calls keep their distances in time.
package callclock

import (
	"time"

	"voicepool/pcm"
)

// Clock maps the time of a call to a frame. The number of rendered frames grows by a block at a time, so it is closest
// to the clock just after a block. The mapping is the line through these points. Create it with New. It belongs to the
// control side of the mixer, under the mutex.
type Clock struct {
	Lead int64 // the delay from a call to its frame, in frames; 0: off. It is constant

	rate       int
	read       func() time.Duration
	started    bool
	offset     time.Duration // the frame time at clock time 0
	seenAt     time.Duration // the clock when the line was last lowered
	seenFrames int64         // the number of rendered frames at that time
	lastFrame  int64         // the last frame returned
}

// driftLimit limits how fast the line may fall: by 1/driftLimit of the elapsed time, which exceeds the drift between
// any two clocks.
const driftLimit = 2000

// New returns the clock for calls with the given delay, at a rate in Hz. It reads the time from read, counted from any
// origin, or from the system clock if read is nil.
func New(lead time.Duration, rate int, read func() time.Duration) Clock {
	if read == nil {
		begin := time.Now()
		read = func() time.Duration { return time.Since(begin) }
	}
	return Clock{Lead: pcm.Frames(lead, rate), rate: rate, read: read}
}

// now returns the time of the clock. If read panics, it returns the last known time, because a command such as a stop
// must arrive anyway.
func (c *Clock) now() (t time.Duration) {
	defer func() {
		if recover() != nil {
			t = c.seenAt
		}
	}()
	return c.read()
}

// Frame returns the frame of the mix where a call made now takes effect. This is the present frame by the clock, plus
// the lead. rendered is the number of rendered frames. The result never decreases. Frame also adjusts the mapping of
// clock times to frames.
func (c *Clock) Frame(rendered int64) int64 {
	now := c.now()
	top := pcm.Duration(rendered, c.rate) - now
	if !c.started {
		c.started, c.offset, c.seenAt = true, top, now
	}
	if rendered != c.seenFrames {
		c.offset -= (now - c.seenAt) / driftLimit
		c.seenAt, c.seenFrames = now, rendered
	}
	c.offset = max(c.offset, top)
	if c.offset > top+pcm.Duration(c.Lead, c.rate) { // no rendering for a long time: restart the line
		c.offset = top
	}
	c.lastFrame = max(c.lastFrame, pcm.Frames(now+c.offset, c.rate)+c.Lead)
	return c.lastFrame
}
