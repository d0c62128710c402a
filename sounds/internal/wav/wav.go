// Package wav reads WAV, RIFX, RF64 and BW64: integers of 8 to 32 bits, floats of 32 and 64 bits, A-law and
// u-law, IMA ADPCM and Microsoft ADPCM.
package wav

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"voicepool/sounds/internal/blocks"
	"voicepool/sounds/internal/source"
)

// Is reports whether data begins with the header of a WAV file: RIFF, RIFX (big-endian), RF64 or BW64 (64-bit sizes)
// with the form WAVE. It returns false for fewer than 12 bytes.
func Is(data []byte) bool {
	if len(data) < 12 || string(data[8:12]) != "WAVE" {
		return false
	}
	id := string(data[:4])
	return id == "RIFF" || id == "RIFX" || id == "RF64" || id == "BW64"
}

// streamedSize is the smallest size of a data chunk that means "until the end": programs that cannot seek back
// write 0xffffffff, or 0x80000000 or 0x7fffffff less their headers.
const streamedSize = 0x7ffff000

// maxExcess is the number of bytes by which a data chunk may exceed the file, because some programs count the
// headers. A file that lacks more is truncated, or half written, unless it has the size in its RIFF header.
const maxExcess = 64

// maxChunk is the number of bytes read of a chunk: a fmt chunk with 256 predictors.
const maxChunk = 2 << 10

// chunks holds the relevant chunks of a WAV file.
type chunks struct {
	order      binary.ByteOrder
	fmt, smpl  []byte // truncated to maxChunk
	tags       []string
	data, size int64  // position of the samples, and their size in bytes
	missing    uint64 // announced bytes of samples that the file lacks
	fact       int64  // number of frames in the fact chunk; 0: unknown
}

// Open reads the chunks of a WAV file at the position of in, after zeros and ID3v2 tags, and returns a reader of its
// samples. The reader is before the first sample. The first loop of the smpl chunk becomes Head.Smpl. lim bounds
// channels, rate and length; a file beyond them gives an error that wraps source.ErrLimit. An unsupported encoding
// wraps source.ErrFormat, and a broken file source.ErrDecode.
func Open(in *source.Input, lim source.Limits) (source.Reader, error) {
	in.SkipFront(Is)
	chunks, err := readChunks(in)
	if err != nil {
		return nil, err
	}
	f, err := parseFormat(chunks.fmt, chunks.order)
	if err != nil {
		return nil, err
	}
	if err := lim.CheckFormat(f.channels, f.rate); err != nil {
		return nil, err
	}
	if err := f.findWidth(in, &chunks); err != nil {
		return nil, err
	}
	e, err := f.encoding(chunks.fmt)
	if err != nil {
		return nil, err
	}
	frames := trimmed(&e, e.Length(chunks.size), chunks.fact, f.channels)
	if err := lim.CheckLength(frames, f.channels); err != nil {
		return nil, err
	}
	h := source.Head{Channels: f.channels, Rate: int(f.rate), Speakers: f.speakers, Frames: frames, Tags: chunks.tags}
	if s := chunks.smpl; len(s) >= 60 && chunks.order.Uint32(s[28:]) > 0 {
		h.Smpl = [2]int64{int64(chunks.order.Uint32(s[44:])), int64(chunks.order.Uint32(s[48:])) + 1}
	}
	if chunks.missing > 0 {
		h.Note("the header announces %d bytes of samples, %d are there: these are played", uint64(chunks.size)+chunks.missing, chunks.size)
	}
	return blocks.NewReader(in, h, e, chunks.data, chunks.size), nil
}

// maxSearch is the number of bytes that are searched for nonzero words.
const maxSearch = 4 << 20

// findWidth determines how integer samples lie in words with more bytes than they need: left-aligned, or right-aligned
// with sign extension. Headers leave this open, so it reads samples from the position c.data, about 4,096 that are not
// 0 in the first 4 MiB, and checks which alignment fits. Left-aligned samples set f.bits to the size of the word.
// Right-aligned ones, and silence, set f.low and f.width. If neither fits, the frame size or the number of bits in the
// header is wrong, and findWidth sets the most likely number. If the header has 0 bits, f.bits first becomes the size
// of the word.
//
// It may move in. The error wraps source.ErrFormat for 24 bits in 4 bytes that fit neither alignment. Requires at
// least one channel.
func (f *format) findWidth(in *source.Input, c *chunks) error {
	width := f.align / f.channels
	if f.bits == 0 && (f.tag == tagPCM || f.tag == tagFloat) {
		f.bits = 8 * width
	}
	whole := 8 * ((f.bits + 7) / 8)
	if f.tag != tagPCM || f.align%f.channels != 0 || 8*width <= whole || width > 4 {
		return nil
	}
	top, bottom, bytes := true, true, true // the bits are left-aligned, right-aligned, or only their bytes are right-aligned
	in.MoveTo(c.data)
	seen := 0
	for done := int64(0); done < min(c.size, maxSearch) && seen < 4096; {
		b := in.Peek(1 << 12)
		b = b[:min(int64(len(b)), c.size-done, 1<<12)]
		b = b[:len(b)/width*width]
		if len(b) == 0 {
			break
		}
		for word := range slices.Chunk(b, width) {
			x := blocks.Word(word, f.big)
			if x == 0 {
				continue
			}
			seen++
			top = top && x<<f.bits == 0
			high := x >> (32 - 8*width)
			bottom = bottom && high == high<<(32-f.bits)>>(32-f.bits)
			bytes = bytes && high == high<<(32-whole)>>(32-whole)
		}
		in.Skip(int64(len(b)))
		done += int64(len(b))
	}
	switch {
	case bottom:
		f.low, f.width = f.bits, width
	case top:
		f.bits = 8 * width
	case bytes:
		f.low, f.width = whole, width
	case f.bits == 24:
		return source.FormatErrorf("WAV with samples of 24 bits in 4 bytes that are no numbers of 24 bits is not read; convert it: %s", source.ConvertCommand)
	case f.bits != whole:
		f.bits = 8 * width
	}
	return nil
}

// trimmed returns the number of frames without the padding that encoders add to the last block. frames is the number
// from the size of the data, and fact the number in the fact chunk. The result is fact if it lies within the last
// block of the encoding e, otherwise frames. A fact of frames divided by channels is ignored, because libsndfile 1.2
// writes it by mistake.
func trimmed(e *blocks.Encoding, frames, fact int64, channels int) int64 {
	if fact > max(0, frames-int64(e.Frames)) && fact < frames && (channels == 1 || fact != frames/int64(channels)) {
		return fact
	}
	return frames
}

// readChunks reads the chunks of a WAV file and returns the needed ones. The structure is RIFF, or has 64-bit sizes as
// in EBU Tech 3306. in must be at its RIFF header, and is moved past the chunks. Unknown chunks are skipped. A data
// chunk may exceed the file by at most 64 bytes, or by any number if the file was written without a known length or
// the RIFF header has a size that fits the file. The error wraps source.ErrDecode if a needed chunk is missing or
// truncated, or if the data chunk comes before the fmt chunk.
func readChunks(in *source.Input) (c chunks, err error) {
	var size64 uint64 // of the data chunk, from ds64
	c.order = binary.LittleEndian
	head := in.Peek(12)
	if head[3] == 'X' {
		c.order = binary.BigEndian
	}
	riff := c.order.Uint32(head[4:])
	front := in.At
	complete := riff > 0 && front+8+int64(riff) <= in.Size // according to its outermost chunk
	in.Skip(12)
	walk := blocks.Chunks{Order: c.order}
	for in.Remaining() >= 8 {
		b := in.Peek(8)
		if len(b) < 8 {
			return c, source.DecodeErrorf("cut short")
		}
		begin, id, size := in.At, string(b[:4]), uint64(c.order.Uint32(b[4:]))
		walk.Begin(begin, id)
		in.Skip(8)
		left := uint64(in.Remaining())
		if id == "data" {
			if c.fmt == nil {
				return c, source.DecodeErrorf("the data chunk comes before the fmt chunk")
			}
			if size == math.MaxUint32 && size64 > 0 {
				size = size64
			}
			unfinished := 8+int64(riff) <= in.At-front && !source.BeginsTag(in.Peek(1)) // the sizes were never written
			streamed := size >= streamedSize && size > left || size == 0 && (unfinished || riff >= streamedSize)
			switch {
			case streamed:
				size = left
			case size > left && left > 0 && (complete || size-left <= maxExcess):
				c.missing, size = size-left, left
			case size > left:
				return c, source.DecodeErrorf("cut short: %d bytes of samples are announced, %d are there", size, left)
			}
			c.data, c.size = in.At, int64(size)
		} else if size > left {
			if c.data > 0 {
				break // the samples are complete, so ignore the broken chunk
			}
			return c, walk.Broken("cut short: a chunk %q of %d bytes is announced, %d bytes are there", id, size, left)
		}
		body := in.Peek(maxChunk)
		body = body[:min(uint64(len(body)), size)]
		switch id {
		case "fmt ":
			if size < 16 {
				return c, source.DecodeErrorf("a fmt chunk of %d bytes, it has at least 16", size)
			}
			c.fmt = bytes.Clone(body)
		case "ds64":
			if len(body) >= 16 {
				size64 = c.order.Uint64(body[8:])
			}
		case "smpl":
			c.smpl = bytes.Clone(body)
		case "fact":
			if len(body) >= 4 {
				c.fact = int64(c.order.Uint32(body))
			}
		case "id3 ", "ID3 ":
			c.tags = in.ReadID3()
		}
		walk.End(in, begin, int64(min(size, left)))
	}
	switch {
	case c.fmt == nil:
		return c, walk.Broken("there is no fmt chunk")
	case len(c.fmt) < 16:
		return c, source.DecodeErrorf("cut short")
	case c.data == 0:
		return c, walk.Broken("there is no data chunk")
	}
	return c, nil
}

// format is a parsed fmt chunk.
type format struct {
	tag      uint16
	channels int
	rate     int64
	align    int // bytes per frame or block
	bits     int
	low      int // bits of a right-aligned sample in width bytes; 0: samples fill their bytes
	width    int
	big      bool // big-endian
	speakers uint32
}

// parseFormat parses b, a fmt chunk of at least 16 bytes, with numbers in the given byte order. For
// WAVE_FORMAT_EXTENSIBLE the result has the format tag of the sub-format. An unsupported sub-format gives an error
// that wraps source.ErrFormat, and a chunk that is too short an error that wraps source.ErrDecode.
func parseFormat(b []byte, order binary.ByteOrder) (f format, err error) {
	f.big = order == binary.BigEndian
	f.tag = order.Uint16(b)
	f.channels = int(order.Uint16(b[2:]))
	f.rate = int64(order.Uint32(b[4:]))
	f.align = int(order.Uint16(b[12:]))
	f.bits = int(order.Uint16(b[14:]))
	if f.tag == tagExtensible {
		if len(b) < 40 {
			return f, source.DecodeErrorf("an extensible fmt chunk of %d bytes, it has at least 40", len(b))
		}
		f.tag = order.Uint16(b[24:])
		switch string(b[26:40]) {
		case "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71":
		case "\x00\x00\x21\x07\xd3\x11\x86\x44\xc8\xc1\xca\x00\x00\x00":
			return f, source.FormatErrorf("ambisonic B-format is not read: its channels belong to no speakers")
		default:
			return f, source.FormatErrorf("the WAV encoding %x is not read; convert it: %s", b[24:40], source.ConvertCommand)
		}
		f.speakers = order.Uint32(b[20:])
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

// named lists unsupported encodings, for error messages.
var named = [...]struct {
	tag  uint16
	name string
}{
	{0x20, "Yamaha ADPCM"}, {0x22, "TrueSpeech"}, {0x31, "GSM 6.10"}, {0x40, "G.721"}, {0x45, "G.726"}, {0x50, "MPEG audio of layer 2"},
	{0x55, "MP3"}, {0x64, "G.726"}, {0x65, "G.722"}, {0x92, "AC-3"}, {0xff, "AAC"}, {0x160, "WMA"}, {0x161, "WMA"}, {0x162, "WMA"}, {0x163, "WMA"},
	{0x270, "ATRAC3"}, {0x28f, "G.722"}, {0x1600, "AAC"}, {0x2000, "AC-3"}, {0x2001, "DTS"}, {0x566f, "Vorbis"}, {0x674f, "Vorbis"},
	{0x6750, "Vorbis"}, {0x6751, "Vorbis"}, {0x676f, "Vorbis"}, {0x6770, "Vorbis"}, {0x6771, "Vorbis"}, {0x704f, "Opus"}, {0xa106, "AAC"},
	{0xf1ac, "FLAC"},
}

// nameOf returns the name of the unsupported encoding with the given format tag, or "" if the tag is unknown.
func nameOf(tag uint16) string {
	for _, x := range named {
		if x.tag == tag {
			return x.name
		}
	}
	return ""
}

// encoding returns the blocks.Encoding, with its decoder, of the samples of the format f. b is the fmt chunk, which
// has further fields for ADPCM. Integers may have 1 to 32 bits. f.low and f.width of findWidth take precedence. A-law
// and u-law always have 8 bits, whatever the header announces. The frame size of the header counts only for ADPCM. The
// error wraps source.ErrFormat for an unsupported encoding, and source.ErrDecode for faulty ADPCM.
func (f *format) encoding(b []byte) (e blocks.Encoding, err error) {
	bytes, ok := (f.bits+7)/8, false
	switch whole := f.bits == 8*bytes; {
	case (f.tag == tagIMA && f.bits == 4 || f.tag == tagMS) && !f.big:
		if e, err = f.adpcm(b); err != nil {
			err = source.DecodeErrorf("%v", err)
		}
		return e, err
	case f.low > 0:
		e, ok = blocks.Padded(f.low, f.width, f.channels, f.big), true
	case f.tag == tagPCM && bytes == 1:
		e, ok = blocks.Linear(blocks.Unsigned, bytes, f.channels, false)
	case f.tag == tagPCM:
		e, ok = blocks.Linear(blocks.Signed, bytes, f.channels, f.big)
	case f.tag == tagFloat && whole:
		e, ok = blocks.Linear(blocks.Float, bytes, f.channels, f.big)
	case f.tag == tagALaw:
		e, ok = blocks.Linear(blocks.ALaw, 1, f.channels, false)
	case f.tag == tagULaw:
		e, ok = blocks.Linear(blocks.ULaw, 1, f.channels, false)
	}
	switch name := nameOf(f.tag); {
	case ok:
		return e, nil
	case f.tag == tagFloat:
		return e, source.FormatErrorf("WAV with floats of %d bits is not read; they have 32 or 64", f.bits)
	case name != "":
		return e, source.FormatErrorf("%s in WAV is not read; convert it: %s", name, source.ConvertCommand)
	}
	return e, source.FormatErrorf("the WAV encoding %#x with %d bits is not read; convert it: %s", f.tag, f.bits, source.ConvertCommand)
}

// adpcm returns the blocks.Encoding, with its decoder, of IMA or Microsoft ADPCM, by the format tag of f. The frames
// per block and the predictors come from b, the fmt chunk. If b lacks them, the largest number of frames and the
// standard predictors apply. Impossible fields give an error without a wrapped kind.
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
