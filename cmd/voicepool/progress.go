package main

import (
	"fmt"
	"math"
	"time"

	"voicepool/cmd/internal/bar"
	"voicepool/cue"
)

// progress shows on a terminal, in one line that replaces itself, what is going
// on; an empty format takes it away. Elsewhere it prints nothing.
func (c *console) progress(format string, args ...any) {
	if c.errTerminal == nil {
		return
	}
	fmt.Fprintf(c.err, "\r\x1b[K"+format, args...)
}

// loading returns what shows how far the loading of sounds is.
func (c *console) loading(quiet bool) cue.Loading {
	if quiet || c.errTerminal == nil {
		return nil
	}
	return func(done, total int) {
		c.progress("loading %s %d of %d", bar.Share(float64(done)/float64(total), 20), done, total)
		if done == total {
			c.progress("")
		}
	}
}

// rendered tells how far a render is, and how fast; a length of 0 is not known.
// With a length it may end sooner, when nothing sounds any more.
func rendered(frames, length int64, rate int, took time.Duration) string {
	line := seconds(frames, rate)
	if length > 0 {
		share := min(float64(frames)/float64(length), 1)
		line = fmt.Sprintf("%s %.0f %%  %s of at most %s", bar.Share(share, 20), math.Floor(100*share), line, seconds(length, rate))
	}
	if took > 0 {
		line += fmt.Sprintf("  %.0f times real time", float64(frames)/float64(rate)/took.Seconds())
	}
	return line
}

// everySoOften lets through one call in a tenth of a second.
type everySoOften struct{ last time.Time }

func (e *everySoOften) now() bool {
	if time.Since(e.last) < 100*time.Millisecond {
		return false
	}
	e.last = time.Now()
	return true
}
