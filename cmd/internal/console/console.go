// Package console is where a command reads and writes, how a signal ends it, and with which
// exit code.
package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/term"

	"voicepool/bank/rules"
	"voicepool/cmd/internal/live"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Console is where a command reads and writes: results go to Out, messages to Err.
type Console struct {
	In  io.Reader
	Out *Sticky
	Err io.Writer
	// The terminals behind them, or nil where there are none.
	InTerminal, OutTerminal, ErrTerminal *os.File

	Quiet  bool // no progress and no notes
	colour bool // NO_COLOR is not set

	mutex  sync.Mutex
	screen *live.Screen // what has taken a terminal over

	line  sync.Mutex       // of what goes to Err
	shown bool             // a line of progress is there
	clock func() time.Time // nil: that of the system
}

// Restore gives the terminal back, whatever has taken it over. Any goroutine.
func (c *Console) Restore() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.screen != nil {
		c.screen.Close()
		c.screen = nil
	}
}

// TakeOver gives the terminal to a screen, until Restore.
func (c *Console) TakeOver(terminal *os.File) *live.Screen {
	s := live.OpenScreen(terminal, c.colour)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.screen = s
	return s
}

// New returns the console of the process.
func New() *Console {
	c := &Console{In: os.Stdin, Out: &Sticky{W: os.Stdout}, Err: os.Stderr, colour: os.Getenv("NO_COLOR") == ""}
	if os.Getenv("TERM") == "dumb" {
		return c
	}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		c.InTerminal = os.Stdin
	}
	if term.IsTerminal(int(os.Stdout.Fd())) {
		c.OutTerminal = os.Stdout
	}
	if term.IsTerminal(int(os.Stderr.Fd())) {
		c.ErrTerminal = os.Stderr
	}
	return c
}

// Say prints a message, one line.
func (c *Console) Say(format string, args ...any) {
	c.line.Lock()
	defer c.line.Unlock()
	c.clear()
	fmt.Fprintf(c.Err, "voicepool: "+format+"\n", args...)
}

// Finish prints what went wrong, if anything, and returns the exit code. Who reads no
// further than he wants, as head does, is told nothing.
func (c *Console) Finish(err error) int {
	if err == nil || c.Out.Err != nil && ExitCode(err) < 2 {
		if err = unread(c.Out.Err); err == nil && c.Out.Err != nil {
			err = fmt.Errorf("standard output: %w", words.Cause(c.Out.Err))
		}
		if c.Out.told {
			err = Reported{ExitCode(err)}
		}
	}
	if line := Message(err); line != "" {
		c.Say("%s", line)
	}
	return ExitCode(err)
}

// Outcome says what failed of the outputs of a command, each on a line of its own. What is
// finished stays, whatever became of the others.
func (c *Console) Outcome(outputs ...error) error {
	var failed error
	for _, err := range outputs {
		if err != nil {
			c.Say("%s", Message(err))
			failed = Reported{max(ExitCode(failed), ExitCode(err))}
		}
	}
	return failed
}

// JSON prints v to Out in the form that people and programs can read.
func (c *Console) JSON(v any) error {
	e := json.NewEncoder(c.Out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Sticky stays with its first error, so that results are printed without looking, and the
// end of the program tells whether they arrived.
type Sticky struct {
	W    io.Writer
	Err  error // the first one
	told bool
}

// Fail makes an error that has been told the first one, if there is none.
func (s *Sticky) Fail(err error) {
	if s.Err == nil {
		s.Err, s.told = err, true
	}
}

// Unread reports whether a write failed since nobody reads any more, as after head.
func Unread(err error) bool { return unread(err) != nil }

// Write writes to W, unless a write has failed.
func (s *Sticky) Write(p []byte) (int, error) {
	if s.Err != nil {
		return 0, s.Err
	}
	n, err := s.W.Write(p)
	s.Err = err
	return n, err
}

// The exit codes; what a signal interrupted ends with 128 + its number.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2
)

// usageError is the error of a command line that is wrong.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// Usage returns the error of a command line that is wrong.
func Usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Interruption ends a command that a signal has stopped, after it has put
// everything in order.
type Interruption struct{ Signal os.Signal }

// Error is the name of the signal.
func (i Interruption) Error() string { return i.Signal.String() }

// Reported ends a command whose errors have been printed.
type Reported struct{ Code int }

// Error says no more.
func (Reported) Error() string { return "failed" }

// ExitCode returns what a command exits with that has ended with an error, or with none.
func ExitCode(err error) int {
	if err == nil {
		return ExitDone
	}
	if interrupted, ok := errors.AsType[Interruption](err); ok {
		if number, ok := interrupted.Signal.(syscall.Signal); ok {
			return 128 + int(number)
		}
		return ExitFailed
	}
	if reported, ok := errors.AsType[Reported](err); ok {
		return reported.Code
	}
	_, usage := errors.AsType[usageError](err)
	if usage || errors.Is(err, rules.ErrFile) || errors.Is(err, mixer.ErrConfig) {
		return ExitUsage
	}
	return ExitFailed
}

// Message returns the line to be printed for an error, or nothing.
func Message(err error) string {
	_, interrupted := errors.AsType[Interruption](err)
	_, reported := errors.AsType[Reported](err)
	if err == nil || interrupted || reported {
		return ""
	}
	if wrong, ok := errors.AsType[rules.Errors](err); ok && len(wrong) > 1 {
		return fmt.Sprintf("%s (and %d more, which voicepool check shows)", words.Plain(wrong[0]), len(wrong)-1)
	} else if ok {
		return words.Plain(wrong[0])
	}
	return words.Plain(err)
}

// Each does n pieces of work, as many at a time as there are processors, and tells done
// at first and of each that is finished, from this goroutine.
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
	if done != nil {
		done(0, n)
	}
	for i := range n {
		if <-finished; done != nil {
			done(i+1, n)
		}
	}
}
