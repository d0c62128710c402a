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
	Order    binary.ByteOrder
	previous int64  // start of the previous chunk; 0: none
	odd      bool   // the previous chunk has an odd size
	strange  string // description of the first place without a chunk; "": none
}

// Begin records that a chunk named id begins at byte offset at. If id cannot be a chunk name, Broken later
// reports the broken structure.
func (c *Chunks) Begin(at int64, id string) {
	if isID([]byte(id)) || c.strange != "" {
		return
	}
	if c.previous == 0 {
		c.strange = fmt.Sprintf("no chunk begins at byte %d, where the header ends", at)
		return
	}
	why := "the size of that chunk is wrong"
	if c.odd {
		why = "the odd size of that chunk is wrong, or its pad byte is missing"
	}
	c.strange = fmt.Sprintf("no chunk begins at byte %d, where the chunk at byte %d ends: %s", at, c.previous, why)
}

// End moves in past the chunk at byte offset at, with its header of 8 bytes and size bytes of data. A chunk of
// odd size has a pad byte; some programs omit it.
func (c *Chunks) End(in *source.Input, at, size int64) {
	in.MoveTo(at + 8 + size)
	c.previous, c.odd = at, size&1 == 1
	if c.odd && !c.unpadded(in) {
		in.Skip(min(1, in.Left()))
	}
}

// Broken returns the error of a file with a missing or truncated chunk. If the chunk structure is broken, the
// error describes that instead, because it is the likely cause.
func (c *Chunks) Broken(format string, args ...any) error {
	if c.strange != "" {
		return source.Broken("%s", c.strange)
	}
	return source.Broken(format, args...)
}

// unpadded reports whether the next chunk begins here instead of one byte later.
func (c *Chunks) unpadded(in *source.Input) bool {
	b := in.Peek(9)
	if len(b) < 9 {
		return false
	}
	here, later := b[:4], b[1:5]
	switch {
	case isID(here) != isID(later):
		return isID(here)
	case isKnown(here) != isKnown(later):
		return isKnown(here)
	}
	fits := func(size []byte, header int64) bool { return int64(c.Order.Uint32(size)) <= in.Left()-header }
	return isID(here) && fits(b[4:8], 8) && !fits(b[5:9], 9)
}

// isID reports whether b may be a chunk name.
func isID(b []byte) bool {
	return !slices.ContainsFunc(b, func(x byte) bool { return x < ' ' || x > '~' })
}

// isKnown reports whether b is a common chunk name.
func isKnown(b []byte) bool { return slices.Contains(chunkIDs, string(b)) }
