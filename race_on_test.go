//go:build race

package voicepool_test

const raceDetector = true
