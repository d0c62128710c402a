package main

import (
	"context"
	"os"
	"os/signal"
	"time"
)

// interrupts is a context that ends with the first Ctrl-C (or SIGTERM, SIGHUP),
// and knows which it was. What has not ended within a second of another one is
// ended by force.
type interrupts struct {
	context.Context
	cancel context.CancelCauseFunc
	stop   func()
}

// patience is how long an end may take when it has been asked for twice.
const patience = time.Second

// listen begins to listen until close. restore is called before the process is
// ended by a second signal.
func listen(restore func()) *interrupts {
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
			cancel(interruption{s})
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
			restore()
			os.Exit(exitCode(interruption{again}))
		case <-done:
		}
	}()
	return &interrupts{ctx, cancel, func() { close(done) }}
}

func (i *interrupts) close() {
	i.stop()
	i.cancel(nil)
}

// err returns the interruption, or nil when there was none.
func (i *interrupts) err() error {
	if i.Err() == nil {
		return nil
	}
	return context.Cause(i)
}

// instead ends the line of progress and returns the interruption in the place of what
// it made of the work.
func (i *interrupts) instead(c *console, err error) error {
	c.progress("")
	if e := i.err(); e != nil && err != nil {
		return e
	}
	return err
}
