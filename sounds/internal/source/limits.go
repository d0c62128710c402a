package source

import (
	"errors"
	"fmt"
	"slices"

	"voicepool/pcm"
)

// The kinds of errors of codecs. Package library documents them.
var (
	ErrFormat = errors.New("sounds: unknown format")
	ErrDecode = errors.New("sounds: broken sound")
	ErrLimit  = errors.New("sounds: beyond the limits")
)

// kindError is the error of a sound: a kind and a description.
type kindError struct{ kind, detail error }

// Error returns the description without the kind.
func (f *kindError) Error() string { return f.detail.Error() }

// Unwrap returns the kind and the description.
func (f *kindError) Unwrap() []error { return []error{f.kind, f.detail} }

// Errorf returns an error that wraps kind and whose text is only the formatted description.
func Errorf(kind error, format string, args ...any) error {
	return &kindError{kind, fmt.Errorf(format, args...)}
}

// FormatErrorf returns an error that wraps ErrFormat: the format is unsupported.
func FormatErrorf(format string, args ...any) error { return Errorf(ErrFormat, format, args...) }

// DecodeErrorf returns an error that wraps ErrDecode: the sound is broken.
func DecodeErrorf(format string, args ...any) error { return Errorf(ErrDecode, format, args...) }

// LimitErrorf returns an error that wraps ErrLimit: the sound exceeds a limit.
func LimitErrorf(format string, args ...any) error { return Errorf(ErrLimit, format, args...) }

// ConvertCommand is the command that converts a file to a supported format. {file} stands for its name, {file.flac}
// and {file.wav} for the name with another extension.
const ConvertCommand = "ffmpeg -i {file} {file.flac}"

// UnsupportedFormat returns the error of a known but unsupported format, with a command that converts it. It wraps
// ErrFormat. format is the name in the message, such as "MP2".
func UnsupportedFormat(format string) error {
	return FormatErrorf("%s is not read; convert it: %s", format, ConvertCommand)
}

// Limits are the limits of a file.
type Limits struct {
	Frames, Memory   int64 // Memory: bytes of samples, four each
	Channels         int
	MinRate, MaxRate int
	Size             int64 // size of the file in bytes, which limits its samples; 0: no such limit
}

// The samples of a file take at most ExpansionBase bytes plus ExpansionFactor times its size. Eight silent channels of
// Vorbis take 8,600 times their file, two silent channels of FLAC 2,100 times.
const (
	ExpansionBase   = 32 << 20
	ExpansionFactor = 16_000
)

// MaxExpansion returns the maximum number of bytes that the decoded samples of a file may take. size is the size of
// the file in bytes.
func MaxExpansion(size int64) int64 { return ExpansionBase + ExpansionFactor*size }

// CheckFormat checks the number of channels and the rate, in Hz, of a header. It returns an error that wraps ErrDecode
// for fewer than one channel. More channels than allowed, or a rate outside the limits, give an error that wraps
// ErrLimit. Otherwise it returns nil.
func (b Limits) CheckFormat(channels int, rate int64) error {
	switch {
	case channels < 1:
		return DecodeErrorf("the header says %d channels", channels)
	case channels > b.Channels:
		return LimitErrorf("%d channels, at most %d are read", channels, b.Channels)
	case rate < int64(b.MinRate) || rate > int64(b.MaxRate):
		return LimitErrorf("%w", &pcm.RangeError{Name: "rate", Value: float64(rate), Min: float64(b.MinRate), Max: float64(b.MaxRate), Unit: "Hz"})
	}
	return nil
}

// streamAdvice is the advice for a sound that is too long to load.
const streamAdvice = "play it as a stream (stream: true)"

// CheckAnnounced checks frames, the length that a header announces, against the limits of frames and memory. It
// returns an error that wraps ErrLimit if frames exceeds one, otherwise nil. channels must be above 0. It does not
// compare with the size of the file, because the data may have fewer frames.
func (b Limits) CheckAnnounced(frames int64, channels int) error {
	switch {
	case frames > b.Frames:
		return LimitErrorf("more than %d frames; %s", b.Frames, streamAdvice)
	case frames > b.Memory/int64(4*channels):
		return LimitErrorf("its samples take more than %d bytes; %s", b.Memory, streamAdvice)
	}
	return nil
}

// CheckLength checks frames, the number of frames decoded until now, against the limits. It returns an error that wraps
// ErrLimit if frames exceeds the limit of frames or memory, or is too large for the size of the file. Otherwise it
// returns nil. channels must be above 0.
func (b Limits) CheckLength(frames int64, channels int) error {
	if b.Size > 0 && frames > MaxExpansion(b.Size)/int64(4*channels) {
		return LimitErrorf("its samples take more than %d MiB plus %d times its %d bytes; %s", ExpansionBase>>20, ExpansionFactor, b.Size, streamAdvice)
	}
	return b.CheckAnnounced(frames, channels)
}

// AnyBeyond reports whether any sample is NaN or has a magnitude above peak, which means that it is damaged.
func AnyBeyond(samples []float32, peak float32) bool {
	return slices.ContainsFunc(samples, func(x float32) bool { return !(-peak <= x && x <= peak) })
}
