package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

var (
	// ErrFile is wrapped by the errors of a bank or a cue sheet that cannot be understood.
	ErrFile = errors.New("rules: faulty file")

	// ErrSound is wrapped by the errors of a sound that a file names and that cannot be
	// loaded. They wrap the cause, too.
	ErrSound = errors.New("rules: sound not available")
)

// Error is one thing that is wrong in a file, or with a sound that it names, and where.
type Error struct {
	File   string // the name that the file was read under
	Line   int    // from 1; 0: the file as a whole
	Column int    // in characters, from 1
	Msg    string // what is wrong and what would be right, in one line
	Sound  error  // why a sound cannot be loaded; nil: the file is faulty
}

// Error returns "sheet.yaml:12:7: " and the message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Msg)
}

// Unwrap returns ErrFile, or ErrSound and what is wrong with the sound.
func (e *Error) Unwrap() []error {
	if e.Sound != nil {
		return []error{ErrSound, e.Sound}
	}
	return []error{ErrFile}
}

// Errors is all that is wrong in a file, or with its sounds, in the order of its lines. It is
// never empty, and wraps what they wrap.
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

// Sort puts them in the order of their lines.
func (e Errors) Sort() {
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}
