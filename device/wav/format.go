// Package wav writes frames as a WAV file.
//
// A Writer writes onto any io.Writer. A File appears under its name only when it is
// complete. A Device records in real time what a source plays.
//
// A writer that can seek gets its sizes at Close. A pipe gets the sizes of a stream
// (ffffffff, which readers take as: up to the end), unless Config.Frames announces the
// length. Beyond 4 GiB the file is an RF64. With Config.Raw there is no header at all.
package wav

import (
	"cmp"
	"errors"
	"fmt"
)

// ErrFormat is wrapped by the error for a format, rate or length that a WAV
// file cannot have.
var ErrFormat = errors.New("wav: no such format")

// ErrLength is wrapped by the error for more or fewer frames than
// Config.Frames announced.
var ErrLength = errors.New("wav: not the announced length")

// ErrClosed is returned by a Write after Close or Abort.
var ErrClosed = errors.New("wav: closed")

// Format is how a sample is stored. Integers clip at full scale; floats keep
// what is beyond it.
type Format int

const (
	// S24 is 24-bit integers, rounded to the nearest, ties to even.
	S24 Format = iota
	// S16 is 16-bit integers with triangular dither of one step to either
	// side, but none on digital zero.
	S16
	// F32 is the float32 values as they are.
	F32
)

var formats = [...]struct {
	name string
	bits int    // of a sample
	tag  uint16 // in a file
	size uint32 // of the fmt chunk
}{
	S24: {"s24", 24, tagExtensible, 40}, // plain PCM is for up to 16 bits
	S16: {"s16", 16, tagPCM, 16},
	F32: {"f32", 32, tagFloat, 18},
}

// ParseFormat reads a format's name: s16, s24 or f32.
func ParseFormat(name string) (Format, error) {
	for f, known := range formats {
		if known.name == name {
			return Format(f), nil
		}
	}
	return 0, fmt.Errorf("%w: %q, want s16, s24 or f32", ErrFormat, name)
}

func (f Format) known() bool { return f >= 0 && int(f) < len(formats) }

// String returns the format's name.
func (f Format) String() string {
	if !f.known() {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return formats[f].name
}

func (f Format) bits() int { return formats[f].bits }

// frameBytes returns how many bytes a stereo frame takes.
func (f Format) frameBytes() int { return 2 * f.bits() / 8 }

// Config says what is written. The zero value is 48,000 frames per second in
// 24 bits, of a length that is not known beforehand.
type Config struct {
	// Rate is in frames per second, up to 768000; 0 means 48000.
	Rate int
	// Format is how a sample is stored; the zero value is S24.
	Format Format
	// Seed makes the dither of S16, which is a function of it and of the
	// sample's number.
	Seed uint64
	// Frames is how many there will be, where that is known, or 0. It gives a
	// pipe its sizes; to write another number of frames is an error.
	Frames int64
	// Raw leaves out the header and all sizes: the samples alone, little-endian, of both
	// channels in turn.
	Raw bool
}

const (
	maxRate   = 768_000
	maxFrames = 1 << 50
)

func (c Config) filled() (Config, error) {
	c.Rate = cmp.Or(c.Rate, 48000)
	switch {
	case !c.Format.known():
		return c, fmt.Errorf("%w: %v", ErrFormat, c.Format)
	case c.Rate < 1 || c.Rate > maxRate:
		return c, fmt.Errorf("%w: a rate of %d, want 1..%d", ErrFormat, c.Rate, maxRate)
	case c.Frames < 0 || c.Frames > maxFrames:
		return c, fmt.Errorf("%w: a length of %d frames", ErrFormat, c.Frames)
	}
	return c, nil
}
