package sounds

import (
	"cmp"
	"errors"
	"io/fs"
	"strings"
	"time"

	"voicepool/sounds/internal/source"
	"voicepool/voice"
)

var (
	// ErrFormat is wrapped by the errors of data that is no sound this package
	// knows: text, an empty file, a format or an encoding it does not read.
	ErrFormat = source.ErrFormat

	// ErrDecode is wrapped by the errors of a sound that is broken: cut short,
	// with headers that contradict each other, with samples that are no numbers.
	ErrDecode = source.ErrDecode

	// ErrLimit is wrapped by the errors of a sound that passes one of Limits.
	ErrLimit = source.ErrLimit
)

// The limits that a zero field of Limits means.
const (
	defaultBytes    = 256 << 20
	defaultFrames   = 1 << 27 // 46 minutes at 48 kHz
	defaultMemory   = 512 << 20
	defaultChannels = 8
	defaultMinRate  = 1000
	defaultMaxRate  = 768000
	defaultTime     = 30 * time.Second
)

// Limits bounds what a file may cost. The zero value of each field means the
// default given with it; nothing here can be switched off. The decoded samples
// of a file may take at most 32 MiB plus 16,000 times its size. Silence takes
// up to 8,600 times its file.
//
// A decoder that hangs is left behind and cannot be ended within a process.
// Isolate names a command line by which each file is decoded in a process of
// its own, which is killed when its time is up and calls [ServeDecode]. Empty,
// which is the default, means no such thing: a program never starts itself a
// second time unasked.
type Limits struct {
	Bytes    int64         // size of the file; 256 MiB
	Frames   int64         // frames decoded; 2^27, which is 46 minutes at 48 kHz
	Memory   int64         // bytes of decoded samples, four a sample; 512 MiB
	Channels int           // channels, at most 8; 8
	MinRate  int           // frames per second; 1,000
	MaxRate  int           // frames per second, at most 768,000; 768,000
	Time     time.Duration // from the first byte decoded to the last; 30 s
	Isolate  []string      `json:"-"` // a program and its arguments; empty
}

// withDefaults fills in what is zero, and pulls in what is beyond what the
// rest of the package can hold.
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

// narrowed returns the smaller of each limit of both; zero is none.
func (l Limits) narrowed(by Limits) Limits {
	l.Bytes = smaller(l.Bytes, by.Bytes)
	l.Frames = smaller(l.Frames, by.Frames)
	l.Memory = smaller(l.Memory, by.Memory)
	l.Channels = smaller(l.Channels, by.Channels)
	l.MinRate = max(l.MinRate, by.MinRate)
	l.MaxRate = smaller(l.MaxRate, by.MaxRate)
	l.Time = smaller(l.Time, by.Time)
	return l
}

func smaller[T int | int64 | time.Duration](x, y T) T {
	if x <= 0 || y > 0 && y < x {
		return y
	}
	return x
}

// bounds are the limits that codecs keep.
func (l Limits) bounds() source.Limits {
	return source.Limits{Frames: l.Frames, Memory: l.Memory, Channels: l.Channels, MinRate: l.MinRate, MaxRate: l.MaxRate}
}

// boundsOf are the limits that codecs keep for a whole file of size bytes.
func (l Limits) boundsOf(size int64) source.Limits {
	b := l.bounds()
	b.Size = size
	return b
}

// named puts the package and the sound's name before what is wrong, once, at
// the package's edge.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	// The operation and the path of a PathError would say the name twice.
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err
	}
	if errors.Is(err, voice.ErrSound) {
		err = unplayable{err}
	}
	return &namedError{"sounds: " + name + ": " + withFile(err.Error(), name), err}
}

// namedError is an error of a sound under its name.
type namedError struct {
	text  string
	cause error
}

func (e *namedError) Error() string { return e.text }
func (e *namedError) Unwrap() error { return e.cause }

// unplayable is an error of voice without the name of that package.
type unplayable struct{ error }

func (u unplayable) Error() string { return strings.TrimPrefix(u.error.Error(), "voice: ") }
func (u unplayable) Unwrap() error { return u.error }
