// Package ring has a lock-free queue between two goroutines.
package ring

import (
	"math/bits"
	"sync/atomic"
)

// Ring is a queue of fixed capacity between one producer and one consumer.
// Neither side ever waits, allocates or calls the system. Several producers
// must exclude each other by a mutex of their own; so must several consumers.
type Ring[T any] struct {
	slots []T
	mask  uint64

	_    [64]byte // the two ends are written by different cores: a cache line each
	head atomic.Uint64
	_    [56]byte
	tail atomic.Uint64
	_    [56]byte
}

// New returns an empty ring for at least n values, n >= 1.
func New[T any](n int) *Ring[T] {
	size := 1 << bits.Len(uint(max(n, 1)-1))
	return &Ring[T]{slots: make([]T, size), mask: uint64(size - 1)}
}

// Cap returns how many values fit.
func (r *Ring[T]) Cap() int { return len(r.slots) }

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
	tail := r.tail.Load()
	if tail-r.head.Load() > r.mask {
		return false
	}
	r.slots[tail&r.mask] = v
	r.tail.Store(tail + 1)
	return true
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
	return &r.slots[head&r.mask]
}

// Drop takes the value of Front out, and forgets it. Consumer; only after a Front
// that was not nil.
func (r *Ring[T]) Drop() {
	head := r.head.Load()
	var zero T
	r.slots[head&r.mask] = zero
	r.head.Store(head + 1)
}
