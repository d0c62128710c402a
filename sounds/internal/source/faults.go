package source

import (
	"errors"
	"fmt"
)

var (
	// ErrFormat is wrapped by the errors of data that is no sound this package
	// knows: text, an empty file, a format or an encoding it does not read.
	ErrFormat = errors.New("sounds: unknown format")

	// ErrDecode is wrapped by the errors of a sound that is broken: cut short,
	// with headers that contradict each other, with samples that are no numbers.
	ErrDecode = errors.New("sounds: broken sound")

	// ErrLimit is wrapped by the errors of a sound that passes one of Limits.
	ErrLimit = errors.New("sounds: beyond the limits")
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

func Unknown(format string, args ...any) error { return Fault(ErrFormat, format, args...) }

func Broken(format string, args ...any) error { return Fault(ErrDecode, format, args...) }

func Beyond(format string, args ...any) error { return Fault(ErrLimit, format, args...) }

// Unread is why a file of a format that is known, and not read, is refused.
func Unread(format string) error {
	return Unknown("%s is not read; WAV, FLAC, Ogg Vorbis and MP3 are", format)
}
