// Package wav writes frames to WAV files.
//
// A Writer writes to any io.Writer. A File appears under its name only when it is complete. A Device records a
// source in real time.
//
// If the io.Writer can seek, the sizes in the header are written at Close. In a pipe the sizes are ffffffff,
// which readers understand as "until the end", unless Config.Frames announces the length. Beyond 4 GiB the
// file is an RF64. With Config.Raw there is no header.
//
// Config.Outputs is the number of stereo outputs, written as 2 x Outputs channels of one file: channels 1 and 2
// are the first output.
package wav

import (
	"cmp"
	"errors"
	"fmt"

	"voicepool/device"
)

// ErrFormat is wrapped by the error of a format, rate, length or number of outputs that a WAV file cannot have.
var ErrFormat = errors.New("wav: no such format")

// ErrLength is wrapped by the error of more or fewer frames than Config.Frames announced.
var ErrLength = errors.New("wav: not the announced length")

// ErrClosed is returned by a Write after Close or Abort.
var ErrClosed = errors.New("wav: closed")

// Format is the sample format. Integers clip at full scale; floats do not.
type Format int

const (
	// S24 is 24-bit integers, rounded to the nearest, ties to even.
	S24 Format = iota
	// S16 is 16-bit integers with triangular dither of one step to either side; digital zero is not dithered.
	S16
	// F32 is float32, unchanged.
	F32
)

var formats = [...]struct {
	name string
	bits int    // per sample
	tag  uint16 // in a file of two channels
	size uint32 // of its fmt chunk
}{
	S24: {"s24", 24, tagExtensible, 40}, // plain PCM allows up to 16 bits
	S16: {"s16", 16, tagPCM, 16},
	F32: {"f32", 32, tagFloat, 18},
}

// ParseFormat parses the name of a format: s16, s24 or f32.
func ParseFormat(name string) (Format, error) {
	for f, known := range formats {
		if known.name == name {
			return Format(f), nil
		}
	}
	return 0, fmt.Errorf("%w: %q, want s16, s24 or f32", ErrFormat, name)
}

// known reports whether f is a valid format.
func (f Format) known() bool { return f >= 0 && int(f) < len(formats) }

// String returns the name of the format.
func (f Format) String() string {
	if !f.known() {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return formats[f].name
}

// bits returns the bits per sample.
func (f Format) bits() int { return formats[f].bits }

// channels returns the number of channels.
func (c *Config) channels() int { return 2 * c.Outputs }

// frameBytes returns the size of a frame of all channels in bytes.
func (c *Config) frameBytes() int { return c.channels() * c.Format.bits() / 8 }

// Config configures the output. The zero value means 48,000 frames per second in 24 bits, and an unknown
// length.
type Config struct {
	// Rate is in frames per second, up to 768000; 0 means 48000.
	Rate int
	// Format is the sample format; the zero value is S24.
	Format Format
	// Seed selects the dither noise of S16. The same seed and frames give the same file.
	Seed uint64
	// Frames is the number of frames if it is known, otherwise 0. With it, the header written to a pipe
	// contains the sizes. Writing more or fewer frames is then an error.
	Frames int64
	// Raw omits the header and all sizes: the output is interleaved little-endian samples.
	Raw bool
	// Outputs is the number of stereo outputs, 1..16; 0 means 1. Their frames are interleaved, as Render of a
	// device.MultiOutput returns them. Each output has the samples, and the dither, of a stereo file of that output
	// alone.
	Outputs int
}

const (
	maxRate   = 768_000
	maxFrames = 1 << 50
)

// filled returns c with the defaults for zero values, or an error that wraps ErrFormat.
func (c Config) filled() (Config, error) {
	c.Rate, c.Outputs = cmp.Or(c.Rate, 48000), cmp.Or(c.Outputs, 1)
	switch {
	case !c.Format.known():
		return c, fmt.Errorf("%w: %v", ErrFormat, c.Format)
	case c.Rate < 1 || c.Rate > maxRate:
		return c, fmt.Errorf("%w: a rate of %d, want 1..%d", ErrFormat, c.Rate, maxRate)
	case c.Outputs < 1 || c.Outputs > device.MaxOutputs:
		return c, fmt.Errorf("%w: %d outputs, want 1..%d", ErrFormat, c.Outputs, device.MaxOutputs)
	case c.Frames < 0 || c.Frames > maxFrames:
		return c, fmt.Errorf("%w: a length of %d frames", ErrFormat, c.Frames)
	}
	return c, nil
}
