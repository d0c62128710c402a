package dsp

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestPublish(t *testing.T) {
	for n := range 40 {
		dst, src := make([]atomic.Int64, n+3), make([]int64, n)
		for i := range src {
			src[i] = int64(i+1) << 40
		}
		Publish(dst[1:], src)
		for i := range dst {
			want := int64(0)
			if i >= 1 && i <= n {
				want = src[i-1]
			}
			if got := dst[i].Load(); got != want {
				t.Fatalf("%d words: word %d is %d, want %d", n, i, got, want)
			}
		}
	}
}

// TestPublished: whoever reads meanwhile sees every word as it was or as it is,
// never a part of one.
func TestPublished(t *testing.T) {
	dst, src := make([]atomic.Int64, 64), make([]int64, 64)
	var stop atomic.Bool
	var passes atomic.Int64
	var readers sync.WaitGroup
	readers.Go(func() {
		last := make([]int64, len(dst))
		for ; !stop.Load(); runtime.Gosched() {
			passes.Add(1)
			for i := range dst {
				x := dst[i].Load()
				if int32(x) != int32(x>>32) || x < last[i] {
					t.Errorf("word %d is %x after %x", i, x, last[i])
					return
				}
				last[i] = x
			}
		}
	})
	for round := int64(1); round < 20000; round++ {
		for i := range src {
			src[i] = round<<32 | round
		}
		Publish(dst, src)
		if round%200 == 0 { // however late the reader comes to run
			for before := passes.Load(); passes.Load() == before && !t.Failed(); {
				runtime.Gosched()
			}
		}
	}
	stop.Store(true)
	readers.Wait()
}
