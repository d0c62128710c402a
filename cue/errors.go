package cue

import (
	"errors"
	"fmt"
)

var (
	// ErrSheet is wrapped by the errors of a sheet that cannot be understood.
	ErrSheet = errors.New("cue: faulty sheet")

	// ErrSound is wrapped by the errors of a sound that a sheet names and that
	// cannot be had; what it is that went wrong there is wrapped too.
	ErrSound = errors.New("cue: sound not available")
)

// Error is one thing that is wrong in a sheet, or with a sound that it names, and
// where.
type Error struct {
	File   string // as it was given to Parse
	Line   int    // from 1; 0: the sheet as a whole
	Column int    // in characters, from 1
	Msg    string // what is wrong and what would be right, in one line
	Sound  error  // why a sound cannot be had; nil: it is the sheet that is faulty
}

// Error returns "sheet.yaml:12:7: " and the message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Unwrap returns ErrSheet, or ErrSound and what is wrong with the sound.
func (e *Error) Unwrap() []error {
	if e.Sound != nil {
		return []error{ErrSound, e.Sound}
	}
	return []error{ErrSheet}
}

// Errors is all that is wrong in a sheet, or with its sounds, in the order of its
// lines; never empty. It wraps what they wrap.
type Errors []*Error

// Error returns one line for each.
func (e Errors) Error() string {
	return errors.Join(e.Unwrap()...).Error()
}

// Unwrap returns them one by one.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i := range e {
		out[i] = e[i]
	}
	return out
}
