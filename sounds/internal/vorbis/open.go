package vorbis

import (
	"encoding/binary"
	"errors"
	"io"

	"voicepool/sounds/internal/ogg"
	"voicepool/sounds/internal/source"
)

// codec decodes the streams of a chain.
type codec struct {
	*decoder
	lim source.Limits
}

// magic begins the first packet of Vorbis.
const magic = "\x01vorbis"

// Open returns a reader of the first Vorbis stream in the Ogg file at the position of in, after zeros and ID3v2 tags.
// It reads the headers of the stream. The error wraps source.ErrDecode for a broken file or a file that is
// not Ogg, source.ErrFormat for other content in Ogg, or source.ErrLimit if a header exceeds lim.
func Open(in *source.Input, lim source.Limits) (source.Reader, error) {
	in.SkipFront(ogg.Is)
	if err := other(in.Peek(ogg.MaxPage)); err != nil {
		return nil, err
	}
	r, err := ogg.NewReader(in, lim, ogg.Kind{Magic: magic, Overlaps: true}, &codec{lim: lim})
	if errors.Is(err, io.EOF) {
		err = source.FormatErrorf("an Ogg file with neither Vorbis nor FLAC in it")
	}
	return r, err
}

// other checks the beginning of an Ogg file, which must have a valid first page. If the file has Speex, Theora or
// PCM, but no Vorbis, the error wraps source.ErrFormat and names the content. A broken first page gives an error that
// wraps source.ErrDecode. Otherwise it returns nil.
func other(file []byte) error {
	if err := ogg.Check(file); err != nil {
		return err
	}
	for _, x := range [...]struct{ magic, name string }{
		{"Speex   ", "Speex"}, {"\x80theora", "Theora"}, {"PCM     ", "PCM in Ogg"},
	} {
		if ogg.HasStream(file, x.magic) && !ogg.HasStream(file, magic) {
			return source.UnsupportedFormat(x.name)
		}
	}
	return nil
}

// Open reads the three headers of a Vorbis stream and prepares to decode its first packet. The parameter first is the
// first header; the others are read with next. again means that the same stream was opened before: its decoder is
// kept and reset. Otherwise Open makes a new decoder. It returns channels, rate and tags in h. The error wraps
// source.ErrDecode, source.ErrFormat or source.ErrLimit, or comes from next.
func (c *codec) Open(first []byte, next func() ([]byte, error), again bool) (h source.Head, err error) {
	v := &decoder{}
	if err := v.readIdent(first, c.lim); err != nil {
		return h, err
	}
	words, err := next()
	if err != nil {
		return h, err
	}
	setup, err := next()
	if err != nil {
		return h, err
	}
	if err := checkHeader(words, 3); err != nil {
		return h, err
	}
	if again {
		c.Reset()
	} else if err := v.readSetup(setup); err != nil {
		return h, err
	} else {
		c.decoder = v
	}
	return source.Head{Channels: v.channels, Rate: v.rate, Tags: source.Comments(words[7:])}, nil
}

// Reset drops the previous block, after a seek. The next packet then completes no frames.
func (c *codec) Reset() { c.lastLong, c.gapBlock = -1, -1 }

// StartGap prepares for a gap after the last packet. The next call of Conceal fades out the second half of the last
// block, and the next packet completes no frames. Without a last block StartGap has no effect.
func (c *codec) StartGap() {
	if c.lastLong >= 0 {
		c.gapBlock, c.lastLong = c.lastLong, -1
	}
}

// Conceal appends concealed frames to dst, interleaved. frames is their number. In the first call after StartGap they
// begin with the second half of the last block, fading out. All other frames are silent.
func (c *codec) Conceal(dst []float32, frames int64) []float32 {
	old := len(dst)
	dst = source.Grow(dst, int(frames)*c.channels)
	gap := dst[old:]
	clear(gap)
	if c.gapBlock < 0 {
		return dst
	}
	fall := c.fall[c.gapBlock]
	for place, ch := range c.order {
		last := c.last[ch]
		for i := range min(len(fall), int(frames), len(last)) {
			gap[i*c.channels+place] = float32(last[i] * fall[i])
		}
	}
	c.gapBlock = -1
	return dst
}

// End returns 0: a Vorbis stream may end after any packet.
func (c *codec) End() (int64, error) { return 0, nil }

// checkHeader returns nil if the packet b begins like a header of the given kind (Vorbis I, section 4.2.1). Otherwise
// the error wraps source.ErrDecode. Kind 1 is the identification header, 3 the comment header, 5 the setup header.
func checkHeader(b []byte, kind byte) error {
	if len(b) < 7 || b[0] != kind || string(b[1:7]) != "vorbis" {
		return source.DecodeErrorf("the Vorbis header of kind %d is missing", kind)
	}
	return nil
}

// readIdent parses b, the identification header (Vorbis I, section 4.2.2), and sets v.channels, v.rate and v.blocks,
// the block sizes. The error wraps source.ErrDecode for invalid values, source.ErrFormat for another version of
// Vorbis, or source.ErrLimit if channels or rate are outside lim.
func (v *decoder) readIdent(b []byte, lim source.Limits) error {
	if err := checkHeader(b, 1); err != nil {
		return err
	}
	if len(b) < 30 {
		return source.DecodeErrorf("a first Vorbis header of %d bytes, it has 30", len(b))
	}
	v.channels = int(b[11])
	rate := int64(binary.LittleEndian.Uint32(b[12:]))
	if err := lim.CheckFormat(v.channels, rate); err != nil {
		return err
	}
	v.rate = int(rate)
	small, large := b[28]&15, b[28]>>4
	switch {
	case binary.LittleEndian.Uint32(b[7:]) != 0:
		return source.FormatErrorf("Vorbis of version %d is not read", binary.LittleEndian.Uint32(b[7:]))
	case small < 6 || large > 13 || small > large || b[29]&1 == 0:
		return source.DecodeErrorf("a first Vorbis header with blocks of %d and %d frames", 1<<small, 1<<large)
	}
	v.blocks = [2]int{1 << small, 1 << large}
	return nil
}
