package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"voicepool/internal/words"
)

// placeReader reads what a JSON decoder asks for, but only so far beyond what it
// has been let to, and knows the place of what is not understood yet.
type placeReader struct {
	in    io.Reader
	most  int64
	until int64  // what was let
	line  int    // lines that end before until
	begin int64  // of the line in which until is
	ahead []byte // what was read beyond until
	err   error  // what in gave
}

var errLong = fmt.Errorf("a value of more than %d bytes", maxEvent)

func (p *placeReader) Read(b []byte) (int, error) {
	// A decoder may have read a whole buffer ahead of what it gives.
	if room := 2*p.most - int64(len(p.ahead)); room <= 0 {
		p.err = errLong
		return 0, p.err
	} else if int64(len(b)) > room {
		b = b[:room]
	}
	n, err := p.in.Read(b)
	p.ahead = append(p.ahead, b[:n]...)
	if err != nil && err != io.EOF {
		p.err = err
	}
	return n, err
}

// let allows reading on, since all up to an offset has been understood.
func (p *placeReader) let(offset int64) {
	passed := p.ahead[:offset-p.until]
	if n := bytes.Count(passed, []byte{'\n'}); n > 0 {
		p.line += n
		p.begin = p.until + int64(bytes.LastIndexByte(passed, '\n')) + 1
	}
	p.ahead = p.ahead[len(passed):]
	p.until = offset
}

// wrong returns an error with its place; offset is where the decoder was.
func (p *placeReader) wrong(name string, offset int64, err error) error {
	if p.err != nil {
		err = p.err
		if !errors.Is(err, errLong) {
			return fmt.Errorf("%s: %w", name, words.Cause(err))
		}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it ends before the report does")
		offset = p.until + int64(len(p.ahead))
	case errors.As(err, &syntax):
		// A decoder does not say where it was, once it has given tokens.
		rest := p.ahead[offset-p.until:]
		value := bytes.TrimLeft(rest, " \t\r\n,:")
		var again *json.SyntaxError
		if errors.As(json.Unmarshal(value, new(json.RawMessage)), &again) {
			offset += int64(len(rest)-len(value)) + again.Offset - 1
		}
	}
	p.let(offset)
	return fmt.Errorf("%s:%d:%d: %w", name, p.line+1, offset-p.begin+1, err)
}
