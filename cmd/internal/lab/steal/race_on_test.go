//go:build race

package steal

// Race is true under the race detector. Long tests are then skipped, because this package has no goroutines.
const Race = true
