package console

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
	"time"

	"voicepool/cmd/internal/bar"
	"voicepool/cue"
	"voicepool/internal/words"
)

// Progress shows on a terminal, in one line that replaces itself, what is going
// on; an empty format takes it away. Elsewhere, and on a quiet console, it prints nothing.
func (c *Console) Progress(format string, args ...any) {
	if c.ErrTerminal == nil || c.Quiet {
		return
	}
	fmt.Fprintf(c.Err, "\r\x1b[K"+format, args...)
}

// Loading returns what shows how far the loading of sounds is.
func (c *Console) Loading() cue.Loading {
	if c.ErrTerminal == nil || c.Quiet {
		return nil
	}
	return func(done, total int) {
		c.Progress("loading %s %d of %d", bar.Share(float64(done)/float64(total), 20), done, total)
		if done == total {
			c.Progress("")
		}
	}
}

// Rendered tells how far a render is, and how fast; a length of 0 is not known.
// With a length it may end sooner, when nothing sounds any more.
func Rendered(frames, length int64, rate int, took time.Duration) string {
	line := words.Seconds(frames, rate)
	if length > 0 {
		share := min(float64(frames)/float64(length), 1)
		line = fmt.Sprintf("%s %.0f %%  %s of at most %s", bar.Share(share, 20), math.Floor(100*share), line, words.Seconds(length, rate))
	}
	if took > 0 {
		line += fmt.Sprintf("  %.0f times real time", float64(frames)/float64(rate)/took.Seconds())
	}
	return line
}

// Each does n pieces of work, as many at a time as there are processors, and tells done
// of each that is finished, from this goroutine.
func Each(n int, done func(done, total int), work func(i int)) {
	next, finished := atomic.Int64{}, make(chan struct{}, n)
	for range min(runtime.GOMAXPROCS(0), n) {
		go func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
				finished <- struct{}{}
			}
		}()
	}
	for i := range n {
		if <-finished; done != nil {
			done(i+1, n)
		}
	}
}
