// Package console provides a command's input and output, its handling of signals, and its exit
// codes.
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
	"voicepool/cmd/internal/view/liveview"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Console is the input and output of a command. Results are written to Out, and messages to Err.
type Console struct {
	In  io.Reader
	Out *Sticky
	Err io.Writer
	// The terminals of In, Out and Err, or nil.
	InTerminal, OutTerminal, ErrTerminal *os.File

	Quiet  bool // suppress progress and notes
	colour bool // NO_COLOR is not set

	mutex  sync.Mutex
	screen *liveview.Screen // the screen that uses a terminal, or nil

	line  sync.Mutex       // guards Err
	shown bool             // a progress line is visible
	clock func() time.Time // for tests; nil: the system's clock
}

// Restore closes the screen that TakeOver has opened, which gives the terminal back its previous contents. If no
// screen is open, Restore has no effect.
func (c *Console) Restore() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.screen != nil {
		c.screen.Close()
		c.screen = nil
	}
}

// TakeOver opens a screen on terminal, which fills its window, and returns it. Restore closes the screen. Listen closes
// it, too, before it exits the process after a second signal.
func (c *Console) TakeOver(terminal *os.File) *liveview.Screen {
	s := liveview.OpenScreen(terminal, c.colour)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.screen = s
	return s
}

// New returns the console of this process. It uses the standard input, output and error, and finds out which of them
// are terminals. With TERM=dumb it treats all three as files. Colors are off if NO_COLOR is set and not empty.
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

// Say prints a message on a line of c.Err, after "voicepool: ". It removes the progress line first. It prints also if
// c.Quiet is set. It is safe for concurrent use.
func (c *Console) Say(format string, args ...any) {
	c.line.Lock()
	defer c.line.Unlock()
	c.clear()
	fmt.Fprintf(c.Err, "voicepool: "+format+"\n", args...)
}

// Finish prints the message of err, the result of a command, and returns the exit code for it. If err is nil or has
// exit code 1, a failed write to c.Out replaces it. Finish prints no message for nil, for a stop by a signal, for an
// error that has been printed before, and for a broken pipe at c.Out, as after head.
func (c *Console) Finish(err error) int {
	if err == nil || c.Out.Err != nil && ExitCode(err) < 2 {
		if err = unread(c.Out.Err); err == nil && c.Out.Err != nil {
			err = fmt.Errorf("standard output: %w", words.Cause(c.Out.Err))
		}
		if c.Out.reported {
			err = Reported{ExitCode(err)}
		}
	}
	if line := Message(err); line != "" {
		c.Say("%s", line)
	}
	return ExitCode(err)
}

// Outcome prints the message of each error in outputs, the results of several outputs, on its own line. An error
// without a message, such as an Interruption, gives a line without text. If all are nil, Outcome returns nil. Otherwise
// it returns a Reported, an error that is not printed again, with the highest exit code among them.
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

// JSON prints v to c.Out as indented JSON. It returns the first error. If writing failed, c.Out keeps the error, too.
func (c *Console) JSON(v any) error {
	e := json.NewEncoder(c.Out)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// Sticky is a writer that keeps its first error; after that, it does not write. So results are printed without
// checks, and Finish reports an error at the end.
type Sticky struct {
	W        io.Writer
	Err      error // the first error
	reported bool
}

// Fail makes all later writes fail with err. It also marks err as already printed, so that Console.Finish does not
// print it. If s already has an error, Fail has no effect.
func (s *Sticky) Fail(err error) {
	if s.Err == nil {
		s.Err, s.reported = err, true
	}
}

// Unread reports whether err means that the reader of a pipe has closed it, as after head. On systems other than Unix
// it returns false for every error.
func Unread(err error) bool { return unread(err) != nil }

// Write writes p to s.W. It keeps the first error in s.Err. After an error it does not write and returns that error
// again.
func (s *Sticky) Write(p []byte) (int, error) {
	if s.Err != nil {
		return 0, s.Err
	}
	n, err := s.W.Write(p)
	s.Err = err
	return n, err
}

// The exit codes. A command interrupted by a signal exits with 128 + the signal's number.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2
)

// usageError is the error of an invalid command line.
type usageError struct{ error }

// Unwrap returns the wrapped error.
func (e usageError) Unwrap() error { return e.error }

// Usage returns the error for an invalid command line, which has the exit code 2. Its message is formatted as by
// fmt.Errorf, and %w wraps an error.
func Usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Interruption is the error of a command that a signal has stopped, after an orderly shutdown.
type Interruption struct{ Signal os.Signal }

// Error returns the name of the signal.
func (i Interruption) Error() string { return i.Signal.String() }

// Reported is the error of a command whose errors have already been printed.
type Reported struct{ Code int }

// Error returns a fixed text, because the errors have been printed.
func (Reported) Error() string { return "failed" }

// ExitCode returns the exit code of the process for err, which may be wrapped. nil gives 0. Wrong usage, faulty sheets
// and invalid configurations give 2. An Interruption, the stop of a command by a signal, gives 128 plus the number of
// the signal. A Reported, an error that has been printed already, gives its Code. All other errors give 1.
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

// Message returns the line to print for err. For nil, for the stop by a signal (Interruption), and for an error that
// has been printed already (Reported) it is "". For several errors in a sheet, the line has the first error and the
// number of the others.
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

// Each calls work for each number from 0 to n-1, in parallel on one goroutine per processor, and returns after all
// calls. It reports the progress to done on the caller's goroutine: at the start and after each finished call, with
// the number of finished calls and n. done may be nil.
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
