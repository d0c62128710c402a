package server

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
)

// TestEach checks that each does all items, several at once, and stops after an error or the end of
// the context.
func TestEach(t *testing.T) {
	items := make([]int, 100)
	for i := range items {
		items[i] = i
	}
	var sum, now atomic.Int64
	var once sync.Once
	both := make(chan struct{}) // closed when two run at once
	err := forEach(t.Context(), 4, items, func(_ context.Context, i int) error {
		n := now.Add(1)
		if n > 4 {
			t.Errorf("%d at once", n)
		}
		if n >= 2 {
			once.Do(func() { close(both) })
		}
		<-both
		sum.Add(int64(i))
		now.Add(-1)
		return nil
	})
	if err != nil || sum.Load() != 4950 {
		t.Errorf("%v, a sum of %d", err, sum.Load())
	}
	broken, done := errors.New("broken"), 0
	err = forEach(t.Context(), 1, items, func(_ context.Context, i int) error {
		done++
		if i == 3 {
			return broken
		}
		return nil
	})
	if !errors.Is(err, broken) || done != 4 {
		t.Errorf("%v after %d", err, done)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := forEach(over, 4, items, func(context.Context, int) error { t.Error("one is begun"); return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
