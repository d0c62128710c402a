//go:build !pooldebug

package pool

// debug reports whether released objects are filled with Reclaimed.
const debug = false

// filler is a stub of the filler in debug_on.go.
type filler struct{}

// newFiller is a stub of newFiller in debug_on.go.
func newFiller[T any]() (f filler) { return f }

// fill is a stub of fill in debug_on.go.
func fill[T any](filler, *T) {}

// renew is a stub of renew in debug_on.go.
func renew[T any](filler, *T) uint64 { return 0 }
