//go:build race

package mixer_test

// raceDetector says that everything takes ten times as long.
const raceDetector = true
