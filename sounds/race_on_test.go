//go:build race

package sounds_test

const raceEnabled = true
