// Package opus reads Opus in Ogg files (RFC 6716, 7845 and 8251). The samples have the same bits on every
// machine: SILK is decoded with integers, CELT in float64 with every product converted.
package opus

import (
	"encoding/binary"
	"errors"
	"io"

	"voicepool/pcm"
	"voicepool/sounds/internal/ogg"
	"voicepool/sounds/internal/source"
)

// rate is the output rate of every Opus stream.
const rate = 48000

const magic = "OpusHead"

// Is reports whether data, the beginning of an Ogg file, contains an Opus stream.
func Is(data []byte) bool { return ogg.HasStream(data, magic) }

// Open returns a reader of the first Opus stream in the Ogg file at the position of in, at 48 kHz. It skips zeros and
// ID3v2 tags before the file, and reads the headers of the stream. The error wraps source.ErrDecode for a broken file
// or a file that is not Ogg, source.ErrFormat for other content in Ogg, or source.ErrLimit if a header exceeds lim.
func Open(in *source.Input, lim source.Limits) (source.Reader, error) {
	in.SkipFront(Is)
	if err := ogg.Check(in.Peek(ogg.MaxPage)); err != nil {
		return nil, err
	}
	r, err := ogg.NewReader(in, lim, ogg.Kind{Magic: magic, HasOffset: true, ConcealsSmoothly: true}, &codec{lim: lim})
	if errors.Is(err, io.EOF) {
		err = source.FormatErrorf("an Ogg file without Opus in it")
	}
	return r, err
}

// codec decodes the streams of a chain. Each consists of mono and stereo Opus streams.
type codec struct {
	lim       source.Limits
	gain      float32
	streams   []*decoder      // nil: not mapped to a channel
	coupled   int             // number of stereo streams
	mapping   []channelSource // by channel of the sound
	buf       [2 * maxFrames]float32
	frames    [48][]byte
	concealed int64 // number of concealed frames in the current gap
}

// channelSource is the stream and channel that a channel is decoded from.
type channelSource struct{ stream, channel int } // stream -1: silence

// Open reads the two headers of a stream and prepares to decode its first packet (RFC 7845, section 5). The parameter
// first is the first header; the second one is read with next. again means that the same stream was opened before:
// its decoders are kept and reset. Otherwise Open makes new decoders. It returns channels, rate and tags in h;
// h.Front is the padding at the beginning (pre-skip). The error wraps source.ErrDecode, source.ErrFormat or
// source.ErrLimit, or comes from next.
func (c *codec) Open(first []byte, next func() ([]byte, error), again bool) (h source.Head, err error) {
	if len(first) < 19 {
		return h, source.DecodeErrorf("a first Opus header of %d bytes, it has 19", len(first))
	}
	if version := first[8]; version > 15 {
		return h, source.FormatErrorf("Opus of version %d is not read", version)
	}
	h.Channels, h.Rate = int(first[9]), rate
	if err := c.lim.CheckFormat(h.Channels, rate); err != nil {
		return h, err
	}
	h.Front = int64(binary.LittleEndian.Uint16(first[10:]))
	gain := float64(int16(binary.LittleEndian.Uint16(first[16:]))) / 256
	words, err := next()
	if err != nil {
		return h, err
	}
	if len(words) < 8 || string(words[:8]) != "OpusTags" {
		return h, source.DecodeErrorf("the second Opus header is missing")
	}
	h.Tags = source.Comments(words[8:])
	if again {
		c.Reset()
		return h, nil
	}
	c.gain = float32(pcm.Decibels(gain).Linear())
	return h, c.readMapping(h.Channels, first[18:])
}

// readMapping parses the channel mapping in the first header (RFC 7845, section 5.1.1), and makes the decoders. b
// begins with the mapping family. It sets c.streams, the decoders, c.coupled, the number of stereo streams, and
// c.mapping, the source of each of the given channels. An unsupported family gives an error that wraps
// source.ErrFormat, and a faulty mapping an error that wraps source.ErrDecode.
func (c *codec) readMapping(channels int, b []byte) error {
	family, streams, from := b[0], 1, []byte{0, 1}
	c.coupled = channels - 1
	order := ogg.Order(channels)
	switch family {
	case 0:
		if channels > 2 {
			return source.DecodeErrorf("%d channels of Opus without a mapping", channels)
		}
	case 1, 255:
		if len(b) < 3+channels {
			return source.DecodeErrorf("a first Opus header that is cut short")
		}
		streams, c.coupled, from = int(b[1]), int(b[2]), b[3:]
	default:
		return source.FormatErrorf("Opus with the channel mapping %d is not read; 0, 1 and 255 are", family)
	}
	if streams < 1 || c.coupled > streams || streams+c.coupled > 255 {
		return source.DecodeErrorf("%d streams of Opus, %d of them of two channels", streams, c.coupled)
	}
	c.streams, c.mapping = make([]*decoder, streams), make([]channelSource, channels)
	for i := range c.mapping {
		n := i
		if family == 1 {
			n = order[i]
		}
		x, wide := int(from[n]), 1
		switch {
		case x == 255:
			c.mapping[i].stream = -1
			continue
		case x < 2*c.coupled:
			c.mapping[i], wide = channelSource{x / 2, x & 1}, 2
		case x < streams+c.coupled:
			c.mapping[i].stream = x - c.coupled
		default:
			return source.DecodeErrorf("channel %d comes from %d of %d", n, x, streams+c.coupled)
		}
		if s := &c.streams[c.mapping[i].stream]; *s == nil {
			*s = newDecoder(wide)
		}
	}
	return nil
}

// Decode decodes packet and appends its frames to dst, interleaved at 48 kHz, multiplied by the gain of the header.
// An empty packet has no frames. The error wraps source.ErrDecode; dst is then unchanged, but some streams may have
// advanced.
func (c *codec) Decode(dst []float32, packet []byte) ([]float32, error) {
	if len(packet) == 0 {
		return dst, nil
	}
	n, err := lengthOf(packet)
	if err != nil {
		return dst, err
	}
	channels, old := len(c.mapping), len(dst)
	dst = source.Grow(dst, int(n)*channels)
	out := dst[old:]
	clear(out)
	for i, d := range c.streams {
		config, frames, rest, err := splitPacket(packet, i < len(c.streams)-1, c.frames[:0])
		if err == nil && int64(len(frames)*config.frames) != n {
			err = errPacket
		}
		if err != nil {
			return dst[:old], err
		}
		packet = rest
		if d == nil {
			continue
		}
		part := c.buf[:int(n)*d.channels]
		d.decode(part, config, frames)
		c.writeChannels(out, part, i, d.channels)
	}
	return dst, nil
}

// FramesIn returns the number of frames in packet at 48 kHz, without decoding it. For an empty packet it is 0. Only the
// first two bytes are checked: if they are invalid, the error wraps source.ErrDecode. The state stays the same.
func (c *codec) FramesIn(packet []byte) (int64, error) {
	if len(packet) == 0 {
		return 0, nil
	}
	return lengthOf(packet)
}

// FramesAhead returns the number of frames in packets at 48 kHz, without decoding them. Packets that FramesIn rejects
// count as 0. The state stays the same.
func (c *codec) FramesAhead(packets ...[]byte) (frames int64) {
	for _, p := range packets {
		if n, err := c.FramesIn(p); err == nil {
			frames += n
		}
	}
	return frames
}

// Reset clears the state of the previous packets in all decoders.
func (c *codec) Reset() {
	for _, d := range c.streams {
		if d != nil {
			d.reset()
		}
	}
}

// State returns a copy of the state of all decoders after the last packet. SetState can restore it.
func (c *codec) State() any {
	states := make([]*state, len(c.streams))
	for i, d := range c.streams {
		if d != nil {
			states[i] = d.state()
		}
	}
	return states
}

// SetState restores the state s of all decoders, which State has returned for the same stream. It copies s, which
// stays valid.
func (c *codec) SetState(s any) {
	for i, x := range s.([]*state) {
		if x != nil {
			c.streams[i].setState(x)
		}
	}
}

// StartGap begins a gap after the last packet. It resets c.concealed, the number of frames that Conceal has made in
// this gap. From maxConcealed frames on, about 200 ms, Conceal is silent.
func (c *codec) StartGap() { c.concealed = 0 }

// maxConcealed is the number of frames after which concealment has decayed to silence.
const maxConcealed = 48000 / 5

// Conceal appends concealed frames to dst, interleaved at 48 kHz. They continue the sound of the last packet. frames is
// their number. About 200 ms after StartGap they become silent.
func (c *codec) Conceal(dst []float32, frames int64) []float32 {
	channels, old := len(c.mapping), len(dst)
	dst = source.Grow(dst, int(frames)*channels)
	out := dst[old:]
	clear(out)
	for at := int64(0); at < frames && c.concealed < maxConcealed; at += maxFrames {
		n := min(frames-at, maxFrames)
		for i, d := range c.streams {
			if d == nil {
				continue
			}
			part := c.buf[:int(n)*d.channels]
			d.conceal(part)
			c.writeChannels(out[at*int64(channels):], part, i, d.channels)
		}
		c.concealed += n
	}
	return dst
}

// writeChannels copies the sound of one stream to the channels of out that are mapped to it, multiplied by the gain of
// the header. part has the interleaved samples of the stream. The parameter stream is its index, and width its number
// of channels. out is interleaved, and its other channels stay unchanged.
func (c *codec) writeChannels(out, part []float32, stream, width int) {
	channels := len(c.mapping)
	for k, p := range c.mapping {
		if p.stream != stream {
			continue
		}
		for j := range len(part) / width {
			out[j*channels+k] = float32(part[j*width+p.channel] * c.gain)
		}
	}
}

// End returns 0: an Opus stream may end after any packet.
func (c *codec) End() (int64, error) { return 0, nil }
