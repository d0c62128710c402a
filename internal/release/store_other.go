//go:build !amd64 || purego || race

package release

import "sync/atomic"

// The race detector must see the stores. On arm64 an atomic store already is a release store.

// Int64 stores x.
func Int64(word *atomic.Int64, x int64) { word.Store(x) }

// Uint64 stores x.
func Uint64(word *atomic.Uint64, x uint64) { word.Store(x) }

// Pointer stores x.
func Pointer[T any](word *atomic.Pointer[T], x *T) { word.Store(x) }

// Words stores each word of src at the same index of dst. len(dst) >= len(src).
func Words(dst []atomic.Int64, src []int64) {
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i].Store(x)
	}
}
