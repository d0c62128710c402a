package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"voicepool/pcm"
)

var (
	// ErrFile is wrapped by the errors of a faulty bank or cue sheet.
	ErrFile = errors.New("rules: faulty file")

	// ErrSound is wrapped by the errors of sounds that a file uses and that cannot be loaded. They also wrap
	// the cause.
	ErrSound = errors.New("rules: sound not available")
)

// Error is an error at a place in a file, or an error of a sound that the file uses.
type Error struct {
	File   string          // name of the file
	Line   int             // from 1; 0: the whole file
	Column int             // in characters, from 1
	Msg    string          // error and remedy, on one line
	Sound  error           // why the sound cannot be loaded; nil: the file is faulty
	Range  *pcm.RangeError // the number that is out of range; nil: another error
}

// Error returns the file name, line and column, such as "sheet.yaml:12:7: ", and the message. Without a line it omits
// line and column.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Unwrap returns ErrFile, and Range if it is set, for an error in the file. For a sound that cannot be loaded it
// returns ErrSound and the cause.
func (e *Error) Unwrap() []error {
	switch {
	case e.Sound != nil:
		return []error{ErrSound, e.Sound}
	case e.Range != nil:
		return []error{ErrFile, e.Range}
	}
	return []error{ErrFile}
}

// Errors is a list of all errors of a file or its sounds, in line order. It is never empty and wraps its
// elements.
type Errors []*Error

// Error returns one line per error, without a line end after the last one.
func (e Errors) Error() string {
	return errors.Join(e.Unwrap()...).Error()
}

// Unwrap returns the errors in a new slice.
func (e Errors) Unwrap() []error {
	out := make([]error, len(e))
	for i := range e {
		out[i] = e[i]
	}
	return out
}

// Sort sorts the errors in place by line and column; equal ones keep their order.
func (e Errors) Sort() {
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
