package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// happening is an event of a report.
type happening struct {
	Frame            int64    `json:"frame"`
	Kind             string   `json:"kind"`
	Voice            uint64   `json:"voice,omitempty"`
	Sound            string   `json:"sound,omitempty"`
	Cue              int      `json:"cue"`
	By               uint64   `json:"by,omitempty"`
	BySound          string   `json:"by_sound,omitempty"`
	Slot             *int     `json:"slot,omitempty"`
	Audibility       *float64 `json:"audibility_db,omitempty"` // nil: silence
	Newcomer         *float64 `json:"newcomer_db,omitempty"`
	RunnerUp         *float64 `json:"runner_up_db,omitempty"` // nil: none, or silence
	Candidates       int      `json:"candidates,omitempty"`
	Peers            int      `json:"peers,omitempty"` // 0: an older report
	Priority         *int     `json:"priority,omitempty"`
	NewcomerPriority *int     `json:"newcomer_priority,omitempty"`
	Policy           string   `json:"policy,omitempty"`
	Lost             *float64 `json:"lost_db,omitempty"` // nil: silence, or nobody knows
	BelowMix         *float64 `json:"below_mix_db,omitempty"`
	Reason           string   `json:"reason,omitempty"`
	Limit            int      `json:"limit,omitempty"`
	Bus              string   `json:"bus,omitempty"`
	Cooldown         string   `json:"cooldown,omitempty"`
}

// slot is the slot of a voice; -1 for none.
func (h *happening) slot() int {
	if h.Slot == nil {
		return -1
	}
	return *h.Slot
}

// reportHead is what a report says of the whole.
type reportHead struct {
	Rate     int
	Frames   int64
	Voices   int
	Virtual  int
	Overflow string
	Totals   struct {
		Asked      int64 `json:"asked"`
		Started    int64 `json:"started"`
		Rejected   int64 `json:"rejected"`
		Limited    int64 `json:"limited"`
		Coalesced  int64 `json:"coalesced"`
		Stolen     int64 `json:"stolen"`
		HighWater  int64 `json:"high_water"`
		EventsLost int64 `json:"events_lost"`
	}
}

const (
	// maxFrame is the last frame that a float64 tells from the next.
	maxFrame = 1 << 53

	// maxEvent is the longest event, or other value of a report, that is read.
	maxEvent = 1 << 16

	// maxKept bounds how many events are kept for one answer.
	maxKept = 10000
)

// readReport reads a report and tells each of its events, in their order, without
// keeping any. The head is complete when it returns. Errors name the line and
// column.
func readReport(name string, in io.Reader, each func(*happening) error) (*reportHead, error) {
	places := &placeReader{in: in, most: maxEvent}
	d := json.NewDecoder(places)
	r := &reportReader{d: d, places: places, each: each}
	if err := r.read(); err != nil {
		if errors.Is(err, errTold) {
			return nil, r.told
		}
		return nil, places.wrong(name, d.InputOffset(), err)
	}
	return &r.head, nil
}

// errNoReport says that a file is something else.
var errNoReport = errors.New("it is no report: that is JSON with a version and events, which --report writes; a cue sheet has to be rendered first: voicepool render sheet.yaml -o out.wav --report report.json")

// errTold says that the one who is told of events wants no more.
var errTold = errors.New("told")

type reportReader struct {
	d      *json.Decoder
	places *placeReader
	each   func(*happening) error
	head   reportHead
	frame  int64
	told   error
}

func (r *reportReader) read() error {
	if err := r.open('{', "a report"); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || r.places.err != nil {
			return err
		}
		return errNoReport
	}
	seen := map[string]bool{}
	var version int
	fields := map[string]any{
		"version": &version, "rate": &r.head.Rate, "frames": &r.head.Frames, "voices": &r.head.Voices, "virtual": &r.head.Virtual,
		"overflow": &r.head.Overflow, "totals": &r.head.Totals,
	}
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
		if key == "cues" || key == "sounds" && !seen["version"] {
			return errNoReport
		}
		switch field, known := fields[key]; {
		case seen[key] && (known || key == "events"):
			return fmt.Errorf("%q stands there twice", key)
		case key == "events":
			err = r.events()
		case known:
			err = r.decode(field)
		default:
			var skipped json.RawMessage
			err = r.decode(&skipped)
		}
		if err != nil {
			return err
		}
		if fields[key] != nil || key == "events" {
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
	case version != 1:
		return fmt.Errorf("a report of version %d, only 1 is understood", version)
	case r.head.Frames < 0 || r.head.Frames > maxFrame:
		return fmt.Errorf("%d frames are not in 0..%d", r.head.Frames, int64(maxFrame))
	case r.head.Rate < 1 || r.head.Rate > 768000:
		return fmt.Errorf("a rate of %d Hz is not in 1..768000", r.head.Rate)
	}
	return nil
}

// open takes the token that begins something.
func (r *reportReader) open(want json.Delim, what string) error {
	token, err := r.d.Token()
	if err != nil {
		return unexpected(err)
	}
	if token != want {
		return fmt.Errorf("this is not %s", what)
	}
	return nil
}

func (r *reportReader) decode(into any) error {
	err := unexpected(r.d.Decode(into))
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

func (r *reportReader) events() error {
	if err := r.open('[', "the list of events"); err != nil {
		return err
	}
	for r.d.More() {
		var h happening
		if err := r.decode(&h); err != nil {
			return err
		}
		if h.Frame > maxFrame {
			return fmt.Errorf("the frame %d is not in 0..%d", h.Frame, int64(maxFrame))
		}
		if h.Frame < r.frame {
			return fmt.Errorf("an event of frame %d after one of frame %d", h.Frame, r.frame)
		}
		r.frame = h.Frame
		if err := r.each(&h); err != nil {
			r.told = err
			return errTold
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
			return fmt.Errorf("%s: %w", name, cause(err))
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
