package room

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"voicepool/cue/report"
	"voicepool/internal/property"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
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
var limits = map[string]fields.Limits{
	"gain": parse.Decibels, "volume": parse.Limits(property.Volume), "pan": parse.Pans, "pitch": parse.Semitones, "speed": parse.Ratios, "priority": parse.Priorities, "importance": parse.Importances,
	"by": {To: 120, Unit: fields.DecibelUnit}, "above": {From: -120, To: -1, Unit: fields.DecibelUnit},
}

// ValidValues describes the valid values of a field in a command to a room, such as "a number from -1 to 1" for the
// field "pan" and "true or false" for "loop". For any other field it returns "", also for a filter: checkFilter
// describes the range of a filter.
func ValidValues(field string) string {
	switch field {
	case "loop", "protect", "mute", "solo", "pause":
		return "true or false"
	}
	l, known := limits[field]
	switch {
	case !known:
		return ""
	case field == "priority":
		return strings.Replace(l.String(), "number", "whole number", 1)
	}
	return l.String()
}

// IsDecibels reports whether a field in a command to a room is in dB, so that its value may have the unit, as in
// "-6dB".
func IsDecibels(field string) bool {
	return limits[field].Unit == fields.DecibelUnit ||
		slices.ContainsFunc(property.Filters()[:], func(p property.Property) bool { return p.Key == field && p.Unit == "dB" })
}

// checkRange returns an *Error of Kind Range if x is NaN or outside the range of field in the map limits. Otherwise it
// returns nil. The map must have field.
func checkRange(field string, x float64) error {
	if l := limits[field]; !(x >= l.From && x <= l.To) {
		return invalidField(field, "%v is out of range; want %s", x, ValidValues(field))
	}
	return nil
}

// checkFilters returns the error of checkFilter for the first value of f that is out of range, or nil.
func checkFilters(f *mixer.FilterOverrides) error {
	for i, x := range f.FilterFields() {
		if err := checkFilter(property.LowPass+property.ID(i), *x); err != nil {
			return err
		}
	}
	return nil
}

// checkFilter returns an *Error of Kind Range if the value *x of the filter id is out of range. A nil x is valid.
func checkFilter(id property.ID, x *float64) error {
	if x == nil || id.InRange(*x) {
		return nil
	}
	want, p := parse.Limits(id).String(), &property.Table[id]
	if p.IsCutoff() {
		want += ", or 0 for off"
	}
	return invalidField(p.Key, "%v is out of range; want %s", *x, want)
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
