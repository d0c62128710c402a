package room

import (
	"errors"
	"fmt"
	"time"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Kind is the kind of an Error.
type Kind uint8

const (
	Range    Kind = iota + 1 // a value is out of range, or a text is invalid
	NotFound                 // a room, sound, cue, bus or voice does not exist
	Refused                  // the pool or the show has rejected it
	Busy                     // the audio side is late
	Limit                    // a limit is exceeded
	Closed                   // the room has ended
)

// Error is the error of an order to a room.
type Error struct {
	Kind    Kind
	Field   string // field of the order, or part of the sheet; may be empty
	Detail  string // one sentence
	Nearest string // NotFound: the nearest name; may be empty
	Reason  string // Refused: the mixer's reason
	Limit   int64  // Limit: the limit
	Event   *report.Event
}

// Error returns Detail.
func (e *Error) Error() string { return e.Detail }

var (
	errClosed = &Error{Kind: Closed, Detail: "the room has ended"}
	errBusy   = &Error{Kind: Busy, Detail: "the audio side is behind; try again later"}
)

// notFound returns an *Error of Kind NotFound for a thing that the room lacks. The parameter what is its kind, such as
// "voice", and becomes the Field. The message has what and name. If nearest is not "", it becomes Nearest, and the
// message suggests it.
func notFound(what, name, nearest string) *Error {
	e := &Error{Kind: NotFound, Field: what, Nearest: nearest, Detail: fmt.Sprintf("there is no %s %q", what, words.OneLine(name))}
	if nearest != "" {
		e.Detail += fmt.Sprintf("; did you mean %q?", nearest)
	}
	return e
}

// invalidField returns an *Error of Kind Range whose Field is the parameter field. The message consists of field, a
// colon, and the values formatted with format.
func invalidField(field, format string, values ...any) *Error {
	return &Error{Kind: Range, Field: field, Detail: field + ": " + fmt.Sprintf(format, values...)}
}

// roomError converts err to an *Error. If err is or wraps an *Error, that is the result. A busy mixer gives Kind Busy,
// a closed mixer Kind Closed, and an ended voice Kind NotFound. Any other error, of the player or the show, gives Kind
// Range. A nil err stays nil.
func roomError(err error) error {
	var already *Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &already):
		return already
	case errors.Is(err, mixer.ErrBusy):
		return errBusy
	case errors.Is(err, mixer.ErrClosed):
		return errClosed
	case errors.Is(err, mixer.ErrGone):
		return &Error{Kind: NotFound, Field: "voice", Detail: "the voice is gone"}
	}
	return playerError(err)
}

// limits holds the ranges of order fields.
var limits = map[string]struct {
	from, to float64
	valid    string
}{
	"gain":     {mixer.MinGain, mixer.MaxGain, "a number of decibels from -120 to 24"},
	"pan":      {-mixer.MaxPan, mixer.MaxPan, "a number from -1 to 1"},
	"pitch":    {-mixer.MaxPitch, mixer.MaxPitch, "a number of semitones from -48 to 48"},
	"speed":    {mixer.MinSpeed, mixer.MaxSpeed, "a number from 1/16 to 16"},
	"priority": {-mixer.MaxPriority, mixer.MaxPriority, "a whole number from -1000000 to 1000000"},
	"by":       {0, 120, "a number of decibels from 0 to 120"},
	"above":    {-120, -1, "a number of decibels from -120 to -1"},
}

// ValidValues describes the valid values of a field in a command to a room. For the field "pan" it returns "a number
// from -1 to 1". For an unknown field or a field without a fixed range, it returns "".
func ValidValues(field string) string {
	switch field {
	case "loop", "protect", "mute", "solo", "pause":
		return "true or false"
	}
	return limits[field].valid
}

// IsDecibels reports whether a field in a command to a room is in dB, so that its value may have the unit, as in
// "-6dB".
func IsDecibels(field string) bool { return field == "gain" || field == "by" || field == "above" }

// checkRange returns an *Error of Kind Range if x is NaN or outside the range of field in the map limits. Otherwise it
// returns nil. The map must have field.
func checkRange(field string, x float64) error {
	if l := limits[field]; !(x >= l.from && x <= l.to) {
		return invalidField(field, "%v is out of range; want %s", x, l.valid)
	}
	return nil
}

// checkCutoff returns an *Error of Kind Range if the filter cutoff *hz is out of range. Valid are 20 to 20,000 Hz, 0
// for off, and a nil hz. The parameter field is the name of the field, for the message.
func checkCutoff(field string, hz *float64) error {
	if hz == nil || *hz == 0 || *hz >= mixer.MinCutoff && *hz <= mixer.MaxCutoff {
		return nil
	}
	return invalidField(field, "%v is out of range; want a number of Hz from 20 to 20000, or 0 for off", *hz)
}

// maxDuration is the longest time in an order.
const maxDuration = 24 * time.Hour

// checkDuration returns an *Error of Kind Range if d is negative or longer than 24 h, otherwise nil. The parameter
// field is the name of the field, for the message.
func checkDuration(field string, d time.Duration) error {
	if d < 0 || d > maxDuration {
		return invalidField(field, "%v is out of range; want a time from 0 to 24h", d)
	}
	return nil
}
