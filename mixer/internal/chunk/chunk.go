// Package chunk allocates values in chunks of growing size, so that few calls allocate.
package chunk

// Allocator allocates values of type T, which are never freed. The zero value is ready for use. It belongs to one
// goroutine at a time.
type Allocator[T any] struct {
	allocated int
	free      []T
}

// Next returns a pointer to a zero value that was never returned before. It allocates many values at a time, so most
// calls do not allocate.
func (a *Allocator[T]) Next() *T {
	if len(a.free) == 0 {
		a.free = make([]T, max(a.allocated/2, 4))
		a.allocated += len(a.free)
	}
	x := &a.free[0]
	a.free = a.free[1:]
	return x
}
