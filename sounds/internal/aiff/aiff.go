// Package aiff reads AIFF, and AIFC without compression or with A-law and u-law.
package aiff

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"voicepool/pcm"
	"voicepool/sounds/internal/blocks"
	"voicepool/sounds/internal/source"
)

// Is reports whether data begins with the form header of AIFF or AIFC. It returns false for fewer than 12 bytes.
func Is(data []byte) bool {
	return len(data) >= 12 && string(data[:4]) == "FORM" && (string(data[8:12]) == "AIFF" || string(data[8:12]) == "AIFC")
}

// streamedSize is the smallest size of a sample chunk that means "until the end": sox writes it if it cannot
// seek back.
const streamedSize = 0x7f000000

// maxExcess is the number of bytes by which a sample chunk may exceed the file, as in WAV.
const maxExcess = 64

// maxChunk is the number of bytes read of a chunk, enough for some thousand marks.
const maxChunk = 64 << 10

// chunks holds the relevant chunks of a file.
type chunks struct {
	comm, mark, inst []byte // truncated to maxChunk
	tags             []string
	data, size       int64 // position of the samples, and their size in bytes
	streamed         bool  // the file was written without a known length
}

// Open reads the chunks of an AIFF or AIFC file at the position of in, after zeros and ID3v2 tags, and returns a
// reader of its samples. The reader is before the first sample. If the header announces another number of frames than
// the file has, the frames in the file count, with a note. If the file was written without a known length, the smaller
// number counts. lim bounds channels, rate and length; a file beyond them gives an error that wraps source.ErrLimit.
// An unsupported encoding wraps source.ErrFormat, and a broken file source.ErrDecode.
func Open(in *source.Input, lim source.Limits) (source.Reader, error) {
	in.SkipFront(Is)
	c, err := readChunks(in)
	if err != nil {
		return nil, err
	}
	channels, bits := int(binary.BigEndian.Uint16(c.comm)), int(binary.BigEndian.Uint16(c.comm[6:]))
	rate, err := parseRate(c.comm[8:])
	if err != nil {
		return nil, err
	}
	if err := lim.CheckFormat(channels, rate); err != nil {
		return nil, err
	}
	kind := "NONE"
	if len(c.comm) >= 22 {
		kind = string(c.comm[18:22])
	}
	e, err := encoding(kind, bits, channels)
	if err != nil {
		return nil, err
	}
	announced, frames := int64(binary.BigEndian.Uint32(c.comm[2:])), e.Length(c.size)
	if c.streamed && announced > 0 {
		frames = min(frames, announced)
	}
	if announced > frames && frames == 0 && !c.streamed {
		return nil, source.DecodeErrorf("cut short: %d frames are announced, 0 are there", announced)
	}
	if err := lim.CheckLength(frames, channels); err != nil {
		return nil, err
	}
	h := source.Head{Channels: channels, Rate: int(rate), Frames: frames, Tags: c.tags, Smpl: c.loop()}
	if announced != frames && announced > 0 && !c.streamed {
		h.Note("the header announces %d frames, %d are there: these are played", announced, frames)
	}
	return blocks.NewReader(in, h, e, c.data, c.size), nil
}

// readChunks reads the chunks of an AIFF file, in any order, and returns the needed ones. in must be at its FORM
// header, and is moved past the chunks. Unknown chunks are skipped. A sample chunk may exceed the file by at most 64
// bytes, or by any number if the file was written without a known length or the FORM header has a size that fits the
// file. The error wraps source.ErrDecode if a needed chunk is missing or truncated. An SSND chunk may be missing if no
// frames are announced.
func readChunks(in *source.Input) (c chunks, err error) {
	head := in.Peek(12)
	form, compressed := int64(binary.BigEndian.Uint32(head[4:])), head[11] == 'C'
	complete := form > 0 && in.At+8+form <= in.Size // according to its outermost chunk
	in.Skip(12)
	walk := blocks.Chunks{Order: binary.BigEndian}
	for in.Remaining() >= 8 {
		b := in.Peek(8)
		if len(b) < 8 {
			return c, source.DecodeErrorf("cut short")
		}
		id, size := string(b[:4]), int64(binary.BigEndian.Uint32(b[4:]))
		walk.Begin(in.At, id)
		in.Skip(8)
		at, left := in.At, in.Remaining()
		if id == "SSND" {
			c.streamed = size >= streamedSize && size > left || size == 0
			if tooLong := size > left && left > 8 && (complete || size-left <= maxExcess); c.streamed || tooLong {
				size = left
			}
		}
		if size > left {
			if c.data > 0 && c.comm != nil {
				break // the samples are complete, so ignore the broken chunk
			}
			return c, walk.Broken("cut short: a chunk %q of %d bytes is announced, %d bytes are there", id, size, left)
		}
		body := in.Peek(maxChunk)
		body = body[:min(int64(len(body)), size)]
		switch id {
		case "COMM":
			if len(body) < 18 || compressed && len(body) < 22 {
				return c, source.DecodeErrorf("a COMM chunk of %d bytes, it has at least 18, in AIFC 22", size)
			}
			c.comm = bytes.Clone(body)
			if !compressed {
				c.comm = c.comm[:18]
			}
		case "SSND":
			if len(body) < 8 {
				return c, source.DecodeErrorf("a SSND chunk of %d bytes, it has at least 8", size)
			}
			offset := min(int64(binary.BigEndian.Uint32(body)), size-8)
			c.data, c.size = at+8+offset, size-8-offset
		case "MARK":
			c.mark = bytes.Clone(body)
		case "INST":
			c.inst = bytes.Clone(body)
		case "ID3 ", "id3 ":
			c.tags = in.ReadID3()
		}
		walk.End(in, at-8, min(size, left))
	}
	switch {
	case c.comm == nil:
		return c, walk.Broken("there is no COMM chunk")
	case c.data == 0 && binary.BigEndian.Uint32(c.comm[2:]) > 0:
		return c, walk.Broken("there is no SSND chunk")
	}
	return c, nil
}

// parseRate returns the sample rate in the first 10 bytes of b, a big-endian 80-bit float, rounded to whole Hz. A rate
// below 1 Hz gives 0. The error wraps source.ErrDecode for negative, infinite or huge numbers.
func parseRate(b []byte) (int64, error) {
	exponent, mantissa := int(binary.BigEndian.Uint16(b))-16383, binary.BigEndian.Uint64(b[2:])
	switch {
	case exponent < 0:
		return 0, nil
	case exponent >= 62: // negative, infinite, or out of range
		return 0, source.DecodeErrorf("its rate of %x is not a number of Hz", b[:10])
	}
	return int64((mantissa>>(62-exponent) + 1) >> 1), nil
}

// encodings lists the supported encodings by compression type. If bytes is 0, the size of a sample follows from
// its bits.
var encodings = map[string]struct {
	kind   blocks.Kind
	bytes  int
	little bool
}{
	"NONE": {kind: blocks.Signed}, "twos": {kind: blocks.Signed}, "sowt": {kind: blocks.Signed, little: true},
	"in24": {kind: blocks.Signed, bytes: 3}, "42ni": {kind: blocks.Signed, bytes: 3, little: true},
	"in32": {kind: blocks.Signed, bytes: 4}, "23ni": {kind: blocks.Signed, bytes: 4, little: true},
	"raw ": {kind: blocks.Unsigned, bytes: 1},
	"fl32": {kind: blocks.Float, bytes: 4}, "FL32": {kind: blocks.Float, bytes: 4},
	"fl64": {kind: blocks.Float, bytes: 8}, "FL64": {kind: blocks.Float, bytes: 8},
	"alaw": {kind: blocks.ALaw, bytes: 1}, "ALAW": {kind: blocks.ALaw, bytes: 1},
	"ulaw": {kind: blocks.ULaw, bytes: 1}, "ULAW": {kind: blocks.ULaw, bytes: 1},
}

// encoding returns the blocks.Encoding, with its decoder, of interleaved samples. name is the compression type of
// AIFC, such as "sowt", or "NONE" for AIFF. bits counts only if name leaves the size of a sample open, as "NONE" does.
// A sample with fewer bits than its bytes have is left-aligned. The error wraps source.ErrFormat for an unknown name,
// and source.ErrDecode for an impossible number of bits.
func encoding(name string, bits, channels int) (blocks.Encoding, error) {
	x, ok := encodings[name]
	if !ok {
		return blocks.Encoding{}, source.FormatErrorf("AIFC with the compression %q is not read; convert it: %s", name, source.ConvertCommand)
	}
	e, ok := blocks.Linear(x.kind, cmp.Or(x.bytes, (bits+7)/8), channels, !x.little)
	if !ok {
		return e, source.DecodeErrorf("samples of %d bits, they have 1 to 32", bits)
	}
	return e, nil
}

// loop returns the sustain loop of the INST chunk, in frames. Its start and end are the positions of two marks in the
// MARK chunk. If the instrument, its loop or a mark is missing, the result is the zero loop.
func (c *chunks) loop() (loop pcm.Loop) {
	if len(c.inst) < 14 || binary.BigEndian.Uint16(c.inst[8:]) == 0 {
		return loop
	}
	places := c.marks()
	for i := range loop {
		at, ok := places[binary.BigEndian.Uint16(c.inst[10+2*i:])]
		if !ok {
			return pcm.Loop{}
		}
		loop[i] = at
	}
	return loop
}

// marks returns the marks of the MARK chunk: the position of each in frames, by its number. A truncated mark ends the
// list.
func (c *chunks) marks() map[uint16]int64 {
	places := map[uint16]int64{}
	if len(c.mark) < 2 {
		return places
	}
	b := c.mark[2:]
	for range binary.BigEndian.Uint16(c.mark) {
		if len(b) < 7 {
			break
		}
		places[binary.BigEndian.Uint16(b)] = int64(binary.BigEndian.Uint32(b[2:]))
		name := int(b[6]) + 1 // a length and characters, padded to an even size
		b = b[min(6+name+name&1, len(b)):]
	}
	return places
}
