package live

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/term"

	"voicepool/cmd/internal/column"
)

// Screen is the whole of a terminal, drawn again and again, which has its own
// contents back when the screen is closed.
type Screen struct {
	file   *os.File
	colour bool
	buf    bytes.Buffer
	width  int
	height int
	rows   int
}

// OpenScreen takes the terminal over.
func OpenScreen(file *os.File, colour bool) *Screen {
	s := &Screen{file: file, colour: colour}
	s.file.WriteString("\x1b[?1049h\x1b[?25l\x1b[?7l") // other screen, no cursor, no wrapping
	return s
}

// Close gives the terminal back as it was.
func (s *Screen) Close() { s.file.WriteString("\x1b[?7h\x1b[?25h\x1b[?1049l") }

// begin starts a Picture, whatever size the window has by now.
func (s *Screen) begin() {
	s.width, s.height = 80, 24
	if w, h, err := term.GetSize(int(s.file.Fd())); err == nil && w > 0 && h > 0 {
		s.width, s.height = w, h
	}
	s.buf.Reset()
	s.rows = 0
	s.buf.WriteString("\x1b[H")
}

// free returns how many lines still fit.
func (s *Screen) free() int { return s.height - s.rows }

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
func (s *Screen) line(how style, format string, args ...any) {
	if s.free() < 1 {
		return
	}
	if s.rows++; s.rows > 1 {
		s.buf.WriteString("\r\n")
	}
	text := column.Cut(fmt.Sprintf(format, args...), s.width)
	// Without colours a flash is still told by its mark.
	if how == plain || !s.colour {
		s.buf.WriteString("\x1b[K" + text)
		return
	}
	fmt.Fprintf(&s.buf, "\x1b[K\x1b[%dm%s\x1b[0m", how, text)
}

func (s *Screen) end() error {
	if s.free() > 0 {
		s.buf.WriteString("\r\n\x1b[J")
	}
	_, err := s.file.Write(s.buf.Bytes())
	return err
}
