//go:build !race

package mixer_test

const raceDetector = false
