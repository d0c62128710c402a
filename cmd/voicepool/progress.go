package main

import (
	"fmt"
	"time"

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
		c.progress("loading %s %d of %d", gauge(float64(done)/float64(total), 20), done, total)
		if done == total {
			c.progress("")
		}
	}
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
