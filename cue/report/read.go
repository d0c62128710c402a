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
	// maxFrame is the last frame that a float64 can distinguish from the next.
	maxFrame = 1 << 53

	// maxEvent is the largest size of an event, or of another value of a report, in bytes.
	maxEvent = 1 << 16
)

// Read parses a report from the reader `in` and calls each with every event, in order. It does not store the events, so
// Events of the returned report is empty. Input after the report is ignored. An event must not have an earlier frame
// than the event before it. An event or another value must not have more than 64 KiB. If each returns an error, Read
// stops and returns that error unchanged.
//
// Any other error is one line of text that begins with name. It includes the line and the column of the fault. Only an
// error of the reader `in` has neither. On an error the report is nil.
func Read(name string, in io.Reader, each func(*Event) error) (*Report, error) {
	places := &positionReader{in: in, maxAhead: maxEvent}
	r := &reader{d: json.NewDecoder(places), input: places, each: each}
	err := r.read()
	switch {
	case r.callbackErr != nil:
		return nil, r.callbackErr
	case err != nil:
		return nil, places.locate(name, r.d.InputOffset(), err)
	}
	return &r.head, nil
}

// errNoReport means that the input is not a report.
var errNoReport = errors.New("not a report: want the JSON with a version and events that --report writes; for a cue sheet, first run voicepool render sheet.yaml -o out.wav --report report.json")

// reader parses a report from JSON; see Read.
type reader struct {
	d           *json.Decoder
	input       *positionReader
	each        func(*Event) error
	head        Report
	frame       int64
	callbackErr error // the error returned by each
}

// maxKeys limits the number of member names that are checked for duplicates.
const maxKeys = 64

// read parses a whole report into r.head and calls r.each for its events. It returns errNoReport if the input is not a
// report, and other errors for invalid or repeated members. Only the first 64 names, version and events are remembered
// for this check. Errors do not include a line or a column. An error of r.each is returned unchanged.
func (r *reader) read() error {
	if err := r.open('{', "a report"); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || r.input.err != nil {
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
			return fmt.Errorf("%q is there twice", key)
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
		r.input.advance(r.d.InputOffset())
	}
	if _, err := r.d.Token(); err != nil {
		return unexpectedEOF(err)
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

// member parses the next value of the input as the member named key, and stores it in the field of r.head with that
// JSON name; upper and lower case do not matter. An unknown key is ignored. It returns an error for invalid JSON or for
// a value of another type. It must not be called for the member events.
func (r *reader) member(key string) error {
	var value json.RawMessage
	if err := r.decode(&value); err != nil {
		return err
	}
	text, err := json.Marshal(map[string]json.RawMessage{key: value})
	if err != nil {
		return err
	}
	return rewordTypeError(json.Unmarshal(text, &r.head))
}

// open reads the next JSON token, which must be the delimiter want, such as an opening bracket. Otherwise it returns an
// error. kind is a noun for the error message, such as "a report". At the end of the input the error is
// io.ErrUnexpectedEOF.
func (r *reader) open(want json.Delim, kind string) error {
	token, err := r.d.Token()
	if err != nil {
		return unexpectedEOF(err)
	}
	if token != want {
		return fmt.Errorf("this is not %s", kind)
	}
	return nil
}

// decode parses the next JSON value into the variable that the pointer into refers to. An error of the wrong type is
// reworded for users. At the end of the input the error is io.ErrUnexpectedEOF.
func (r *reader) decode(into any) error { return rewordTypeError(unexpectedEOF(r.d.Decode(into))) }

// rewordTypeError rewords err for users if it is a *json.UnmarshalTypeError: the new text names the field and the wrong
// type. The new error does not wrap err. It returns other errors, and nil, unchanged.
func rewordTypeError(err error) error {
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

// events parses the list of events, which must be in the order of frames with frames of 0..2^53, and calls r.each for
// every event. It stops at the first error and returns it. An error of r.each is also stored in r.callbackErr, so that
// Read can recognize it.
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
		if r.callbackErr = r.each(e); r.callbackErr != nil {
			return r.callbackErr
		}
		r.input.advance(r.d.InputOffset())
	}
	_, err := r.d.Token()
	return unexpectedEOF(err)
}

// unexpectedEOF replaces io.EOF by io.ErrUnexpectedEOF. It returns other errors, and nil, unchanged.
func unexpectedEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// positionReader feeds a JSON decoder. It limits how far the decoder reads ahead, and keeps the unparsed input,
// so that errors have a line and a column.
type positionReader struct {
	in        io.Reader
	maxAhead  int64
	parsed    int64  // offset of the parsed input
	line      int    // number of lines before until
	lineStart int64  // offset of the line that contains until
	pending   []byte // input read beyond until
	err       error  // error of in
}

var errTooLong = fmt.Errorf("a value of more than %d bytes", maxEvent)

// Read reads from p.in into b and returns the number of bytes and any error of p.in. It also keeps the bytes in
// p.pending, so that lines and columns can be found later. If 2 * p.maxAhead bytes beyond the parsed input are kept
// already, it returns errTooLong. Errors except io.EOF are stored in p.err, errTooLong too. Fewer than len(b) bytes may
// be read, so that this limit holds.
func (p *positionReader) Read(b []byte) (int, error) {
	// A decoder may read a whole buffer ahead of its current token.
	if space := 2*p.maxAhead - int64(len(p.pending)); space <= 0 {
		p.err = errTooLong
		return 0, p.err
	} else if int64(len(b)) > space {
		b = b[:space]
	}
	n, err := p.in.Read(b)
	p.pending = append(p.pending, b[:n]...)
	if err != nil && err != io.EOF {
		p.err = err
	}
	return n, err
}

// advance marks the input before offset as parsed. The marked bytes are dropped from p.pending, so that Read can read
// more, and their lines are counted. offset is in bytes from the beginning of the input. It must not be less than in
// the last call, nor lie beyond the input that was read.
func (p *positionReader) advance(offset int64) {
	passed := p.pending[:offset-p.parsed]
	if n := bytes.Count(passed, []byte{'\n'}); n > 0 {
		p.line += n
		p.lineStart = p.parsed + int64(bytes.LastIndexByte(passed, '\n')) + 1
	}
	p.pending = p.pending[len(passed):]
	p.parsed = offset
}

// locate returns an error for users: name, the line and the column of the fault, and the text of err. It wraps err. err
// is an error of the parser, and offset the byte offset of the JSON decoder. An unexpected end of the input gets a text
// for users instead, and err is not wrapped. If p.in has failed, its error is used instead, without a line and a
// column. If a value was too long, errTooLong is used instead, with a line and a column. locate must be called last,
// because it marks input as parsed.
func (p *positionReader) locate(name string, offset int64, err error) error {
	if p.err != nil {
		err = p.err
		if !errors.Is(err, errTooLong) {
			return fmt.Errorf("%s: %w", name, words.Cause(err))
		}
	}
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("it ends before the report does")
		offset = p.parsed + int64(len(p.pending))
	case errors.As(err, &syntax):
		// A decoder does not report its offset once it has returned tokens.
		unparsed := p.pending[offset-p.parsed:]
		value := bytes.TrimLeft(unparsed, " \t\r\n,:")
		var inner *json.SyntaxError
		if errors.As(json.Unmarshal(value, new(json.RawMessage)), &inner) {
			offset += int64(len(unparsed)-len(value)) + inner.Offset - 1
		}
	}
	p.advance(offset)
	return fmt.Errorf("%s:%d:%d: %w", name, p.line+1, offset-p.lineStart+1, err)
}
