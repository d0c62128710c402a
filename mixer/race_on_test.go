//go:build race

package mixer_test

// raceDetector reports whether the race detector, which is ten times slower, is on.
const raceDetector = true
