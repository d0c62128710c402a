// Package meterbar draws levels and shares with block characters, in steps of an eighth of a character.
package meterbar

import "strings"

// The range of levels in dB: a bar is full at Top and empty at Bottom.
const (
	Top    = 0
	Bottom = -60
)

// up and right are characters filled by 0 to 8 eighths, from the bottom and from the left.
var (
	up    = [...]rune{' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}
	right = [...]rune{' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'}
)

// Block returns one character, a vertical bar for the level db in dB. It is a space at -60 dB or below and for NaN.
// Above that it fills at least an eighth. At 0 dB or above it is a full block.
func Block(db float64) rune {
	share := (db - Bottom) / (Top - Bottom)
	switch {
	case !(share > 0):
		return up[0]
	case share >= 1:
		return up[8]
	}
	return up[1+int(share*8)]
}

// Level returns the level db in dB as a horizontal bar of width characters, padded with spaces. The bar is empty at
// -60 dB or below and for NaN. It is full at 0 dB or above. width must not be negative.
func Level(db float64, width int) string { return Share((db-Bottom)/(Top-Bottom), width) }

// Share returns share, from 0 to 1, as a horizontal bar of width characters, padded with spaces. Values beyond 0..1
// are clamped, and NaN counts as 0. width must not be negative.
func Share(share float64, width int) string {
	share = min(max(share, 0), 1)
	if !(share > 0) { // also NaN
		share = 0
	}
	n := int(share * float64(8*width))
	out := strings.Repeat("█", n/8)
	if n/8 < width {
		out += string(right[n%8]) + strings.Repeat(" ", width-n/8-1)
	}
	return out
}
