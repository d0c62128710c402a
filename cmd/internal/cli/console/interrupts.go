package console

import (
	"context"
	"os"
	"os/signal"
	"time"
)

// Interrupts is a context that ends with the first Ctrl-C, SIGTERM or SIGHUP. A second signal ends
// the process by force after a second.
type Interrupts struct {
	context.Context
	Close func() // stops listening and ends the context
}

// shutdownTimeout is the time limit of a shutdown after a second signal.
const shutdownTimeout = time.Second

// Listen returns a context that ends with the first signal that requests the end of the process. From a second signal
// on, the process has 1 s to call Close; then Listen restores the terminal and exits. Call Close once.
func (c *Console) Listen() *Interrupts {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	if list := endSignals(); len(list) > 0 { // without arguments, Notify would mean all signals
		signal.Notify(signals, list...)
	}
	done := make(chan struct{})
	go func() {
		defer signal.Stop(signals)
		select {
		case s := <-signals:
			cancel(Interruption{s})
		case <-done:
			return
		}
		var again os.Signal
		select {
		case again = <-signals:
		case <-done:
			return
		}
		// An orderly shutdown leaves no partial files, and takes less time than shutdownTimeout.
		select {
		case <-time.After(shutdownTimeout):
			c.Restore()
			os.Exit(ExitCode(Interruption{again}))
		case <-done:
		}
	}()
	return &Interrupts{ctx, func() {
		close(done)
		cancel(nil)
	}}
}

// Cause returns the Interruption of the first signal, or nil before a signal. After Close without a signal it returns
// context.Canceled.
func (i *Interrupts) Cause() error { return context.Cause(i) }

// Instead removes the progress line of c and returns err. If err is not nil and a signal has ended the context, it
// returns the Interruption instead of err.
func (i *Interrupts) Instead(c *Console, err error) error {
	c.Progress("")
	if e := i.Cause(); e != nil && err != nil {
		return e
	}
	return err
}

// returnTimeout is the time limit for work to return after its context has ended.
const returnTimeout = 100 * time.Millisecond

// Within runs work on another goroutine and returns its result. If work has not returned 100 ms after the end of ctx,
// Within abandons it, so that it continues to run, and returns the cause of ctx. An error of work after the end of
// ctx is replaced by that cause, too.
func Within[T any](ctx context.Context, work func() (T, error)) (T, error) {
	var got, none T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		got, err = work()
	}()
	if _, finished := Await(ctx, done, returnTimeout); !finished {
		return none, context.Cause(ctx)
	}
	if err != nil && ctx.Err() != nil { // probably a consequence of the end of ctx
		return got, context.Cause(ctx)
	}
	return got, err
}

// Await waits for a value from done or for its close, but after the end of ctx at most for the duration limit.
// finished reports whether done had a value or was closed in time.
func Await[T any](ctx context.Context, done <-chan T, limit time.Duration) (got T, finished bool) {
	select {
	case got = <-done:
		return got, true
	case <-ctx.Done():
	}
	select {
	case got = <-done:
		return got, true
	case <-time.After(limit):
		return got, false
	}
}

// Do is Within for work that returns only an error.
func Do(ctx context.Context, work func() error) error {
	_, err := Within(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}
