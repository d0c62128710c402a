package server

import (
	"context"
	"sync"
	"sync/atomic"
)

// forEach calls do for all items, with at most atOnce calls at a time, and waits for the calls. The first error of do
// cancels the context of all calls. After it, or after the end of ctx, forEach starts no further calls, and returns
// that error or the cause of ctx. Otherwise it returns nil.
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
