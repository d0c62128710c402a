package console

import (
	"fmt"
	"math"
	"time"

	"golang.org/x/term"

	"voicepool/cmd/internal/bar"
	"voicepool/cmd/internal/column"
	"voicepool/cue"
	"voicepool/internal/words"
)

// Progress shows on a terminal, in one line that replaces itself, what is going
// on; an empty format takes it away. Elsewhere, and on a quiet console, it prints nothing.
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
	text := column.Cut(fmt.Sprintf(format, args...), width-1) // a line that wraps is not replaced
	if c.shown = text != ""; c.shown {
		fmt.Fprint(c.Err, text)
	}
}

// clear takes the line of progress away.
func (c *Console) clear() {
	if c.shown {
		fmt.Fprint(c.Err, "\r\x1b[K")
		c.shown = false
	}
}

// now is the time, by the clock of a test where there is one.
func (c *Console) now() time.Time {
	if c.clock != nil {
		return c.clock()
	}
	return time.Now()
}

// Often is how often progress is shown.
const Often = 100 * time.Millisecond

// Work returns what shows how far some work is: its share, and the time that is left. It
// is nil where nothing is shown. The line goes when all is done.
func (c *Console) Work(what string) cue.Loading {
	if c.ErrTerminal == nil || c.Quiet {
		return nil
	}
	var begin, told time.Time
	return func(done, total int) {
		now := c.now()
		switch {
		case done >= total:
			c.Progress("")
			return
		case begin.IsZero():
			begin = now
		case now.Sub(told) < Often:
			return
		}
		told = now
		share := float64(done) / float64(total)
		c.Progress("%s %s  %d of %d%s", what, percent(share), done, total, left(share, now.Sub(begin)))
	}
}

// Loading returns what shows how far the loading of sounds is.
func (c *Console) Loading() cue.Loading { return c.Work("loading") }

// Preparing returns what shows how far the preparing of sounds for pitches is.
func (c *Console) Preparing() cue.Loading { return c.Work("preparing") }

// percent draws a share as a bar and a number.
func percent(share float64) string {
	return fmt.Sprintf("%s %2.0f %%", bar.Share(share, 20), math.Floor(100*share))
}

// left says how much time is left for the rest of a share that took so long, where that
// can be told.
func left(share float64, took time.Duration) string {
	if !(share > 0) || share >= 1 || took < time.Second {
		return ""
	}
	rest := time.Duration(float64(took) * (1 - share) / share)
	return fmt.Sprintf(", %v left", max(rest.Round(time.Second), time.Second))
}

// Rendered tells how far a render is that is about as long as length, and how many times faster
// than real time; a length of 0 is not known.
func Rendered(frames, length int64, rate int, took time.Duration) string {
	line := "mixing " + words.Seconds(frames, rate)
	if length > 0 {
		share := min(float64(frames)/float64(length), 1)
		line = fmt.Sprintf("mixing %s  %s of about %s%s", percent(share), words.Seconds(frames, rate), words.Seconds(length, rate), left(share, took))
	}
	if took > 0 {
		line += fmt.Sprintf(", %.0fx", float64(frames)/float64(rate)/took.Seconds())
	}
	return line
}
