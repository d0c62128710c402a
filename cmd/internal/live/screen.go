package live

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"voicepool/cmd/internal/column"
)

// Screen is the whole of a terminal, drawn again and again, which has its own
// contents back when the screen is closed.
//
// A goroutine writes to it. A terminal that takes no more holds nothing up: it misses pictures.
type Screen struct {
	file   *os.File
	latest chan []byte // the picture to be written
	done   chan struct{}
	mutex  sync.Mutex // of latest and closed: a second signal closes it from another goroutine
	closed bool
	colour bool
	buf    bytes.Buffer
	width  int
	height int
	rows   int
}

// OpenScreen takes the terminal over, until Close.
func OpenScreen(file *os.File, colour bool) *Screen {
	s := &Screen{file: file, colour: colour, latest: make(chan []byte, 1), done: make(chan struct{})}
	go s.write()
	return s
}

// write writes pictures. A terminal that is gone is no reason to stop the sound.
func (s *Screen) write() {
	defer close(s.done)
	s.file.WriteString("\x1b[?1049h\x1b[?25l\x1b[?7l") // other screen, no cursor, no wrapping
	for picture := range s.latest {
		s.file.Write(picture)
	}
	s.file.WriteString("\x1b[?7h\x1b[?25h\x1b[?1049l")
}

// giveBack is how long a terminal is waited for that takes no more.
const giveBack = 500 * time.Millisecond

// Close gives the terminal back as it was.
func (s *Screen) Close() {
	s.mutex.Lock()
	s.closed = true
	close(s.latest)
	s.mutex.Unlock()
	select {
	case <-s.done:
	case <-time.After(giveBack):
	}
}

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

// style is how a line looks, as the parameters of an ANSI attribute.
type style string

const (
	plain   style = ""
	bold    style = "1"
	dim     style = "2"
	red     style = "31"
	green   style = "32"
	yellow  style = "33"
	flashed style = "7;"
)

// soundStyles are for sounds, which can be told apart on a dark ground and on a light one.
var soundStyles = [...]style{
	"38;5;33", "38;5;208", "38;5;34", "38;5;135", "38;5;178", "38;5;37", "38;5;204", "38;5;137", "38;5;106", "38;5;63", "38;5;186", "38;5;74", "38;5;170", "38;5;71",
}

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
	fmt.Fprintf(&s.buf, "\x1b[K\x1b[%sm%s\x1b[0m", how, text)
}

// wrapped draws a text in as many lines as it needs, where all of them are free, or first is set.
func (s *Screen) wrapped(how style, text string, first bool) {
	lines := wrap(text, s.width)
	if len(lines) > s.free() && !first {
		return
	}
	for _, l := range lines {
		s.line(how, "%s", l)
	}
}

// wrap breaks a text between words into lines of so many columns, all but the first indented.
func wrap(text string, width int) (lines []string) {
	const indent = "  "
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case column.Width(line)+1+column.Width(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), indent+word
		}
	}
	return append(lines, line)
}

// end hands the picture over, in the place of one that still waits.
func (s *Screen) end() {
	if s.free() > 0 {
		s.buf.WriteString("\r\n\x1b[J")
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.closed {
		return
	}
	select {
	case <-s.latest:
	default:
	}
	s.latest <- bytes.Clone(s.buf.Bytes()) // there is room: nobody else writes to it
}
