package console

import (
	"context"
	"time"
)

// orderly is how long work whose context has ended may take to end by itself.
const orderly = 100 * time.Millisecond

// Within does some work that may block where no context reaches, as the opening
// of a pipe that nobody writes does. When ctx ends the work is left behind, for
// the process is about to end, and the error is the cause.
func Within[T any](ctx context.Context, work func() (T, error)) (T, error) {
	type result struct {
		got T
		err error
	}
	done := make(chan result, 1)
	go func() {
		got, err := work()
		done <- result{got, err}
	}()
	select {
	case r := <-done:
		return r.got, r.err
	case <-ctx.Done():
	}
	select {
	case r := <-done:
		if r.err != nil { // what the end of ctx looks like from there
			r.err = context.Cause(ctx)
		}
		return r.got, r.err
	case <-time.After(orderly):
		var none T
		return none, context.Cause(ctx)
	}
}

// Do is Within for work that gives nothing.
func Do(ctx context.Context, work func() error) error {
	_, err := Within(ctx, func() (struct{}, error) { return struct{}{}, work() })
	return err
}
