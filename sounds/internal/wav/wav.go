// Package wav reads WAV, RF64 and BW64: integers of 8 to 32 bits, floats of 32 and
// 64 bits, A-law and u-law.
package wav

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"

	"voicepool/sounds/internal/source"
)

// Is knows RIFF, and RF64 and BW64, which have 64-bit sizes.
func Is(data []byte, tagged bool) bool {
	if tagged || len(data) < 12 || string(data[8:12]) != "WAVE" {
		return false
	}
	id := string(data[:4])
	return id == "RIFF" || id == "RF64" || id == "BW64"
}

// streamedSize is the least size of a data chunk that means "until the end":
// what cannot seek back writes 0xffffffff, 0x80000000 or 0x7fffffff less its
// headers, since it does not know better.
const streamedSize = 0x7ffff000

// chunks are the parts of a WAV file that matter here.
type chunks struct {
	fmt, smpl  []byte // their beginnings
	data, size int64  // where the samples begin, and their bytes
}

type reader struct {
	in *source.Input
	source.Head
	f     format
	start int64 // where the samples begin, in bytes
	at    int64 // the next frame
}

// Open reads the chunks of the file that in stands at.
func Open(in *source.Input, lim source.Limits) (source.Reader, error) {
	chunks, err := readChunks(in)
	if err != nil {
		return nil, err
	}
	f, err := parseFormat(chunks.fmt)
	if err != nil {
		return nil, err
	}
	if err := lim.Shape(f.channels, f.rate); err != nil {
		return nil, err
	}
	if f.align != f.channels*f.bytes {
		return nil, source.Broken("%d bytes a frame, but %d channels of %d bytes", f.align, f.channels, f.bytes)
	}
	frames := chunks.size / int64(f.align)
	if err := lim.Length(frames, f.channels); err != nil {
		return nil, err
	}
	r := &reader{in: in, f: f, start: chunks.data, Head: source.Head{
		Encoding: f.name, Channels: f.channels, Rate: int(f.rate), Speakers: f.speakers, Frames: frames, Sure: true,
	}}
	if s := chunks.smpl; len(s) >= 60 && binary.LittleEndian.Uint32(s[28:]) > 0 {
		r.Smpl = [2]int64{int64(binary.LittleEndian.Uint32(s[44:])), int64(binary.LittleEndian.Uint32(s[48:])) + 1}
	}
	in.MoveTo(r.start)
	return r, nil
}

// piece is how many samples are decoded at a time.
const piece = 1 << 13

func (r *reader) Next(dst []float32) ([]float32, error) {
	n := int(min(r.Frames-r.at, int64(piece/r.f.channels)))
	if n == 0 {
		return dst, io.EOF
	}
	b := r.in.Peek(n * r.f.align)
	if len(b) < n*r.f.align {
		return dst, source.Broken("frame %d: cut short", r.at)
	}
	old := len(dst)
	dst = source.Grow(dst, n*r.f.channels)
	r.f.decode(dst[old:], b)
	r.in.Skip(int64(n * r.f.align))
	r.at += int64(n)
	return dst, nil
}

func (r *reader) SeekFrame(frame int64, _ *source.Marks) (int64, error) {
	r.at = min(frame, r.Frames)
	r.in.MoveTo(r.start + r.at*int64(r.f.align))
	return r.at, nil
}

func (r *reader) Count(*source.Marks) (int64, error) { return r.Frames, nil }

// readChunks walks over the chunks of a file. Those that are not known are
// passed over; only the data chunk may claim more than there is, as a stream's.
func readChunks(in *source.Input) (c chunks, err error) {
	var size64 uint64 // of the data chunk, from ds64
	riff := binary.LittleEndian.Uint32(in.Peek(12)[4:])
	in.Skip(12)
	for in.Left() >= 8 {
		b := in.Peek(8)
		if len(b) < 8 {
			return c, source.Broken("cut short")
		}
		id, size := string(b[:4]), uint64(binary.LittleEndian.Uint32(b[4:]))
		in.Skip(8)
		left := uint64(in.Left())
		if id == "data" {
			if c.fmt == nil {
				return c, source.Broken("the data chunk comes before the fmt chunk")
			}
			if size == math.MaxUint32 && size64 > 0 {
				size = size64
			}
			streamed := size >= streamedSize && size > left || size == 0 && (riff == 0 || riff >= streamedSize)
			switch {
			case streamed:
				size = left
			case size > left:
				return c, source.Broken("cut short: %d bytes of samples are announced, %d are there", size, left)
			}
			c.data, c.size = in.At, int64(size)
		} else if size > left {
			if c.data > 0 {
				break // whatever it is, the samples are all there
			}
			return c, source.Broken("cut short: a chunk %q of %d bytes is announced, %d bytes are there", id, size, left)
		}
		body := in.Peek(64) // none is of interest further
		body = body[:min(uint64(len(body)), size)]
		switch id {
		case "fmt ":
			if size < 16 {
				return c, source.Broken("a fmt chunk of %d bytes, it has at least 16", size)
			}
			c.fmt = bytes.Clone(body)
		case "ds64":
			if len(body) >= 16 {
				size64 = binary.LittleEndian.Uint64(body[8:])
			}
		case "smpl":
			c.smpl = bytes.Clone(body)
		}
		in.Skip(int64(min(size+size&1, left)))
	}
	switch {
	case c.fmt == nil:
		return c, source.Broken("there is no fmt chunk")
	case len(c.fmt) < 16:
		return c, source.Broken("cut short")
	case c.data == 0:
		return c, source.Broken("there is no data chunk")
	}
	return c, nil
}

// format is what a fmt chunk says.
type format struct {
	name     string
	channels int
	rate     int64
	align    int // bytes a frame
	bytes    int // bytes a sample
	speakers uint32
	decode   func(dst []float32, src []byte)
}

// parseFormat reads a fmt chunk, which has at least 16 bytes.
func parseFormat(b []byte) (f format, err error) {
	tag := binary.LittleEndian.Uint16(b)
	f.channels = int(binary.LittleEndian.Uint16(b[2:]))
	f.rate = int64(binary.LittleEndian.Uint32(b[4:]))
	f.align = int(binary.LittleEndian.Uint16(b[12:]))
	bits := int(binary.LittleEndian.Uint16(b[14:]))
	if tag == tagExtensible {
		if len(b) < 40 {
			return f, source.Broken("an extensible fmt chunk of %d bytes, it has at least 40", len(b))
		}
		tag = binary.LittleEndian.Uint16(b[24:])
		if string(b[26:40]) != "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71" {
			return f, source.Unknown("the WAV encoding %x is not read", b[24:40])
		}
		f.speakers = binary.LittleEndian.Uint32(b[20:])
	}
	f.bytes = (bits + 7) / 8
	for _, e := range encodings {
		if e.tag == tag && e.bytes == f.bytes && (tag == tagPCM || bits == 8*f.bytes) {
			f.name, f.decode = e.name, e.decode
			return f, nil
		}
	}
	return f, source.Unknown("the WAV encoding %#x with %d bits is not read", tag, bits)
}

// The format tags that mean more than an encoding.
const (
	tagPCM        = 1
	tagExtensible = 0xfffe
)

// encodings are those that are read. Of whole numbers any bits of a byte count.
var encodings = [...]struct {
	tag    uint16
	bytes  int // a sample
	name   string
	decode func(dst []float32, src []byte)
}{
	{tagPCM, 1, "u8", decodeU8}, {tagPCM, 2, "s16", decodeS16}, {tagPCM, 3, "s24", decodeS24}, {tagPCM, 4, "s32", decodeS32},
	{3, 4, "f32", decodeF32}, {3, 8, "f64", decodeF64}, {6, 1, "alaw", decodeALaw}, {7, 1, "ulaw", decodeULaw},
}

// Each of these fills dst from the beginning of src, which is long enough.
// Integers are divided by their full scale, a power of two, so that up to 24
// bits are exact; 32 bits and doubles are rounded once.

func decodeU8(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int(src[i])-128) / (1 << 7)
	}
}

func decodeS16(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int16(binary.LittleEndian.Uint16(src[2*i:]))) / (1 << 15)
	}
}

func decodeS24(dst []float32, src []byte) {
	for i := range dst {
		b := src[3*i : 3*i+3]
		dst[i] = float32(int32(uint32(b[0])<<8|uint32(b[1])<<16|uint32(b[2])<<24)>>8) / (1 << 23)
	}
}

func decodeS32(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(int32(binary.LittleEndian.Uint32(src[4*i:]))) / (1 << 31)
	}
}

func decodeF32(dst []float32, src []byte) {
	_, _ = binary.Decode(src, binary.LittleEndian, dst) // there is enough of it
}

func decodeF64(dst []float32, src []byte) {
	for i := range dst {
		dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
	}
}

// decodeALaw expands ITU-T G.711 A-law to 13 bits, left-aligned in 16.
func decodeALaw(dst []float32, src []byte) {
	for i := range dst {
		b := src[i] ^ 0x55
		x := int(b&15)<<4 + 8
		if segment := b >> 4 & 7; segment > 0 {
			x = (x + 0x100) << (segment - 1)
		}
		if b&0x80 == 0 {
			x = -x
		}
		dst[i] = float32(x) / (1 << 15)
	}
}

// decodeULaw expands ITU-T G.711 u-law to 14 bits, left-aligned in 16.
func decodeULaw(dst []float32, src []byte) {
	for i := range dst {
		b := ^src[i]
		x := (int(b&15)<<3+0x84)<<(b>>4&7) - 0x84
		if b&0x80 != 0 {
			x = -x
		}
		dst[i] = float32(x) / (1 << 15)
	}
}
