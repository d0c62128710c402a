package reader

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"voicepool/internal/panning"
	"voicepool/pcm"
	"voicepool/sounds/library"
)

// ErrFormat is wrapped by the error of an invalid Format, and of bytes that do not have their Format, such
// as an incomplete last frame.
var ErrFormat = errors.New("bad format")

// Format describes PCM bytes, interleaved. Ebitengine's decoders output stereo: DecodeF32 as Float32,
// DecodeWithoutResampling as Int16.
type Format struct {
	Rate     int // frames per second, 1..768000
	Channels int // 1 or 2; 0 means 2
	Encoding Encoding
}

// filled returns f with two channels if it has 0, or an error that wraps ErrFormat for invalid values.
func (f Format) filled() (Format, error) {
	f.Channels = cmp.Or(f.Channels, 2)
	switch {
	case f.Rate < 1 || f.Rate > 768_000:
		return f, fmt.Errorf("%w: a rate of %d, want 1..768000", ErrFormat, f.Rate)
	case f.Channels < 1 || f.Channels > 2:
		return f, fmt.Errorf("%w: %d channels, want 1 or 2", ErrFormat, f.Channels)
	case f.Encoding > Int16:
		return f, fmt.Errorf("%w: there is no encoding %d, want Float32 or Int16", ErrFormat, f.Encoding)
	}
	return f, nil
}

// size returns the size of a frame of all channels in bytes.
func (f Format) size() int { return f.Channels * f.Encoding.bytes() }

// samples decodes the whole samples of p, appends them to dst and returns dst. An incomplete sample at the end
// is ignored.
func (f Format) samples(dst []float32, p []byte) []float32 {
	for ; len(p) >= f.Encoding.bytes(); p = p[f.Encoding.bytes():] {
		if f.Encoding == Float32 {
			dst = append(dst, math.Float32frombits(binary.LittleEndian.Uint32(p)))
		} else {
			dst = append(dst, float32(int16(binary.LittleEndian.Uint16(p)))/(1<<15))
		}
	}
	return dst
}

// input reads samples from an io.Reader.
type input struct {
	format Format
	in     *bufio.Reader
	from   io.Reader
	buffer []float32
}

// open returns an input that decodes frames of the format from an io.Reader.
func (f Format) open(from io.Reader) *input {
	in := bufio.NewReaderSize(from, block*f.size())
	return &input{format: f, in: in, from: from, buffer: make([]float32, 0, block*f.Channels)}
}

// next decodes at most frames frames, but not more than block. It returns interleaved samples, valid until the
// next call, and the error that follows them. An incomplete last frame is an error that wraps ErrFormat.
func (i *input) next(frames int) ([]float32, error) {
	size := i.format.size()
	data, err := i.in.Peek(min(frames, block) * size)
	whole := len(data) / size * size
	i.buffer = i.format.samples(i.buffer[:0], data[:whole])
	if rest := len(data) - whole; errors.Is(err, io.EOF) && rest > 0 {
		err = fmt.Errorf("%w: it ends %d bytes into a frame of %d; are Channels and Encoding right?",
			ErrFormat, rest, size)
	}
	_, _ = i.in.Discard(whole) // cannot fail after Peek
	return i.buffer, err
}

// Read reads all of r into a clip, for library.Prepare. If r has more than frames frames, fails or panics, the
// error names the sound. Control side.
func Read(name string, r io.Reader, f Format, frames int64) (c *library.Clip, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("it panics: %v", p)
		}
		if err != nil {
			c, err = nil, fmt.Errorf("reader: %s: %w", name, err)
		}
	}()
	if f, err = f.filled(); err != nil {
		return nil, err
	}
	if r == nil {
		return nil, errors.New("there is nothing to read from")
	}
	c = &library.Clip{Name: name, Format: "pcm", Channels: f.Channels, Rate: f.Rate}
	for in := f.open(r); err == nil; {
		var samples []float32
		samples, err = in.next(block)
		c.Samples = append(c.Samples, samples...)
		if c.Frames() > frames {
			return nil, fmt.Errorf("it gives more than %d frames", frames)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return c, err
}

// Stream returns a source that is decoded as it plays, from readers that open returns:
//
//	music, err := lib.StreamFrames(source, library.StreamOptions{})
//
// Each Play calls open, so several voices can play the stream. If the reader is an io.Seeker, the stream can
// be looped and started anywhere without reading the earlier bytes. If it is an io.Closer, it is closed at
// the end of its voice. Stream calls open once, to determine the length. A mono stream is panned like a
// stereo sound, at -3 dB.
func Stream(name string, f Format, open func() (io.Reader, error)) (library.FrameSource, error) {
	f, err := f.filled()
	src := library.FrameSource{Name: name, Rate: f.Rate}
	if err == nil {
		src.Frames, err = f.length(open)
	}
	if err != nil {
		return library.FrameSource{}, fmt.Errorf("reader: %s: %w", name, err)
	}
	src.Open = func() (library.FrameReader, error) {
		from, err := open()
		if err != nil {
			return nil, err
		}
		r := &frameReader{f.open(from)}
		if _, ok := from.(io.Seeker); ok {
			return frameSeeker{r}, nil
		}
		return r, nil
	}
	return src, nil
}

// length calls open, closes the reader again, and returns the length in frames. It is 0 if the reader cannot
// seek to its end.
func (f Format) length(open func() (io.Reader, error)) (int64, error) {
	from, err := open()
	if err != nil {
		return 0, err
	}
	bytes := int64(0)
	if s, ok := from.(io.Seeker); ok {
		if bytes, err = s.Seek(0, io.SeekEnd); err != nil { // the stream is endless
			bytes = 0
		}
	}
	return max(bytes, 0) / int64(f.size()), (&frameReader{f.open(from)}).Close()
}

// frameReader reads an input as frames, for one voice.
type frameReader struct{ *input }

// Read decodes up to len(dst) frames and returns their number and the error after them, such as io.EOF. Mono is
// panned to the middle, at -3 dB.
func (r *frameReader) Read(dst []pcm.Frame) (n int, err error) {
	samples, err := r.next(len(dst))
	if r.format.Channels == 2 {
		for ; len(samples) > 0; samples = samples[2:] {
			dst[n] = pcm.Frame(samples[:2])
			n++
		}
		return n, err
	}
	left, right := panning.Gains(0)
	for i, x := range samples {
		dst[i] = pcm.Frame{x * float32(left), x * float32(right)}
	}
	return len(samples), err
}

// Close closes the reader if it is an io.Closer.
func (r *frameReader) Close() error {
	if c, ok := r.from.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// frameSeeker is a frameReader that can seek.
type frameSeeker struct{ *frameReader }

// SeekFrame makes Read continue at a frame, counted from the start of the reader.
func (s frameSeeker) SeekFrame(frame int64) error {
	_, err := s.from.(io.Seeker).Seek(frame*int64(s.format.size()), io.SeekStart)
	s.in.Reset(s.from)
	return err
}
