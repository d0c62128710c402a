package room

import (
	"errors"
	"fmt"
	"time"

	"voicepool/cue/report"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// Kind is what kind of thing went wrong.
type Kind uint8

const (
	Range    Kind = iota + 1 // a value is out of range, or a text cannot be read
	NotFound                 // a room, sound, cue, bus or voice that is not there
	Refused                  // the pool, or the show, refuses
	Busy                     // the audio side is behind
	Limit                    // too much
	Closed                   // the room has ended
)

// Error is what a room says of an order that it does not carry out. Nothing has changed.
type Error struct {
	Kind    Kind
	Field   string // of the order, or of the sheet, that it is about; empty: none
	Detail  string // one sentence, as check has it
	Nearest string // of NotFound: the nearest name; empty: none
	Reason  string // of Refused: the mixer's
	Limit   int64  // of Limit: how much there may be
	Event   *report.Event
}

// Error returns the sentence.
func (e *Error) Error() string { return e.Detail }

var (
	errClosed = &Error{Kind: Closed, Detail: "the room has ended"}
	errBusy   = &Error{Kind: Busy, Detail: "the audio side is behind; ask again later"}
)

// notFound is the error of a name that is not there; nearest may be empty.
func notFound(what, name, nearest string) *Error {
	e := &Error{Kind: NotFound, Field: what, Nearest: nearest, Detail: fmt.Sprintf("there is no %s %q", what, words.OneLine(name))}
	if nearest != "" {
		e.Detail += fmt.Sprintf("; did you mean %q?", nearest)
	}
	return e
}

// wrong is the error of a field.
func wrong(field, format string, values ...any) *Error {
	return &Error{Kind: Range, Field: field, Detail: field + ": " + fmt.Sprintf(format, values...)}
}

// of returns an error of the mixer, the player or the show as one of the room.
func of(err error) error {
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
	return said(err)
}

// limits are the ranges of what orders say, as check has them.
var limits = map[string]struct {
	from, to float64
	takes    string
}{
	"gain":     {mixer.MinGain, mixer.MaxGain, "a number of decibels from -120 to 24"},
	"pan":      {-mixer.MaxPan, mixer.MaxPan, "a number from -1 to 1"},
	"pitch":    {-mixer.MaxPitch, mixer.MaxPitch, "a number of semitones from -48 to 48"},
	"speed":    {mixer.MinSpeed, mixer.MaxSpeed, "a number from 1/16 to 16"},
	"priority": {-mixer.MaxPriority, mixer.MaxPriority, "a whole number from -1000000 to 1000000"},
	"by":       {0, 120, "a number of decibels from 0 to 120"},
	"above":    {-120, -1, "a number of decibels from -120 to -1"},
}

// Takes returns what a field of an order takes, in words; empty: nothing is said of it.
func Takes(field string) string {
	switch field {
	case "loop", "protect", "mute", "solo", "pause":
		return "true or false"
	}
	return limits[field].takes
}

// Decibels reports whether a field of an order is a gain, which may have its unit: "-6dB".
func Decibels(field string) bool { return field == "gain" || field == "by" || field == "above" }

// ranged returns what is wrong with a value of a field.
func ranged(field string, x float64) error {
	if l := limits[field]; !(x >= l.from && x <= l.to) {
		return wrong(field, "%v is out of range: it takes %s", x, l.takes)
	}
	return nil
}

// cutoff returns what is wrong with a cutoff of a field; nil: nothing is said of it.
func cutoff(field string, hz *float64) error {
	if hz == nil || *hz == 0 || *hz >= mixer.MinCutoff && *hz <= mixer.MaxCutoff {
		return nil
	}
	return wrong(field, "%v is out of range: it takes a number of Hz from 20 to 20000, or 0 for off", *hz)
}

// longest is the longest time that an order may have.
const longest = 24 * time.Hour

// lasting returns what is wrong with a time of a field.
func lasting(field string, d time.Duration) error {
	if d < 0 || d > longest {
		return wrong(field, "%v is out of range: it takes a time from 0 to 24h", d)
	}
	return nil
}
