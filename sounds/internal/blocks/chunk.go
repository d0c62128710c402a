package blocks

import (
	"encoding/binary"
	"fmt"
	"slices"

	"voicepool/sounds/internal/source"
)

// chunkIDs lists the common chunk names of WAV and AIFF.
var chunkIDs = []string{
	"fmt ", "data", "fact", "smpl", "inst", "LIST", "JUNK", "junk", "PAD ", "bext", "iXML", "cue ", "plst", "PEAK",
	"ds64", "axml", "chna", "cart", "acid", "strc", "_PMX", "wavl", "slnt", "id3 ", "ID3 ",
	"COMM", "SSND", "MARK", "INST", "FVER", "NAME", "AUTH", "(c) ", "ANNO", "COMT", "APPL", "MIDI", "AESD", "FLLR", "CHAN",
}

// Chunks tracks the chunks of a WAV or AIFF file, to find the place where the chunk structure breaks.
type Chunks struct {
	Order     binary.ByteOrder
	previous  int64  // start of the previous chunk; 0: none
	oddSize   bool   // the previous chunk has an odd size
	breakText string // description of the first place without a chunk; "": none
}

// Begin records that a chunk named id begins at the given byte offset of the file. If id cannot be a chunk name, the
// structure of the file is broken there. Begin then stores a description of the place, which Broken later reports.
// Only the first such place is stored.
func (c *Chunks) Begin(offset int64, id string) {
	if isID([]byte(id)) || c.breakText != "" {
		return
	}
	if c.previous == 0 {
		c.breakText = fmt.Sprintf("no chunk begins at byte %d, where the header ends", offset)
		return
	}
	why := "the size of that chunk is wrong"
	if c.oddSize {
		why = "the odd size of that chunk is wrong, or its pad byte is missing"
	}
	c.breakText = fmt.Sprintf("no chunk begins at byte %d, where the chunk at byte %d ends: %s", offset, c.previous, why)
}

// End moves in to the end of a chunk. The header of the chunk has 8 bytes and begins at the byte offset; size is the
// number of bytes after the header. End also skips the pad byte after an odd size, unless the program that wrote the
// file seems to have omitted it. It remembers the chunk for the description that the next Begin may store.
func (c *Chunks) End(in *source.Input, offset, size int64) {
	in.MoveTo(offset + 8 + size)
	c.previous, c.oddSize = offset, size&1 == 1
	if c.oddSize && !c.padMissing(in) {
		in.Skip(min(1, in.Remaining()))
	}
}

// Broken returns an error for a missing or truncated chunk, with the formatted description. It wraps
// source.ErrDecode. If Begin has stored a broken place of the chunk structure, the error describes that place
// instead, because it is the likely cause.
func (c *Chunks) Broken(format string, args ...any) error {
	if c.breakText != "" {
		return source.DecodeErrorf("%s", c.breakText)
	}
	return source.DecodeErrorf(format, args...)
}

// padMissing reports whether the pad byte after an odd chunk is probably missing. in is at the place of the pad byte.
// padMissing compares this place with the next one: which has a chunk name, a known name, and a size that fits the
// file. The result is false if fewer than 9 bytes follow. It does not move in.
func (c *Chunks) padMissing(in *source.Input) bool {
	b := in.Peek(9)
	if len(b) < 9 {
		return false
	}
	unpaddedID, paddedID := b[:4], b[1:5]
	switch {
	case isID(unpaddedID) != isID(paddedID):
		return isID(unpaddedID)
	case isKnown(unpaddedID) != isKnown(paddedID):
		return isKnown(unpaddedID)
	}
	sizeIsValid := func(size []byte, header int64) bool { return int64(c.Order.Uint32(size)) <= in.Remaining()-header }
	return isID(unpaddedID) && sizeIsValid(b[4:8], 8) && !sizeIsValid(b[5:9], 9)
}

// isID reports whether b may be a chunk name, because all its bytes are printable ASCII.
func isID(b []byte) bool {
	return !slices.ContainsFunc(b, func(x byte) bool { return x < ' ' || x > '~' })
}

// isKnown reports whether b is in chunkIDs, the common chunk names.
func isKnown(b []byte) bool { return slices.Contains(chunkIDs, string(b)) }
