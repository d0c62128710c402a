// Package publish has values that one goroutine writes and any number of goroutines read. SeqCell is a sequence
// lock of several words. Neither the writer nor a reader waits, takes a lock or allocates, so both the control
// side and the audio side of a mixer may write. Several writers need a mutex. The zero value of each type is
// ready for use. A value must not be copied after its first use.
package publish

import (
	"sync/atomic"

	"voicepool/internal/release"
)

// Words are the words of a SeqCell: an array of each length that is in use.
type Words interface {
	[4]atomic.Uint64 | [12]atomic.Uint64 | [18]atomic.Uint64 | [22]atomic.Uint64
}

// SeqCell holds words that are written and read together: a sequence lock. The zero value holds zeros.
type SeqCell[W Words] struct {
	version atomic.Uint64 // odd during a write
	words   W
}

// Write replaces all words of c by src, which must have the same length. Readers see either all old or all new words.
// Only one goroutine may write at a time. It stores only the words that differ, because a store is slower than a
// comparison.
func (c *SeqCell[W]) Write(src []uint64) {
	version := c.version.Load()
	release.Uint64(&c.version, version+1)
	for i, x := range src {
		if word := &c.words[i]; word.Load() != x {
			release.Uint64(word, x)
		}
	}
	release.Uint64(&c.version, version+2)
}

// Read copies the words of c to dst, which must not be longer than c. If a write is in progress or came in between,
// it returns false, and dst may mix the words of several writes. It never waits; the caller may try again. A read by
// the writer never fails.
func (c *SeqCell[W]) Read(dst []uint64) bool {
	version := c.version.Load()
	for i := range dst {
		dst[i] = c.words[i].Load()
	}
	return version&1 == 0 && c.version.Load() == version
}

// Word returns word i. It may come from a write that is in progress.
func (c *SeqCell[W]) Word(i int) uint64 { return c.words[i].Load() }

// Version returns a number that changes with each write. It is odd during a write, and 0 before the first.
func (c *SeqCell[W]) Version() uint64 { return c.version.Load() }
