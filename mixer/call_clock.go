package mixer

import (
	"time"

	"voicepool/pcm"
)

// callClock maps the time of a call to a frame, so that calls keep their distances in time. The number of
// rendered frames grows by a block at a time, so it is closest to the clock just after a block. The
// mapping is the line through these points.
type callClock struct {
	lead       int64 // Config.Lead in frames; 0: off
	read       func() time.Duration
	started    bool
	offset     time.Duration // the frame time at clock time 0
	seenAt     time.Duration // the clock when the line was last lowered
	seenFrames int64         // the number of rendered frames at that time
	lastFrame  int64         // the last frame returned
}

// driftLimit limits how fast the line may fall: by 1/driftLimit of the elapsed time, which exceeds the
// drift between any two clocks.
const driftLimit = 2000

// newCallClock returns the clock that maps the time of a call to a frame, with the delay Config.Lead. It reads
// Config.Clock or, if that is nil, the system clock. The defaults of c must be filled in.
func newCallClock(c *Config) callClock {
	l := callClock{lead: pcm.Frames(c.Lead, c.Rate), read: c.Clock}
	if l.read == nil {
		begin := time.Now()
		l.read = func() time.Duration { return time.Since(begin) }
	}
	return l
}

// now returns the time of the clock, counted from any origin. If the clock of the user panics, it returns the last
// known time, because a command such as Stop must arrive anyway.
func (l *callClock) now() (t time.Duration) {
	defer func() {
		if recover() != nil {
			t = l.seenAt
		}
	}()
	return l.read()
}

// frame returns the frame of the mix where a call made now takes effect. This is the present frame by the clock, plus
// Config.Lead. rendered is the number of rendered frames, and rate is in Hz. The result never decreases. frame also
// adjusts the mapping of clock times to frames. The caller holds the mutex.
func (l *callClock) frame(rendered int64, rate int) int64 {
	now := l.now()
	top := pcm.Duration(rendered, rate) - now
	if !l.started {
		l.started, l.offset, l.seenAt = true, top, now
	}
	if rendered != l.seenFrames {
		l.offset -= (now - l.seenAt) / driftLimit
		l.seenAt, l.seenFrames = now, rendered
	}
	l.offset = max(l.offset, top)
	if l.offset > top+pcm.Duration(l.lead, rate) { // no rendering for a long time: restart the line
		l.offset = top
	}
	l.lastFrame = max(l.lastFrame, pcm.Frames(now+l.offset, rate)+l.lead)
	return l.lastFrame
}
