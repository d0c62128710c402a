//go:build !purego

package dsp

// detect finds the vectors that every arm64 has.
func detect() instructions { return neon }
