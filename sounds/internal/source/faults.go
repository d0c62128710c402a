package source

import (
	"errors"
	"fmt"
)

// The kinds of faults that codecs find. Package sounds tells what they are.
var (
	ErrFormat = errors.New("sounds: unknown format")
	ErrDecode = errors.New("sounds: broken sound")
	ErrLimit  = errors.New("sounds: beyond the limits")
)

// fault is why a sound cannot be had: what it is an error of, and what is wrong in
// particular.
type fault struct {
	kind   error
	detail string
}

func (f *fault) Error() string { return f.detail }
func (f *fault) Unwrap() error { return f.kind }

// Fault returns an error of a kind that says no more than the words.
func Fault(kind error, format string, args ...any) error {
	return &fault{kind, fmt.Sprintf(format, args...)}
}

// Unknown returns an error of data that no codec reads.
func Unknown(format string, args ...any) error { return Fault(ErrFormat, format, args...) }

// Broken returns an error of a sound that is broken.
func Broken(format string, args ...any) error { return Fault(ErrDecode, format, args...) }

// Beyond returns an error of a sound that passes a limit.
func Beyond(format string, args ...any) error { return Fault(ErrLimit, format, args...) }

// Unread is why a file of a format that is known, and not read, is refused.
func Unread(format string) error {
	return Unknown("%s is not read; WAV, FLAC, Ogg Vorbis and MP3 are", format)
}
