//go:build !race

package steal

// Race is false without the race detector.
const Race = false
