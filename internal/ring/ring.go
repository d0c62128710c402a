// Package ring has a lock-free queue between two goroutines.
package ring

import (
	"math/bits"
	"sync/atomic"
	"voicepool/internal/release"
)

// Ring is a queue between one producer and one consumer. Neither side ever
// waits, allocates or calls the system. Several producers must exclude each
// other by a mutex of their own; so must several consumers. It holds as many
// values as New was told, and more after a Grow, which either side may call.
type Ring[T any] struct {
	spare atomic.Pointer[segment[T]] // what Grow has made and the producer has not begun with
	size  atomic.Int64               // of the last segment

	_       [64]byte // the two ends are written by different cores: a cache line each
	head    atomic.Uint64
	read    *segment[T]
	_       [48]byte
	tail    atomic.Uint64
	written *segment[T]
	_       [48]byte
}

// segment is a part of the ring: value number i stands at i & mask.
type segment[T any] struct {
	slots []T
	mask  uint64
	first uint64                     // the number of its first value
	next  atomic.Pointer[segment[T]] // where the values go on that come after it is full
}

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

// Grow makes room for at least n values, whatever waits besides. It allocates. One
// goroutine at a time, of either side or of neither.
func (r *Ring[T]) Grow(n int) {
	s := newSegment[T](n)
	r.size.Store(int64(len(s.slots)))
	r.spare.Store(s)
}

// Cap returns for how many values there is room, at least, where none wait.
func (r *Ring[T]) Cap() int { return int(r.size.Load()) }

// Len returns how many values wait. Each side may ask; for the consumer it is
// a lower bound, for the producer an upper one.
func (r *Ring[T]) Len() int {
	head := r.head.Load() // first: the tail only grows, so the difference is never negative
	return int(r.tail.Load() - head)
}

// Pushed returns how many values have ever been pushed. Either side.
func (r *Ring[T]) Pushed() uint64 { return r.tail.Load() }

// Popped returns how many values have ever been taken. Either side.
func (r *Ring[T]) Popped() uint64 { return r.head.Load() }

// Push appends v and reports whether there was room. Producer side.
func (r *Ring[T]) Push(v T) bool {
	at := r.Back(1)
	if at == nil {
		return false
	}
	*at = v
	r.Send(1)
	return true
}

// Back returns where the value that is pushed next lies, if there is room for n, all
// of which come with one Send; else nil. Producer side.
func (r *Ring[T]) Back(n int) *T {
	tail, s := r.tail.Load(), r.written
	if tail+uint64(n)-max(r.head.Load(), s.first) > uint64(len(s.slots)) {
		if s = r.begin(tail, n); s == nil {
			return nil
		}
	}
	return &s.slots[tail&s.mask]
}

// Next returns where the value lies that comes i after that of Back. Producer side.
func (r *Ring[T]) Next(i int) *T {
	s := r.written
	return &s.slots[(r.tail.Load()+uint64(i))&s.mask]
}

// Send hands the values over that stand at Back and after it. Producer side.
func (r *Ring[T]) Send(n int) { release.Uint64(&r.tail, r.tail.Load()+uint64(n)) }

// begin goes on with what Grow has made, if it has; n values have to fit.
func (r *Ring[T]) begin(tail uint64, n int) *segment[T] {
	if s := r.spare.Load(); s == nil || n > len(s.slots) {
		return nil
	}
	s := r.spare.Swap(nil) // at most larger than the one that was there
	s.first = tail
	r.written.next.Store(s)
	r.written = s
	return s
}

// Pop takes the oldest value, if there is one, and forgets what it refers to.
// Consumer side.
func (r *Ring[T]) Pop() (v T, ok bool) {
	if front := r.Front(); front != nil {
		v, ok = *front, true
		r.Drop()
	}
	return v, ok
}

// Front returns the value that Pop would take, where it lies; nil if the ring is
// empty. It stays there until Drop. Consumer.
func (r *Ring[T]) Front() *T {
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

// Take moves the oldest values to dst, at most so many as it has places for, and returns how many. It may
// leave some for the next call, but takes one if any waits. Consumer side.
func (r *Ring[T]) Take(dst []T) (n int) {
	if r.Front() == nil {
		return 0
	}
	s, head, tail := r.read, r.head.Load(), r.tail.Load()
	if next := s.next.Load(); next != nil { // after tail: so it has all that is not here
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

// Drop takes the value of Front out, and forgets it. Consumer; only after a Front
// that was not nil.
func (r *Ring[T]) Drop() {
	head := r.head.Load()
	var zero T
	r.read.slots[head&r.read.mask] = zero
	release.Uint64(&r.head, head+1)
}
