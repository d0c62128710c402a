// Package bar draws levels and shares in block characters, in eighths of a character.
package bar

import "strings"

// The levels that bars show: full from Top on, empty from Bottom down.
const (
	Top    = 0
	Bottom = -60
)

// up and right are none to eight eighths of a character, from below and from the left.
var (
	up    = [...]rune{' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}
	right = [...]rune{' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'}
)

// Block returns the one character of a level in dB: a space for silence, but never for
// what can be heard.
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

// Level draws a level in dB as a bar of so many characters, filled up with spaces.
func Level(db float64, width int) string { return Share((db-Bottom)/(Top-Bottom), width) }

// Share draws a share of 1 as Level does a level.
func Share(share float64, width int) string {
	share = min(max(share, 0), 1)
	if !(share > 0) { // NaN too
		share = 0
	}
	n := int(share * float64(8*width))
	out := strings.Repeat("█", n/8)
	if n/8 < width {
		out += string(right[n%8]) + strings.Repeat(" ", width-n/8-1)
	}
	return out
}
