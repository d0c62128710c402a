//go:build race

package steal

// Race says that the race detector runs, under which long tests are skipped: there
// is no goroutine in this package.
const Race = true
