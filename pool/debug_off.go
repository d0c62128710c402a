//go:build !pooldebug

package pool

// debug tells whether reclaimed objects are filled with Reclaimed.
const debug = false

// filler would know where in an object the pattern goes.
type filler struct{}

func newFiller[T any]() (f filler) { return f }

// fill would fill an object that has been cleared.
func fill[T any](filler, *T) {}

// renew would clear an object that fill has filled, and say how many (0 or 1)
// were not as fill had left them.
func renew[T any](filler, *T) uint64 { return 0 }
