// Package ring implements a lock-free ring buffer between two goroutines. Its operations are functions, not methods, so
// that a package that can reach a field of type Ring does not compile them, see docs/decisions/029-generic-types.md.
package ring

import (
	"math/bits"
	"sync/atomic"
	"voicepool/internal/release"
)

// Ring is a queue between one producer and one consumer. Neither side waits, allocates or makes system calls.
// Several producers must exclude each other with a mutex; so must several consumers. It holds at least as
// many values as requested in New, and more after a Grow, which either side may call.
type Ring[T any] struct {
	nextSegment atomic.Pointer[segment[T]] // made by Grow, not yet used by the producer
	size        atomic.Int64               // of the last segment

	_       [64]byte // separate cache lines, because different cores write the two ends
	head    atomic.Uint64
	read    *segment[T]
	_       [48]byte
	tail    atomic.Uint64
	written *segment[T]
	_       [48]byte
}

// segment is a part of the ring: value number i is at index i & mask.
type segment[T any] struct {
	slots []T
	mask  uint64
	first uint64                     // number of its first value
	next  atomic.Pointer[segment[T]] // segment for the values after this one is full
}

// newSegment returns an empty segment for at least n values, rounded up to a power of two.
func newSegment[T any](n int) *segment[T] {
	size := 1 << bits.Len(uint(max(n, 1)-1))
	return &segment[T]{slots: make([]T, size), mask: uint64(size - 1)}
}

// New returns an empty ring for at least n values, n >= 1.
func New[T any](n int) *Ring[T] {
	s := newSegment[T](n)
	r := &Ring[T]{read: s, written: s}
	r.size.Store(int64(len(s.slots)))
	return r
}

// Grow makes room for at least n values in addition to the waiting ones, from the next time on that the ring is full.
// It allocates. It may be called by any goroutine, but by only one at a time.
func Grow[T any](r *Ring[T], n int) {
	s := newSegment[T](n)
	r.size.Store(int64(len(s.slots)))
	r.nextSegment.Store(s)
}

// Cap returns a lower bound of the capacity of an empty ring.
func Cap[T any](r *Ring[T]) int { return int(r.size.Load()) }

// Len returns how many values wait. Either side may call it: the consumer gets a lower bound, the producer an
// upper bound.
func Len[T any](r *Ring[T]) int {
	head := r.head.Load() // first: the tail only grows, so the difference is never negative
	return int(r.tail.Load() - head)
}

// Pushed returns how many values have ever been pushed. Either side.
func Pushed[T any](r *Ring[T]) uint64 { return r.tail.Load() }

// Popped returns how many values have ever been taken. Either side.
func Popped[T any](r *Ring[T]) uint64 { return r.head.Load() }

// Push appends v and returns true, or returns false if the ring is full. Producer side.
func Push[T any](r *Ring[T], v T) bool {
	at := Back(r, 1)
	if at == nil {
		return false
	}
	*at = v
	Send(r, 1)
	return true
}

// Back returns the address for the next value, if there is room for n values, otherwise nil. The n values are
// handed over together by one Send. Producer side.
func Back[T any](r *Ring[T], n int) *T {
	tail, s := r.tail.Load(), r.written
	if tail+uint64(n)-max(r.head.Load(), s.first) > uint64(len(s.slots)) {
		if s = switchSegment(r, tail, n); s == nil {
			return nil
		}
	}
	return &s.slots[tail&s.mask]
}

// Next returns the address of the value i places after Back. The call of Back must have been for more than i
// values. Producer side.
func Next[T any](r *Ring[T], i int) *T {
	s := r.written
	return &s.slots[(r.tail.Load()+uint64(i))&s.mask]
}

// Send hands over n values, starting with the value at Back, to the consumer. Back must have been called for at least
// n values. Producer side.
func Send[T any](r *Ring[T], n int) { release.Uint64(&r.tail, r.tail.Load()+uint64(n)) }

// switchSegment switches to the segment made by Grow and returns it; nil without a segment that has room for n values.
// tail is the number of its first value. Producer side.
func switchSegment[T any](r *Ring[T], tail uint64, n int) *segment[T] {
	if s := r.nextSegment.Load(); s == nil || n > len(s.slots) {
		return nil
	}
	s := r.nextSegment.Swap(nil) // at least as large as the loaded one
	s.first = tail
	r.written.next.Store(s)
	r.written = s
	return s
}

// Pop removes and returns the oldest value; ok is false if the ring is empty. Consumer side.
func Pop[T any](r *Ring[T]) (v T, ok bool) {
	if front := Front(r); front != nil {
		v, ok = *front, true
		Drop(r)
	}
	return v, ok
}

// Front returns the address of the oldest value, or nil if the ring is empty. It is valid until Drop.
// Consumer side.
func Front[T any](r *Ring[T]) *T {
	head := r.head.Load()
	if head == r.tail.Load() {
		return nil
	}
	s := r.read
	for next := s.next.Load(); next != nil && head >= next.first; next = s.next.Load() {
		s, r.read = next, next
	}
	return &s.slots[head&s.mask]
}

// PopMany moves the oldest values to dst, at most len(dst), and returns how many; 0 if the ring is empty. It may
// leave some for the next call, but takes at least one if any waits. Consumer side.
func PopMany[T any](r *Ring[T], dst []T) (n int) {
	if Front(r) == nil {
		return 0
	}
	s, head, tail := r.read, r.head.Load(), r.tail.Load()
	if next := s.next.Load(); next != nil { // loaded after tail, so this segment has all values before next
		tail = min(tail, next.first)
	}
	var zero T
	n = min(len(dst), int(tail-head))
	for i := range n {
		at := &s.slots[(head+uint64(i))&s.mask]
		dst[i], *at = *at, zero
	}
	release.Uint64(&r.head, head+uint64(n))
	return n
}

// Drop removes the value of Front, which must not have been nil, and its references. Consumer side.
func Drop[T any](r *Ring[T]) {
	head := r.head.Load()
	var zero T
	r.read.slots[head&r.read.mask] = zero
	release.Uint64(&r.head, head+1)
}
