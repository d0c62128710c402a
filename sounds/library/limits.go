package library

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"
	"time"

	"voicepool/sounds"
	"voicepool/sounds/internal/source"
)

var (
	// ErrFormat is wrapped by the errors of unsupported data: text, an empty file, an unsupported format or
	// encoding.
	ErrFormat = source.ErrFormat

	// ErrDecode is wrapped by the errors of a broken sound: cut short, with contradicting headers, or with
	// samples that are not numbers.
	ErrDecode = source.ErrDecode

	// ErrLimit is wrapped by the errors of a sound that exceeds one of Limits.
	ErrLimit = source.ErrLimit
)

// The defaults for zero fields of Limits.
const (
	defaultBytes    = 256 << 20
	defaultFrames   = 1 << 27 // 46 minutes at 48 kHz
	defaultMemory   = 512 << 20
	defaultChannels = 8
	defaultMinRate  = 1000
	defaultMaxRate  = 768000
	defaultTime     = 30 * time.Second
)

// Limits bounds the resources that decoding a file may use. A zero field means the default: the value after the
// semicolon in the comment of the field. A limit can be raised, but not disabled. In addition the decoded samples of
// a file may take at most 32 MiB plus 16,000 times the size of the file. Valid files stay below this: encoded
// silence, the extreme case, expands 8,600 times.
//
// A decoder that hangs is abandoned, since a goroutine cannot be stopped from outside. Isolate is a command
// line of a program that calls [ServeDecode]. Each file is then decoded in a child process, which is killed
// when its time is up. It is empty by default: files are decoded within the program.
type Limits struct {
	Bytes    int64         // size of the file; 256 MiB
	Frames   int64         // frames decoded; 2^27, which is 46 minutes at 48 kHz
	Memory   int64         // bytes of decoded samples, 4 bytes per sample; 512 MiB
	Channels int           // channels, at most 8; 8
	MinRate  int           // frames per second; 1,000
	MaxRate  int           // frames per second, at most 768,000; 768,000
	Time     time.Duration // time to decode the whole file; 30 s
	Isolate  []string      `json:"-"` // a program and its arguments; empty
}

// withDefaults returns l with the defaults in place of zero and negative fields. Channels is reduced to at most 8 and
// MaxRate to at most 768,000, which are the maxima of the package. Isolate is unchanged.
func (l Limits) withDefaults() Limits {
	l.Bytes = cmp.Or(max(l.Bytes, 0), defaultBytes)
	l.Frames = cmp.Or(max(l.Frames, 0), defaultFrames)
	l.Memory = cmp.Or(max(l.Memory, 0), defaultMemory)
	l.Channels = min(cmp.Or(max(l.Channels, 0), defaultChannels), defaultChannels)
	l.MinRate = cmp.Or(max(l.MinRate, 0), defaultMinRate)
	l.MaxRate = min(cmp.Or(max(l.MaxRate, 0), defaultMaxRate), defaultMaxRate)
	l.Time = cmp.Or(max(l.Time, 0), defaultTime)
	return l
}

// stricter returns limits that have in each field the stricter value of l and by. The stricter value is the smaller
// one, for MinRate the larger one. Zero or less means no limit. Isolate is the command of l.
func (l Limits) stricter(by Limits) Limits {
	l.Bytes = smaller(l.Bytes, by.Bytes)
	l.Frames = smaller(l.Frames, by.Frames)
	l.Memory = smaller(l.Memory, by.Memory)
	l.Channels = smaller(l.Channels, by.Channels)
	l.MinRate = max(l.MinRate, by.MinRate)
	l.MaxRate = smaller(l.MaxRate, by.MaxRate)
	l.Time = smaller(l.Time, by.Time)
	return l
}

// smaller returns the smaller of the limits x and y, where zero or less means no limit. If neither is a limit, the
// result is zero or less.
func smaller[T int | int64 | time.Duration](x, y T) T {
	if x <= 0 || y > 0 && y < x {
		return y
	}
	return x
}

// bounds returns the limits that codecs check, for a file whose size is unknown. Requires that l has its defaults
// filled in.
func (l Limits) bounds() source.Limits {
	return source.Limits{Frames: l.Frames, Memory: l.Memory, Channels: l.Channels, MinRate: l.MinRate, MaxRate: l.MaxRate}
}

// boundsOf returns the limits that codecs check for a whole file of size bytes, which also bounds its samples.
// Requires that l has its defaults filled in.
func (l Limits) boundsOf(size int64) source.Limits {
	b := l.bounds()
	b.Size = size
	return b
}

// withName adds the name of a sound to err. The text of the result is "sounds: ", name, ": " and the text of err. If
// the text contains a command for converting a file, name is filled in there. For nil it returns nil.
//
// The result wraps err. If err wraps an fs.PathError, only the cause of the PathError is wrapped: its path would
// repeat the name. Other text around it is lost. An error of package sounds loses its prefix "sounds: ". Each exported
// function calls withName once.
func withName(name string, err error) error {
	if err == nil {
		return nil
	}
	// The operation and the path of a PathError would repeat the name.
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	text := err.Error()
	if errors.Is(err, sounds.ErrSound) {
		text = strings.TrimPrefix(text, "sounds: ")
	}
	return source.Errorf(err, "sounds: %s: %s", name, fillFileName(text, name))
}
