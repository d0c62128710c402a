// Package cellwidth measures text in terminal columns. A Chinese character takes two columns, and a
// combining mark takes no column.
package cellwidth

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Width returns the number of terminal columns that a line takes.
func Width(line string) int { return uniseg.StringWidth(line) }

// Cut returns the longest prefix of line that fits into width terminal columns. It does not separate a character from
// its combining marks.
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

// Pad returns text in width terminal columns. A shorter text is padded with spaces. A longer text is cut and ends with
// an ellipsis. width must be at least 1.
func Pad(text string, width int) string {
	if Width(text) > width {
		text = Cut(text, width-1) + "…"
	}
	return text + strings.Repeat(" ", max(width-Width(text), 0))
}

// First returns the first of lines that fits into width terminal columns. If no line fits, it returns the last of
// them, uncut. There must be at least one line.
func First(width int, lines ...string) string {
	for _, l := range lines {
		if Width(l) <= width {
			return l
		}
	}
	return lines[len(lines)-1]
}
