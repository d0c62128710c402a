//go:build !purego && !race

package release

import (
	"sync/atomic"
	"unsafe"
)

// The functions are not inlined, so that the compiler does not move other accesses past them. The runtime's
// StoreRel does the same.

// Int64 stores x.
//
//go:noinline
func Int64(word *atomic.Int64, x int64) { *(*int64)(unsafe.Pointer(word)) = x }

// Uint64 stores x.
//
//go:noinline
func Uint64(word *atomic.Uint64, x uint64) { *(*uint64)(unsafe.Pointer(word)) = x }

// Pointer stores x.
//
//go:noinline
func Pointer[T any](word *atomic.Pointer[T], x *T) { *(**T)(unsafe.Pointer(word)) = x }

// Words stores each word of src at the same index of dst. len(dst) >= len(src).
//
//go:noinline
func Words(dst []atomic.Int64, src []int64) {
	dst = dst[:len(src)]
	for i, x := range src {
		*(*int64)(unsafe.Pointer(&dst[i])) = x
	}
}
