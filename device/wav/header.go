package wav

import "encoding/binary"

const (
	// streamed is the size of a chunk without a known end, and in an RF64 the placeholder for a size in the
	// ds64 chunk.
	streamed = 0xffffffff

	tagPCM        = 1
	tagFloat      = 3
	tagExtensible = 0xfffe

	ds64Bytes = 28
)

// subtype is the end of the GUID of an extensible format, after the two bytes of the tag.
const subtype = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"

// header returns the file's bytes before the samples. frames is -1 if the length is unknown. With room the
// header has the same length for all values of frames, so that it can be rewritten when the length is known: a
// JUNK chunk reserves the space of an RF64's ds64 chunk.
func header(c *Config, frames int64, room bool) []byte {
	le := binary.LittleEndian
	format := formatChunk(c)
	body := 4 + len(format) + 8
	if room {
		body += 8 + ds64Bytes
	}
	data := frames * int64(c.frameBytes())
	big := frames >= 0 && int64(body)+data >= streamed
	if big && !room {
		body += 8 + ds64Bytes
	}

	riffSize, dataSize, count := uint32(streamed), uint32(streamed), uint32(streamed)
	if frames >= 0 && !big {
		riffSize, dataSize, count = uint32(int64(body)+data), uint32(data), uint32(frames)
	}
	id := "RIFF"
	if big {
		id = "RF64"
	}
	h := le.AppendUint32([]byte(id), riffSize)
	h = append(h, "WAVE"...)
	switch {
	case big:
		h = le.AppendUint32(append(h, "ds64"...), ds64Bytes)
		h = le.AppendUint64(h, uint64(int64(body)+data))
		h = le.AppendUint64(h, uint64(data))
		h = le.AppendUint64(h, uint64(frames))
		h = le.AppendUint32(h, 0) // table of further chunk sizes: empty
	case room:
		h = le.AppendUint32(append(h, "JUNK"...), ds64Bytes)
		h = append(h, make([]byte, ds64Bytes)...)
	}
	h = append(h, format...)
	if c.Format == F32 {
		le.PutUint32(h[len(h)-4:], count)
	}
	return le.AppendUint32(append(h, "data"...), dataSize)
}

// formatChunk returns the fmt chunk and, if the format needs one, a fact chunk whose last four bytes are
// reserved for the number of frames.
func formatChunk(c *Config) []byte {
	le, format := binary.LittleEndian, formats[c.Format]
	tag, size := format.tag, format.size
	if c.Outputs > 1 {
		tag, size = tagExtensible, 40 // other formats allow at most two channels
	}
	h := le.AppendUint32([]byte("fmt "), size)
	h = le.AppendUint16(h, tag)
	h = le.AppendUint16(h, uint16(c.channels()))
	h = le.AppendUint32(h, uint32(c.Rate))
	h = le.AppendUint32(h, uint32(c.Rate*c.frameBytes()))
	h = le.AppendUint16(h, uint16(c.frameBytes()))
	h = le.AppendUint16(h, uint16(format.bits))
	switch tag {
	case tagExtensible:
		h = le.AppendUint16(h, 22)
		h = le.AppendUint16(h, uint16(format.bits))
		h = le.AppendUint32(h, c.speakers())
		h = le.AppendUint16(h, c.subtype())
		h = append(h, subtype...)
	case tagFloat:
		h = le.AppendUint16(h, 0)
	}
	if c.Format == F32 {
		h = le.AppendUint32(append(h, "fact"...), 4)
		h = le.AppendUint32(h, 0)
	}
	return h
}

// speakers returns the channel mask: front left and front right for one output, 0 for several outputs, which
// have no speaker positions.
func (c *Config) speakers() uint32 {
	if c.Outputs > 1 {
		return 0
	}
	return 3
}

// subtype returns the tag in the GUID of an extensible format.
func (c *Config) subtype() uint16 {
	if c.Format == F32 {
		return tagFloat
	}
	return tagPCM
}
