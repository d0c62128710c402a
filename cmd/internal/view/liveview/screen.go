package liveview

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"voicepool/cmd/internal/view/cellwidth"
)

// Screen draws on a whole terminal. Close restores the terminal's previous contents.
//
// Its own goroutine writes to the terminal. A slow terminal misses pictures but delays no other
// goroutine.
type Screen struct {
	file   *os.File
	latest chan []byte // the next picture to write
	done   chan struct{}
	mutex  sync.Mutex // guards latest and closed; on a second signal, another goroutine calls Close
	closed bool
	colour bool
	buf    bytes.Buffer
	width  int
	height int
	rows   int
}

// OpenScreen takes over the terminal file, so that pictures fill its window. It starts a goroutine that writes them.
// The caller must call Close, which restores the terminal. If colour is false, lines have neither color nor emphasis.
func OpenScreen(file *os.File, colour bool) *Screen {
	s := &Screen{file: file, colour: colour, latest: make(chan []byte, 1), done: make(chan struct{})}
	go s.write()
	return s
}

// write takes over the terminal and writes each picture from s.latest to it. When Close closes s.latest, it restores
// the terminal, closes s.done and returns. It runs on its own goroutine. Errors are ignored, because a lost terminal
// must not stop the sound.
func (s *Screen) write() {
	defer close(s.done)
	s.file.WriteString("\x1b[?1049h\x1b[?25l\x1b[?7l") // alternate screen, no cursor, no wrapping
	for picture := range s.latest {
		s.file.Write(picture)
	}
	s.file.WriteString("\x1b[?7h\x1b[?25h\x1b[?1049l")
}

// restoreTimeout is the time that Close waits for a blocked terminal.
const restoreTimeout = 500 * time.Millisecond

// Close stops the goroutine of the screen, which restores the terminal. Close waits for that, but at most 500 ms,
// because the terminal may be blocked. It must be called only once.
func (s *Screen) Close() {
	s.mutex.Lock()
	s.closed = true
	close(s.latest)
	s.mutex.Unlock()
	select {
	case <-s.done:
	case <-time.After(restoreTimeout):
	}
}

// begin starts an empty picture in the current size of the window, or in 80 by 24 characters if the size is unknown.
// Then the methods line and wrapped draw, and end shows the picture.
func (s *Screen) begin() {
	s.width, s.height = 80, 24
	if w, h, err := term.GetSize(int(s.file.Fd())); err == nil && w > 0 && h > 0 {
		s.width, s.height = w, h
	}
	s.buf.Reset()
	s.rows = 0
	s.buf.WriteString("\x1b[H")
}

// free returns the number of lines of the window that the picture does not use yet.
func (s *Screen) free() int { return s.height - s.rows }

// style is the style of a line, as the parameters of an ANSI attribute.
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

// soundStyles are the colors of sounds. They are readable on dark and light backgrounds.
var soundStyles = [...]style{
	"38;5;33", "38;5;208", "38;5;34", "38;5;135", "38;5;178", "38;5;37", "38;5;204", "38;5;137", "38;5;106", "38;5;63", "38;5;186", "38;5;74", "38;5;170", "38;5;71",
}

// line draws one line at the next row of the picture, in the style how. The text is formatted as by fmt.Sprintf and
// cut to the width of the window. If the window is full, line has no effect. If s.colour is false, the style is
// ignored.
func (s *Screen) line(how style, format string, args ...any) {
	if s.free() < 1 {
		return
	}
	if s.rows++; s.rows > 1 {
		s.buf.WriteString("\r\n")
	}
	text := cellwidth.Cut(fmt.Sprintf(format, args...), s.width)
	// Without colors, a flash is still visible by its mark.
	if how == plain || !s.colour {
		s.buf.WriteString("\x1b[K" + text)
		return
	}
	fmt.Fprintf(&s.buf, "\x1b[K\x1b[%sm%s\x1b[0m", how, text)
}

// wrapped draws text in the style how, broken between words, on as many rows of the picture as it needs. If the free
// rows are too few and first is false, it draws no line. If first is true, it draws the lines that fit.
func (s *Screen) wrapped(how style, text string, first bool) {
	lines := wrap(text, s.width)
	if len(lines) > s.free() && !first {
		return
	}
	for _, l := range lines {
		s.line(how, "%s", l)
	}
}

// wrap breaks text between words into lines of at most width columns. All lines except the first are indented by two
// spaces, which may exceed width. A longer word is not cut and gets a line of its own. An empty text gives one empty
// line.
func wrap(text string, width int) (lines []string) {
	const indent = "  "
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case cellwidth.Width(line)+1+cellwidth.Width(word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), indent+word
		}
	}
	return append(lines, line)
}

// end passes the finished picture to the goroutine of the screen, which writes it to the terminal. The picture
// replaces an older one still waiting there. end does not block, and after Close it has no effect. Only one goroutine
// may draw.
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
	s.latest <- bytes.Clone(s.buf.Bytes()) // there is room, because this is the only sender
}
