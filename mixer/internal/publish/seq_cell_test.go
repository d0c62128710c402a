package publish

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// TestSeqCellEqualsArray compares a cell with a plain array.
func TestSeqCellEqualsArray(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var cell SeqCell[[12]atomic.Uint64]
		model, read := make([]uint64, 12), make([]uint64, 12)
		for writes := range uint64(rapid.IntRange(1, 20).Draw(t, "writes")) {
			if !cell.Read(read) || !slices.Equal(read, model) || cell.Version() != 2*writes {
				t.Fatalf("after %d writes: %v with version %d, want %v", writes, read, cell.Version(), model)
			}
			if i := rapid.IntRange(0, 11).Draw(t, "word"); cell.Word(i) != model[i] {
				t.Fatalf("word %d is %d, want %d", i, cell.Word(i), model[i])
			}
			model = rapid.SliceOfN(rapid.Uint64Range(1<<32-2, 1<<32+1), 12, 12).Draw(t, "words")
			cell.Write(model)
		}
	})
}

// TestSeqCellIsAligned checks the alignment of the words on 32-bit processors, whose atomic operations require it.
func TestSeqCellIsAligned(t *testing.T) {
	cells := new([3]struct {
		_    uint32
		cell SeqCell[[22]atomic.Uint64]
	})
	for i := range cells {
		if p := uintptr(unsafe.Pointer(&cells[i].cell)); p%8 != 0 {
			t.Errorf("cell %d is at %#x", i, p)
		}
	}
}

// TestReadDuringWrite checks that a read fails while a write is in progress, and if one came in between.
func TestReadDuringWrite(t *testing.T) {
	var cell SeqCell[[4]atomic.Uint64]
	words := make([]uint64, 4)
	cell.Write([]uint64{1, 2, 3, 4})
	cell.version.Add(1) // as Write does
	if cell.Read(words) {
		t.Error("a read during a write succeeded")
	}
	cell.version.Add(1)
	if !cell.Read(words) || words[3] != 4 {
		t.Errorf("a read after a write: %v", words)
	}
}

// TestReadsAreNeverTorn reads a cell during writes. All words of a successful read must be of one write, and no
// read may be older than the read before it.
func TestReadsAreNeverTorn(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3)) // also on one processor, threads interrupt each other at any instruction
	const writes, reads = 200_000, 1000
	var (
		cell    SeqCell[[18]atomic.Uint64]
		done    atomic.Int64 // readers
		readers sync.WaitGroup
	)
	for range 2 {
		readers.Go(func() {
			defer done.Add(1)
			words, last := make([]uint64, 18), uint64(0)
			for count := 0; last < writes || count < reads; {
				before := cell.Version()
				if !cell.Read(words) {
					continue
				}
				count++
				for i, x := range words { // only every fourth write changes an even word
					want := words[1]
					if i%2 == 0 {
						want -= want % 4
					}
					if x != want {
						t.Errorf("word %d of %v is of another write", i, words)
						return
					}
				}
				if words[1] < last || words[1] < before/2 {
					t.Errorf("read write %d after %d with version %d", words[1], last, before)
					return
				}
				last = words[1]
			}
		})
	}
	words := make([]uint64, 18)
	for n := uint64(1); n <= writes || done.Load() < 2; n++ {
		for i := range words {
			if words[i] = n; i%2 == 0 {
				words[i] -= n % 4
			}
		}
		cell.Write(words)
	}
	readers.Wait()
}
