package wav

import "encoding/binary"

const (
	// streamed is the size of what has no known end, and in an RF64 of what
	// the ds64 chunk tells.
	streamed = 0xffffffff

	tagPCM        = 1
	tagFloat      = 3
	tagExtensible = 0xfffe

	ds64Bytes = 28
)

// subtype is the GUID of an extensible format without its first two bytes, which are the tag.
const subtype = "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"

// header returns all that stands before the samples. frames is -1 where the
// end is not known. With room the header has the same length whatever frames
// is, so that it can be written again when the length is known: it keeps the
// place of an RF64's ds64 chunk with a JUNK chunk.
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
		h = le.AppendUint32(h, 0) // no table of other chunks' sizes
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

// formatChunk returns the fmt chunk and, where the format asks for one, a fact
// chunk whose last four bytes are for the count of frames.
func formatChunk(c *Config) []byte {
	le, format := binary.LittleEndian, formats[c.Format]
	tag, size := format.tag, format.size
	if c.Outputs > 1 {
		tag, size = tagExtensible, 40 // other formats are for two channels at the most
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

// speakers returns the channel mask: front left and front right. Several outputs have no place
// among the speakers that a mask can name, so it is 0.
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
