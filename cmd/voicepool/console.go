package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	"golang.org/x/term"

	"voicepool/cmd/internal/live"
)

// console is where a command reads and writes: results go to out, messages to
// err.
type console struct {
	in  io.Reader
	out *sticky
	err io.Writer
	// The terminals behind them, or nil where there are none.
	outTerminal, errTerminal *os.File

	colour bool // NO_COLOR is not set

	mutex  sync.Mutex
	screen *live.Screen // what has taken a terminal over
}

// restore gives the terminal back, whatever has taken it over. Any goroutine.
func (c *console) restore() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.screen != nil {
		c.screen.Close()
		c.screen = nil
	}
}

// takeOver gives the terminal to a screen, until restore.
func (c *console) takeOver(terminal *os.File) *live.Screen {
	s := live.OpenScreen(terminal, c.colour)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.screen = s
	return s
}

func newConsole() *console {
	c := &console{in: os.Stdin, out: &sticky{w: os.Stdout}, err: os.Stderr, colour: os.Getenv("NO_COLOR") == ""}
	if os.Getenv("TERM") == "dumb" {
		return c
	}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		c.outTerminal = os.Stdout
	}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		c.errTerminal = os.Stderr
	}
	return c
}

// say prints a message, one line.
func (c *console) say(format string, args ...any) {
	fmt.Fprintf(c.err, "voicepool: "+format+"\n", args...)
}

// finish prints what went wrong, if anything, and returns the exit code. Who reads no
// further than he wants, as head does, is told nothing.
func (c *console) finish(err error) int {
	if err == nil || c.out.err != nil && exitCode(err) < 2 {
		if err = unread(c.out.err); err == nil && c.out.err != nil {
			err = fmt.Errorf("standard output: %w", cause(c.out.err))
		}
	}
	if line := message(err); line != "" {
		c.say("%s", line)
	}
	return exitCode(err)
}

// sticky stays with its first error, so that results are printed without
// looking and the end of the program tells whether they arrived.
type sticky struct {
	w   io.Writer
	err error
}

func (s *sticky) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	s.err = err
	return n, err
}
