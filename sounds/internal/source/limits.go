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

// Convert is the command that makes a file that is read of one that is not. {file} is its name,
// {file.flac} and {file.wav} the same with another ending.
const Convert = "ffmpeg -i {file} {file.flac}"

// Unread returns an error of a format that is known, and not read.
func Unread(format string) error {
	return Unknown("%s is not read; convert it: %s", format, Convert)
}

// Limits are what a file may have.
type Limits struct {
	Frames, Memory   int64 // memory: bytes of samples, four each
	Channels         int
	MinRate, MaxRate int
	Size             int64 // of the file in bytes, which bounds its samples; 0: no such bound
}

// The samples of a file take at most SwellBase bytes plus SwellFactor times its size. Eight silent
// channels of Vorbis take 8,600 times their file, two silent channels of FLAC 2,100 times.
const (
	SwellBase   = 32 << 20
	SwellFactor = 16_000
)

// Swell returns how many bytes the samples of a file of size bytes may take.
func Swell(size int64) int64 { return SwellBase + SwellFactor*size }

// Shape checks what a header says before a byte is decoded.
func (b Limits) Shape(channels int, rate int64) error {
	switch {
	case channels < 1:
		return Broken("the header says %d channels", channels)
	case channels > b.Channels:
		return Beyond("%d channels, at most %d are read", channels, b.Channels)
	case rate < int64(b.MinRate) || rate > int64(b.MaxRate):
		return Beyond("a rate of %d Hz is not in %d..%d", rate, b.MinRate, b.MaxRate)
	}
	return nil
}

// asStream is the remedy for a sound that is too long to be loaded.
const asStream = "play it as a stream (stream: true)"

// Announced checks how many frames a header says. The data may have fewer.
func (b Limits) Announced(frames int64, channels int) error {
	switch {
	case frames > b.Frames:
		return Beyond("more than %d frames; %s", b.Frames, asStream)
	case frames > b.Memory/int64(4*channels):
		return Beyond("its samples take more than %d bytes; %s", b.Memory, asStream)
	}
	return nil
}

// Length checks how many frames there are, or are so far.
func (b Limits) Length(frames int64, channels int) error {
	if b.Size > 0 && frames > Swell(b.Size)/int64(4*channels) {
		return Beyond("its samples take more than %d MiB plus %d times its %d bytes; %s", SwellBase>>20, SwellFactor, b.Size, asStream)
	}
	return b.Announced(frames, channels)
}
