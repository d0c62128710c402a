package server

import (
	"context"
	"sync"
	"sync/atomic"
)

// forEach calls do for each item, on several goroutines, and waits for the calls. At most atOnce calls run at the same
// time; atOnce is at least 1. The first error of do cancels the context of all calls. forEach then starts no further
// calls and returns that error. If ctx ends, it also starts no further calls, and returns the cause of ctx, even if all
// calls have succeeded.
func forEach[T any](ctx context.Context, atOnce int, items []T, do func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(atOnce, len(items)) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(items) {
					return
				}
				if err := do(ctx, items[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
