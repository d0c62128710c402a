package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"voicepool/internal/words"
)

const (
	// maxFrame is the last frame that a float64 tells from the next.
	maxFrame = 1 << 53

	// maxEvent is the longest event, or other value of a report, that is read.
	maxEvent = 1 << 16
)

// Read reads a report and tells each of its events, in their order, without keeping
// any; what it returns has none. An error of each ends the reading and is returned as
// it is. All other errors are one line with name, line and column.
func Read(name string, in io.Reader, each func(*Event) error) (*Report, error) {
	places := &placeReader{in: in, most: maxEvent}
	r := &reader{d: json.NewDecoder(places), places: places, each: each}
	err := r.read()
	switch {
	case r.told != nil:
		return nil, r.told
	case err != nil:
		return nil, places.wrong(name, r.d.InputOffset(), err)
	}
	return &r.head, nil
}

// errNoReport says that a file is something else.
var errNoReport = errors.New("it is no report: that is JSON with a version and events, which --report writes; a cue sheet has to be rendered first: voicepool render sheet.yaml -o out.wav --report report.json")

type reader struct {
	d      *json.Decoder
	places *placeReader
	each   func(*Event) error
	head   Report
	frame  int64
	told   error // the one who is told of events wants no more
}

// maxKeys bounds the members of a report that are looked at for one that stands there
// twice.
const maxKeys = 64

func (r *reader) read() error {
	if err := r.open('{', "a report"); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || r.places.err != nil {
			return err
		}
		return errNoReport
	}
	seen := map[string]bool{}
	for r.d.More() {
		token, err := r.d.Token()
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) && len(seen) == 0 {
			return errNoReport
		}
		if err != nil {
			return err
		}
		key, _ := token.(string)
		switch {
		case key == "cues" || key == "sounds" && !seen["version"]:
			return errNoReport
		case seen[key]:
			return fmt.Errorf("%q stands there twice", key)
		case key == "events":
			err = r.events()
		default:
			err = r.member(key)
		}
		if err != nil {
			return err
		}
		if len(seen) < maxKeys || key == "events" || key == "version" {
			seen[key] = true
		}
		r.places.let(r.d.InputOffset())
	}
	if _, err := r.d.Token(); err != nil {
		return unexpected(err)
	}
	switch {
	case !seen["version"] || !seen["events"]:
		return errNoReport
	case r.head.Version != 1:
		return fmt.Errorf("a report of version %d, only 1 is understood", r.head.Version)
	case r.head.From < 0 || r.head.From > max(r.head.Frames, 0):
		return fmt.Errorf("it began at frame %d, which is not in 0..%d", r.head.From, max(r.head.Frames, 0))
	case r.head.Frames < 0 || r.head.Frames > maxFrame:
		return fmt.Errorf("%d frames are not in 0..%d", r.head.Frames, int64(maxFrame))
	case r.head.Rate < 1 || r.head.Rate > 768000:
		return fmt.Errorf("a rate of %d Hz is not in 1..768000", r.head.Rate)
	}
	return nil
}

// member reads one member of the head, as the tags of Report say.
func (r *reader) member(key string) error {
	var value json.RawMessage
	if err := r.decode(&value); err != nil {
		return err
	}
	text, err := json.Marshal(map[string]json.RawMessage{key: value})
	if err != nil {
		return err
	}
	return readable(json.Unmarshal(text, &r.head))
}

// open takes the token that begins something.
func (r *reader) open(want json.Delim, what string) error {
	token, err := r.d.Token()
	if err != nil {
		return unexpected(err)
	}
	if token != want {
		return fmt.Errorf("this is not %s", what)
	}
	return nil
}

func (r *reader) decode(into any) error { return readable(unexpected(r.d.Decode(into))) }

// readable says in words that a value has the wrong type.
func readable(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		what := wrong.Field
		if what == "" {
			what = "the value"
		}
		return fmt.Errorf("%s is %s, which it cannot be", what, wrong.Value)
	}
	return err
}

func (r *reader) events() error {
	if err := r.open('[', "the list of events"); err != nil {
		return err
	}
	for r.d.More() {
		e := &Event{}
		if err := r.decode(e); err != nil {
			return err
		}
		if e.Frame > maxFrame {
			return fmt.Errorf("the frame %d is not in 0..%d", e.Frame, int64(maxFrame))
		}
		if e.Frame < r.frame {
			return fmt.Errorf("an event of frame %d after one of frame %d", e.Frame, r.frame)
		}
		r.frame = e.Frame
		if r.told = r.each(e); r.told != nil {
			return r.told
		}
		r.places.let(r.d.InputOffset())
	}
	_, err := r.d.Token()
	return unexpected(err)
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

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
