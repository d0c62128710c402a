package release

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

func TestWords(t *testing.T) {
	for n := range 40 {
		dst, src := make([]atomic.Int64, n+3), make([]int64, n)
		for i := range src {
			src[i] = int64(i+1) << 40
		}
		Words(dst[1:], src)
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

// TestWordsMeanwhile checks that concurrent readers see every word in its old or new value, never torn.
func TestWordsMeanwhile(t *testing.T) {
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
		Words(dst, src)
		if round%200 == 0 { // even if the reader is scheduled late
			for before := passes.Load(); passes.Load() == before && !t.Failed(); {
				runtime.Gosched()
			}
		}
	}
	stop.Store(true)
	readers.Wait()
}

// TestSeen checks that a reader of a word also sees earlier stores, for each kind of store.
func TestSeen(t *testing.T) {
	var (
		number  atomic.Uint64
		place   atomic.Int64
		pointer atomic.Pointer[int64]
		words   [1]atomic.Int64
		data    [8]int64 // plain fields, watched by the race detector
		read    atomic.Int64
		seen    = [...]func() int64{
			func() int64 { return int64(number.Load()) },
			place.Load,
			func() int64 {
				if p := pointer.Load(); p != nil {
					return *p
				}
				return 0
			},
			words[0].Load,
		}
	)
	const rounds = 4000
	var reader sync.WaitGroup
	reader.Go(func() {
		for round := int64(1); round <= rounds; round++ {
			for look := seen[round%4]; look() != round; {
				runtime.Gosched()
			}
			for i, x := range data {
				if x != round+int64(i) {
					t.Errorf("round %d: word %d is %d", round, i, x)
				}
			}
			read.Store(round)
		}
	})
	for round := int64(1); round <= rounds; round++ {
		for i := range data {
			data[i] = round + int64(i)
		}
		switch round % 4 {
		case 0:
			Uint64(&number, uint64(round))
		case 1:
			Int64(&place, round)
		case 2:
			Pointer(&pointer, new(round))
		case 3:
			Words(words[:], []int64{round})
		}
		for read.Load() != round {
			runtime.Gosched()
		}
	}
	reader.Wait()
}
