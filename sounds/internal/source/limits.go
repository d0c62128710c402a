package source

import (
	"errors"
	"fmt"
)

// The kinds of errors of codecs. Package sounds documents them.
var (
	ErrFormat = errors.New("sounds: unknown format")
	ErrDecode = errors.New("sounds: broken sound")
	ErrLimit  = errors.New("sounds: beyond the limits")
)

// fault is the error of a sound: a kind and a description.
type fault struct {
	kind   error
	detail string
}

// Error returns the description without the kind.
func (f *fault) Error() string { return f.detail }

// Unwrap returns the kind.
func (f *fault) Unwrap() error { return f.kind }

// Fault returns an error that wraps kind and whose text is only the formatted description.
func Fault(kind error, format string, args ...any) error {
	return &fault{kind, fmt.Sprintf(format, args...)}
}

// Unknown returns an error that wraps ErrFormat: the format is unsupported.
func Unknown(format string, args ...any) error { return Fault(ErrFormat, format, args...) }

// Broken returns an error that wraps ErrDecode: the sound is broken.
func Broken(format string, args ...any) error { return Fault(ErrDecode, format, args...) }

// Beyond returns an error that wraps ErrLimit: the sound exceeds a limit.
func Beyond(format string, args ...any) error { return Fault(ErrLimit, format, args...) }

// Convert is the command that converts a file to a supported format. {file} stands for its name, {file.flac}
// and {file.wav} for the name with another extension.
const Convert = "ffmpeg -i {file} {file.flac}"

// Unread returns the error of a known but unsupported format, with a command that converts it. It wraps ErrFormat.
// format is the name in the message, such as "MP2".
func Unread(format string) error {
	return Unknown("%s is not read; convert it: %s", format, Convert)
}

// Limits are the limits of a file.
type Limits struct {
	Frames, Memory   int64 // Memory: bytes of samples, four each
	Channels         int
	MinRate, MaxRate int
	Size             int64 // size of the file in bytes, which limits its samples; 0: no such limit
}

// The samples of a file take at most SwellBase bytes plus SwellFactor times its size. Eight silent channels of
// Vorbis take 8,600 times their file, two silent channels of FLAC 2,100 times.
const (
	SwellBase   = 32 << 20
	SwellFactor = 16_000
)

// Swell returns the maximum number of bytes that the decoded samples of a file of size bytes may take.
func Swell(size int64) int64 { return SwellBase + SwellFactor*size }

// Shape checks the values of a header: channels below 1 are an error that wraps ErrDecode, and more channels, or a
// rate in Hz outside the limits, an error that wraps ErrLimit. Otherwise it returns nil.
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

// asStream is the advice for a sound that is too long to load.
const asStream = "play it as a stream (stream: true)"

// Announced returns an error, which wraps ErrLimit, if frames, the length in a header, exceeds the limits of frames
// or memory; otherwise nil. channels must be above 0. The size of the file is not considered, as the data may have
// fewer frames.
func (b Limits) Announced(frames int64, channels int) error {
	switch {
	case frames > b.Frames:
		return Beyond("more than %d frames; %s", b.Frames, asStream)
	case frames > b.Memory/int64(4*channels):
		return Beyond("its samples take more than %d bytes; %s", b.Memory, asStream)
	}
	return nil
}

// Length returns an error, which wraps ErrLimit, if frames, the number of frames decoded until now, exceeds a limit
// or is too large for the size of the file; otherwise nil. channels must be above 0.
func (b Limits) Length(frames int64, channels int) error {
	if b.Size > 0 && frames > Swell(b.Size)/int64(4*channels) {
		return Beyond("its samples take more than %d MiB plus %d times its %d bytes; %s", SwellBase>>20, SwellFactor, b.Size, asStream)
	}
	return b.Announced(frames, channels)
}
