// Package column measures text in the columns of a terminal.
package column

import (
	"strings"
	"unicode/utf8"
)

// Width returns how many columns a line takes.
func Width(line string) int { return utf8.RuneCountInString(line) }

// Cut returns as much of the beginning of a line as fits into so many columns.
func Cut(line string, width int) string {
	if Width(line) <= width {
		return line
	}
	return string([]rune(line)[:max(width, 0)])
}

// Pad returns text in exactly so many columns: filled up with spaces, or cut, with a
// mark of that.
func Pad(text string, width int) string {
	if Width(text) > width {
		text = Cut(text, width-1) + "…"
	}
	return text + strings.Repeat(" ", max(width-Width(text), 0))
}

// First returns the first of some lines that fits into so many columns, or the last.
func First(width int, lines ...string) string {
	for _, l := range lines {
		if Width(l) <= width {
			return l
		}
	}
	return lines[len(lines)-1]
}
