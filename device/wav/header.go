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

// subtypePCM is the GUID that says PCM in an extensible format; its first two
// bytes are the tag.
const subtypePCM = "\x01\x00\x00\x00\x00\x00\x10\x00\x80\x00\x00\xaa\x00\x38\x9b\x71"

// header returns all that stands before the samples. frames is -1 where the
// end is not known. With room the header has the same length whatever frames
// is, so that it can be written again when the length is known: it keeps the
// place of an RF64's ds64 chunk with a JUNK chunk.
func header(f Format, rate int, frames int64, room bool) []byte {
	le := binary.LittleEndian
	format := formatChunk(f, rate)
	body := 4 + len(format) + 8
	if room {
		body += 8 + ds64Bytes
	}
	data := frames * int64(f.frameBytes())
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
	if f == F32 {
		le.PutUint32(h[len(h)-4:], count)
	}
	return le.AppendUint32(append(h, "data"...), dataSize)
}

// formatChunk returns the fmt chunk and, where the format asks for one, a fact
// chunk whose last four bytes are for the count of frames.
func formatChunk(f Format, rate int) []byte {
	le := binary.LittleEndian
	c := le.AppendUint32([]byte("fmt "), formats[f].size)
	c = le.AppendUint16(c, formats[f].tag)
	c = le.AppendUint16(c, 2)
	c = le.AppendUint32(c, uint32(rate))
	c = le.AppendUint32(c, uint32(rate*f.frameBytes()))
	c = le.AppendUint16(c, uint16(f.frameBytes()))
	c = le.AppendUint16(c, uint16(f.bits()))
	switch f {
	case S24:
		c = le.AppendUint16(c, 22)
		c = le.AppendUint16(c, uint16(f.bits()))
		c = le.AppendUint32(c, 3) // front left, front right
		c = append(c, subtypePCM...)
	case F32:
		c = le.AppendUint16(c, 0)
		c = le.AppendUint32(append(c, "fact"...), 4)
		c = le.AppendUint32(c, 0)
	}
	return c
}
