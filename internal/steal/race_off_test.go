//go:build !race

package steal

// Race says that the race detector does not run.
const Race = false
