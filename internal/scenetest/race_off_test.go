//go:build !race

package scenetest

const raceEnabled = false
