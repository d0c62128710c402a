// Package column measures text in the columns of a terminal. A Chinese character takes two
// columns, a combining mark none.
package column

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Width returns how many columns a line takes.
func Width(line string) int { return uniseg.StringWidth(line) }

// Cut returns as many of the first letters of a line as fit into so many columns.
func Cut(line string, width int) string {
	end, state := 0, -1
	for rest := line; rest != ""; {
		var letter string
		var takes int
		letter, rest, takes, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if width -= takes; width < 0 {
			return line[:end]
		}
		end += len(letter)
	}
	return line
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
