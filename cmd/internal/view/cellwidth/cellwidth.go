// Package cellwidth measures text in terminal columns. A Chinese character takes two columns, and a
// combining mark takes no column.
package cellwidth

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Width returns the number of columns that a line takes.
func Width(line string) int { return uniseg.StringWidth(line) }

// Cut returns the longest prefix of line that fits into width columns, without splitting a character and its
// combining marks.
func Cut(line string, width int) string {
	end, state := 0, -1
	for rest := line; rest != ""; {
		var letter string
		var letterWidth int
		letter, rest, letterWidth, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if width -= letterWidth; width < 0 {
			return line[:end]
		}
		end += len(letter)
	}
	return line
}

// Pad returns text in width columns: padded with spaces, or cut with an ellipsis at its end. width must be at least
// 1.
func Pad(text string, width int) string {
	if Width(text) > width {
		text = Cut(text, width-1) + "…"
	}
	return text + strings.Repeat(" ", max(width-Width(text), 0))
}

// First returns the first of lines that fits into width columns. If no line fits, it returns the last of them, uncut.
// Requires at least one line.
func First(width int, lines ...string) string {
	for _, l := range lines {
		if Width(l) <= width {
			return l
		}
	}
	return lines[len(lines)-1]
}
