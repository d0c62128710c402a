package console

import (
	"fmt"
	"math"
	"time"

	"golang.org/x/term"

	"voicepool/cmd/internal/view/cellwidth"
	"voicepool/cmd/internal/view/meterbar"
	"voicepool/cue/play"
	"voicepool/internal/words"
)

// Progress shows a progress line on the terminal of c.Err, in place of the previous one. The text is formatted as by
// fmt.Sprintf and cut to the width of the terminal. An empty text removes the line. If c.Err is not a terminal or
// c.Quiet is set, Progress has no effect.
func (c *Console) Progress(format string, args ...any) {
	if c.ErrTerminal == nil || c.Quiet {
		return
	}
	width, _, err := term.GetSize(int(c.ErrTerminal.Fd()))
	if err != nil || width < 2 {
		width = 80
	}
	c.line.Lock()
	defer c.line.Unlock()
	c.clear()
	text := cellwidth.Cut(fmt.Sprintf(format, args...), width-1) // a wrapped line could not be replaced
	if c.shown = text != ""; c.shown {
		fmt.Fprint(c.Err, text)
	}
}

// clear removes the progress line from the terminal, if one is visible. The caller must hold c.line.
func (c *Console) clear() {
	if c.shown {
		fmt.Fprint(c.Err, "\r\x1b[K")
		c.shown = false
	}
}

// now returns the current time, or in tests the time of the clock that a test has set.
func (c *Console) now() time.Time {
	if c.clock != nil {
		return c.clock()
	}
	return time.Now()
}

// ProgressInterval is the interval between progress updates.
const ProgressInterval = 100 * time.Millisecond

// Work returns a function that shows the progress of some work on the terminal. The name of the work is in the
// parameter what. The line has the finished share and the remaining time, and changes at most every 100 ms. When all
// is done, the function removes the line. If c.Err is not a terminal or c.Quiet is set, Work returns nil.
func (c *Console) Work(what string) play.Progress {
	if c.ErrTerminal == nil || c.Quiet {
		return nil
	}
	var start, last time.Time
	return func(done, total int) {
		now := c.now()
		switch {
		case done >= total:
			c.Progress("")
			return
		case start.IsZero():
			start = now
		case now.Sub(last) < ProgressInterval:
			return
		}
		last = now
		share := float64(done) / float64(total)
		c.Progress("%s %s  %d of %d%s", what, percent(share), done, total, remainingTime(share, now.Sub(start)))
	}
}

// Loading returns a function that shows the progress of loading sounds, or nil; see Work.
func (c *Console) Loading() play.Progress { return c.Work("loading") }

// Preparing returns a function that shows the progress of preparing sounds for pitches, or nil; see Work.
func (c *Console) Preparing() play.Progress { return c.Work("preparing") }

// percent formats share, from 0 to 1, as a bar of 20 characters and a percentage that is rounded down.
func percent(share float64) string {
	return fmt.Sprintf("%s %2.0f %%", meterbar.Share(share, 20), math.Floor(100*share))
}

// remainingTime estimates the remaining time of some work and returns text such as ", 3s left". The parameter share is
// the finished part, from 0 to 1. The parameter elapsed is the time that this part has taken. In the first second,
// before any progress and at the end, the result is "".
func remainingTime(share float64, elapsed time.Duration) string {
	if !(share > 0) || share >= 1 || elapsed < time.Second {
		return ""
	}
	remaining := time.Duration(float64(elapsed) * (1 - share) / share)
	return fmt.Sprintf(", %v left", max(remaining.Round(time.Second), time.Second))
}

// Rendered describes the progress of a render in one line, with its speed relative to real time, such as "12x". The
// parameter frames is the number of rendered frames, elapsed the time that they took. The parameter length is the
// approximate number of all frames, or 0 if it is unknown. rate is the sample rate in Hz.
func Rendered(frames, length int64, rate int, elapsed time.Duration) string {
	line := "mixing " + words.Seconds(frames, rate)
	if length > 0 {
		share := min(float64(frames)/float64(length), 1)
		line = fmt.Sprintf("mixing %s  %s of about %s%s", percent(share), words.Seconds(frames, rate), words.Seconds(length, rate), remainingTime(share, elapsed))
	}
	if elapsed > 0 {
		line += fmt.Sprintf(", %.0fx", float64(frames)/float64(rate)/elapsed.Seconds())
	}
	return line
}
