package console

import (
	"context"
	"os"
	"os/signal"
	"time"
)

// Interrupts is a context that ends with the first Ctrl-C (or SIGTERM, SIGHUP),
// and knows which it was. What has not ended within a second of another one is
// ended by force.
type Interrupts struct {
	context.Context
	Close func() // ends the listening, and the context
}

// patience is how long an end may take when it has been asked for twice.
const patience = time.Second

// Listen begins to listen until Close. The terminal is given back before a
// second signal ends the process.
func (c *Console) Listen() *Interrupts {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	if list := endings(); len(list) > 0 { // none would mean all
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
		// What ends in order leaves nothing half-written, and takes no longer.
		select {
		case <-time.After(patience):
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

// Cause returns the interruption, or nil when there was none.
func (i *Interrupts) Cause() error { return context.Cause(i) }

// Instead ends the line of progress and returns the Interruption in the place of what
// it made of the work.
func (i *Interrupts) Instead(c *Console, err error) error {
	c.Progress("")
	if e := i.Cause(); e != nil && err != nil {
		return e
	}
	return err
}

// orderly is how long work whose context has ended may take to end by itself.
const orderly = 100 * time.Millisecond

// Within does some work that may block where no context reaches, as the opening
// of a pipe that nobody writes does. When ctx ends the work is left behind, for
// the process is about to end, and the error is the cause.
func Within[T any](ctx context.Context, work func() (T, error)) (T, error) {
	var got, none T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		got, err = work()
	}()
	if _, finished := Await(ctx, done, orderly); !finished {
		return none, context.Cause(ctx)
	}
	if err != nil && ctx.Err() != nil { // what the end of ctx looks like from there
		return got, context.Cause(ctx)
	}
	return got, err
}

// Await waits until something is done, and returns what has come of it. When ctx has ended,
// it gives it a little time, and reports whether it took no more.
func Await[T any](ctx context.Context, done <-chan T, little time.Duration) (got T, finished bool) {
	select {
	case got = <-done:
		return got, true
	case <-ctx.Done():
	}
	select {
	case got = <-done:
		return got, true
	case <-time.After(little):
		return got, false
	}
}

// Do is Within for work that gives nothing.
func Do(ctx context.Context, work func() error) error {
	_, err := Within(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}
