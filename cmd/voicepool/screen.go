package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// screen is the whole of a terminal, drawn again and again, which has its own
// contents back when the screen is closed.
type screen struct {
	file   *os.File
	colour bool
	buf    bytes.Buffer
	width  int
	height int
	rows   int
}

// openScreen takes the terminal over.
func openScreen(file *os.File, colour bool) *screen {
	s := &screen{file: file, colour: colour}
	s.file.WriteString("\x1b[?1049h\x1b[?25l\x1b[?7l") // other screen, no cursor, no wrapping
	return s
}

// close gives the terminal back as it was.
func (s *screen) close() { s.file.WriteString("\x1b[?7h\x1b[?25h\x1b[?1049l") }

// begin starts a picture, whatever size the window has by now.
func (s *screen) begin() {
	s.width, s.height = 80, 24
	if w, h, err := term.GetSize(int(s.file.Fd())); err == nil && w > 0 && h > 0 {
		s.width, s.height = w, h
	}
	s.buf.Reset()
	s.rows = 0
	s.buf.WriteString("\x1b[H")
}

// free returns how many lines still fit.
func (s *screen) free() int { return s.height - s.rows }

// style is how a line looks, as the number of an ANSI attribute; 0 is plain.
type style int

const (
	plain   style = 0
	bold    style = 1
	dim     style = 2
	red     style = 31
	green   style = 32
	yellow  style = 33
	flashed style = 7
)

// line draws one line, cut to the width of the window.
func (s *screen) line(how style, format string, args ...any) {
	if s.free() < 1 {
		return
	}
	if s.rows++; s.rows > 1 {
		s.buf.WriteString("\r\n")
	}
	text := cut(fmt.Sprintf(format, args...), s.width)
	// Without colours a flash is still told by its mark.
	if how == plain || !s.colour {
		s.buf.WriteString("\x1b[K" + text)
		return
	}
	fmt.Fprintf(&s.buf, "\x1b[K\x1b[%dm%s\x1b[0m", how, text)
}

// end shows the picture.
func (s *screen) end() error {
	if s.free() > 0 {
		s.buf.WriteString("\r\n\x1b[J")
	}
	_, err := s.file.Write(s.buf.Bytes())
	return err
}

// cut returns the first characters of a line. All that is drawn here is one
// column wide, but for what a sound's name may have; a terminal that does not
// wrap takes no harm from it.
func cut(line string, width int) string {
	if utf8.RuneCountInString(line) <= width {
		return line
	}
	return string([]rune(line)[:width])
}

// pad returns text in exactly so many characters.
func pad(text string, width int) string {
	n := utf8.RuneCountInString(text)
	if n > width {
		return cut(text, max(0, width-1)) + "…"
	}
	return text + strings.Repeat(" ", width-n)
}
