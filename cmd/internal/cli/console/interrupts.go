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

// Listen returns a context that ends with the first signal that requests the end of the process, such as Ctrl-C. The
// caller must call Close once, which stops the listening. If a second signal arrives and Close is not called within 1
// s, Listen restores the terminal and exits the process.
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

// Cause returns why the context has ended: the signal as an Interruption, or context.Canceled after Close without a
// signal. While the context has not ended, it returns nil.
func (i *Interrupts) Cause() error { return context.Cause(i) }

// Instead removes the progress line of c and returns the error to report. That is usually err. If err is not nil and a
// signal has ended the context, the result is the signal as an Interruption.
func (i *Interrupts) Instead(c *Console, err error) error {
	c.Progress("")
	if e := i.Cause(); e != nil && err != nil {
		return e
	}
	return err
}

// returnTimeout is the time limit for work to return after its context has ended.
const returnTimeout = 100 * time.Millisecond

// Within runs the function work on another goroutine and returns its result. If ctx ends, Within waits 100 ms for
// work. If work has not returned by then, Within returns the cause of ctx, and work continues to run on its goroutine.
// If work returns an error after the end of ctx, Within replaces it with that cause.
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

// Await waits for a value from done, or for done to be closed. After the end of ctx it waits at most for the duration
// limit. The result finished reports whether a value or the close came in time; got is that value, or zero.
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

// Do runs the function work on another goroutine and returns its error, like Within. If ctx ends and work does not
// return within 100 ms, the error is the cause of ctx, and work continues to run.
func Do(ctx context.Context, work func() error) error {
	_, err := Within(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}
