// Package wav reads WAV, RF64 and BW64: integers of 8 to 32 bits, floats of 32 and
// 64 bits, A-law and u-law, and the ADPCM of the IMA and of Microsoft.
package wav

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"voicepool/sounds/internal/blocks"
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

// maxChunk is how much of a chunk is of interest: a fmt chunk with 256 predictors.
const maxChunk = 2 << 10

// chunks are the parts of a WAV file that matter here.
type chunks struct {
	fmt, smpl  []byte // their beginnings
	tags       []string
	data, size int64 // where the samples begin, and their bytes
	fact       int64 // how many frames they are, by the fact chunk; 0: it does not say
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
	e, err := f.encoding(chunks.fmt)
	if err != nil {
		return nil, err
	}
	frames := trimmed(&e, e.Length(chunks.size), chunks.fact, f.channels)
	if err := lim.Length(frames, f.channels); err != nil {
		return nil, err
	}
	h := source.Head{Channels: f.channels, Rate: int(f.rate), Speakers: f.speakers, Frames: frames, Tags: chunks.tags}
	if s := chunks.smpl; len(s) >= 60 && binary.LittleEndian.Uint32(s[28:]) > 0 {
		h.Smpl = [2]int64{int64(binary.LittleEndian.Uint32(s[44:])), int64(binary.LittleEndian.Uint32(s[48:])) + 1}
	}
	return blocks.NewReader(in, h, e, chunks.data, chunks.size), nil
}

// trimmed returns how many of the frames in all blocks are sound, by the fact chunk: encoders fill
// the last block up. It is believed where it ends within that block. libsndfile 1.2 divides
// what it counts by the channels once too often.
func trimmed(e *blocks.Encoding, frames, fact int64, channels int) int64 {
	if fact > max(0, frames-int64(e.Frames)) && fact < frames && (channels == 1 || fact != frames/int64(channels)) {
		return fact
	}
	return frames
}

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
		at := in.At
		body := in.Peek(maxChunk)
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
		case "fact":
			if len(body) >= 4 {
				c.fact = int64(binary.LittleEndian.Uint32(body))
			}
		case "id3 ", "ID3 ":
			c.tags = in.TakeID3()
		}
		in.MoveTo(at + int64(min(size+size&1, left)))
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
	tag      uint16
	channels int
	rate     int64
	align    int // bytes a frame, or a block
	bits     int
	speakers uint32
}

// parseFormat reads a fmt chunk, which has at least 16 bytes.
func parseFormat(b []byte) (f format, err error) {
	f.tag = binary.LittleEndian.Uint16(b)
	f.channels = int(binary.LittleEndian.Uint16(b[2:]))
	f.rate = int64(binary.LittleEndian.Uint32(b[4:]))
	f.align = int(binary.LittleEndian.Uint16(b[12:]))
	f.bits = int(binary.LittleEndian.Uint16(b[14:]))
	if f.tag == tagExtensible {
		if len(b) < 40 {
			return f, source.Broken("an extensible fmt chunk of %d bytes, it has at least 40", len(b))
		}
		f.tag = binary.LittleEndian.Uint16(b[24:])
		if string(b[26:40]) != "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71" {
			return f, source.Unknown("the WAV encoding %x is not read; convert it: ffmpeg -i x.wav y.wav", b[24:40])
		}
		f.speakers = binary.LittleEndian.Uint32(b[20:])
	}
	return f, nil
}

// The format tags.
const (
	tagPCM        = 1
	tagMS         = 2
	tagFloat      = 3
	tagALaw       = 6
	tagULaw       = 7
	tagIMA        = 0x11
	tagExtensible = 0xfffe
)

// encoding returns how the samples are kept. Of whole numbers any bits of a byte count.
func (f *format) encoding(b []byte) (e blocks.Encoding, err error) {
	bytes, ok := (f.bits+7)/8, false
	switch whole := f.bits == 8*bytes; {
	case (f.tag == tagIMA || f.tag == tagMS) && f.bits == 4:
		if e, err = f.adpcm(b); err != nil {
			err = source.Broken("%v", err)
		}
		return e, err
	case f.tag == tagPCM && bytes == 1:
		e, ok = blocks.Linear(blocks.Unsigned, bytes, f.channels, false)
	case f.tag == tagPCM:
		e, ok = blocks.Linear(blocks.Signed, bytes, f.channels, false)
	case f.tag == tagFloat && whole:
		e, ok = blocks.Linear(blocks.Float, bytes, f.channels, false)
	case f.tag == tagALaw && whole:
		e, ok = blocks.Linear(blocks.ALaw, bytes, f.channels, false)
	case f.tag == tagULaw && whole:
		e, ok = blocks.Linear(blocks.ULaw, bytes, f.channels, false)
	}
	if !ok {
		return e, source.Unknown("the WAV encoding %#x with %d bits is not read; convert it: ffmpeg -i x.wav y.wav", f.tag, f.bits)
	}
	if f.align != e.Bytes {
		return e, source.Broken("%d bytes a frame, but %d channels of %d bytes", f.align, f.channels, bytes)
	}
	return e, nil
}

// adpcm reads what the fmt chunk of ADPCM has more.
func (f *format) adpcm(b []byte) (blocks.Encoding, error) {
	frames := 0
	if len(b) >= 20 {
		frames = int(binary.LittleEndian.Uint16(b[18:]))
	}
	if f.tag == tagIMA {
		return blocks.IMA(f.align, frames, f.channels)
	}
	if f.channels > 2 {
		return blocks.Encoding{}, fmt.Errorf("MS ADPCM of %d channels, it has at most 2", f.channels)
	}
	factors := blocks.MSFactors
	if len(b) >= 22 && binary.LittleEndian.Uint16(b) == tagMS {
		n := int(binary.LittleEndian.Uint16(b[20:]))
		if len(b) < 22+4*n || n > 256 {
			return blocks.Encoding{}, fmt.Errorf("a fmt chunk of %d bytes, with %d predictors it has %d", len(b), n, 22+4*n)
		}
		factors = make([][2]int, n)
		for i := range factors {
			for k := range factors[i] {
				factors[i][k] = int(int16(binary.LittleEndian.Uint16(b[22+4*i+2*k:])))
			}
		}
	}
	return blocks.MS(f.align, frames, f.channels, factors)
}
