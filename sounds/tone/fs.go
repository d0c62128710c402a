package tone

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io/fs"
	"math"
	"strings"
	"time"
)

// FS contains a WAV file for each name that Parse accepts, for Library.LoadFS and library.Source. The zero value
// has a rate of 48 kHz. FS is comparable, so a Library generates each sound once.
type FS struct {
	Rate   int           // frames per second; 0: 48,000
	Length time.Duration // as in Signal.Clip; 0: one second of a wave, ten of noise
}

// Open generates the signal called name, such as "tone:440", and returns it as an open WAV file in memory, in stereo.
// Parse describes the names. The error is a *fs.PathError that wraps ErrSignal.
func (f FS) Open(name string) (fs.File, error) {
	s, err := Parse(name)
	if err == nil {
		length := f.Length
		if length == 0 {
			length = time.Second
			if s.Shape.noise() {
				length = 10 * time.Second
			}
		}
		c, clipErr := s.Clip(cmp.Or(f.Rate, 48000), length)
		if err = clipErr; err == nil {
			data := encode(c.Samples, c.Rate)
			return &file{bytes.NewReader(data), info{name, int64(len(data))}}, nil
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: withoutName{err, name}}
}

// withoutName is an error without the name that the enclosing error already contains.
type withoutName struct {
	error
	name string
}

// Error returns the text without the prefix of this package and without the name of the signal.
func (e withoutName) Error() string { return strings.TrimPrefix(Reason(e.error), e.name+": ") }

// Unwrap returns the error with the name.
func (e withoutName) Unwrap() error { return e.error }

// encode returns a WAV file with the interleaved stereo samples, at rate in Hz, as 32-bit floats.
func encode(samples []float32, rate int) []byte {
	const header, frame = 58, 8
	size := uint32(4 * len(samples))
	b := make([]byte, 0, header+int(size))
	appendUint32 := func(x uint32) { b = binary.LittleEndian.AppendUint32(b, x) }
	b = append(b, "RIFF"...)
	appendUint32(header - 8 + size)
	b = append(b, "WAVEfmt "...)
	appendUint32(18)
	b = append(b, 3, 0, 2, 0) // floats, two channels
	appendUint32(uint32(rate))
	appendUint32(uint32(rate) * frame)
	b = append(b, frame, 0, 32, 0, 0, 0)
	b = append(b, "fact"...)
	appendUint32(4)
	appendUint32(size / frame)
	b = append(b, "data"...)
	appendUint32(size)
	for _, x := range samples {
		appendUint32(math.Float32bits(x))
	}
	return b
}

// file is an open file of FS.
type file struct {
	*bytes.Reader
	info info
}

// Stat returns the name and the size of the file. The error is always nil.
func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close has no effect; it implements fs.File.
func (f *file) Close() error { return nil }

// info is the fs.FileInfo of a file.
type info struct {
	name string
	size int64
}

// Name returns the name that was opened. This and the methods below implement fs.FileInfo for a read-only file.
func (i info) Name() string { return i.name }

// Size returns the size in bytes.
func (i info) Size() int64 { return i.size }

// Mode returns the mode of a file that all may read.
func (i info) Mode() fs.FileMode { return 0o444 }

// ModTime returns the zero time.
func (i info) ModTime() time.Time { return time.Time{} }

// IsDir returns false.
func (i info) IsDir() bool { return false }

// Sys returns nil.
func (i info) Sys() any { return nil }
