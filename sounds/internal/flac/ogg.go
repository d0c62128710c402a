package flac

import (
	"encoding/binary"
	"errors"
	"io"

	"voicepool/sounds/internal/ogg"
	"voicepool/sounds/internal/source"
)

// magic begins the first packet of FLAC in Ogg.
const magic = "\x7fFLAC"

// minFirstPacket is the minimum length of the first packet: the magic, a version, the number of further headers,
// and a FLAC file up to the end of STREAMINFO.
const minFirstPacket = len(magic) + 2 + 2 + 4 + 4 + 34

// InOgg reports whether data, the beginning of an Ogg file, contains the first page of a FLAC stream.
func InOgg(data []byte) bool { return ogg.HasStream(data, magic) }

// OpenOgg returns a reader of the first FLAC stream in the Ogg file at the position of in. It reads the headers of
// the stream. The error wraps source.ErrDecode for a broken file, source.ErrFormat for another version, or
// source.ErrLimit if a header exceeds lim.
func OpenOgg(in *source.Input, lim source.Limits) (source.Reader, error) {
	in.SkipFront(InOgg)
	r, err := ogg.NewReader(in, lim, ogg.Kind{Magic: magic}, &packets{lim: lim})
	if errors.Is(err, io.EOF) {
		err = source.DecodeErrorf("cut short in its first page")
	}
	return r, err
}

// packets decodes the streams of a chain; each packet contains one FLAC frame.
type packets struct {
	decoder
	lim source.Limits
}

// Open reads the headers of a FLAC stream in Ogg (RFC 9639, section 10.1) and makes a new decoder for it. The
// parameter first is the first packet, which has STREAMINFO; the metadata packets after it are read with next. It
// returns the properties and the tags in h. h.Frames is 0, because further streams may follow. The error wraps
// source.ErrDecode, source.ErrFormat or source.ErrLimit, or comes from next.
func (p *packets) Open(first []byte, next func() ([]byte, error), _ bool) (h source.Head, err error) {
	if len(first) < minFirstPacket || string(first[9:13]) != "fLaC" || first[13]&0x7f != 0 {
		return h, source.DecodeErrorf("there is no STREAMINFO")
	}
	if first[5] != 1 {
		return h, source.FormatErrorf("FLAC in Ogg of version %d is not read", first[5])
	}
	info, err := parseStreamInfo(first[17:])
	if err != nil {
		return h, err
	}
	if err := p.lim.CheckFormat(info.channels, info.rate); err != nil {
		return h, err
	}
	if err := p.lim.CheckAnnounced(info.frames, info.channels); err != nil {
		return h, err
	}
	var tags []string
	for last, left := first[13]&0x80 != 0, binary.BigEndian.Uint16(first[7:]); !last; left-- {
		b, err := next()
		if err != nil {
			return h, err
		}
		if len(b) < 4 || b[0]&0x7f == 127 {
			return h, source.DecodeErrorf("a block of metadata is missing")
		}
		if b[0]&0x7f == 4 {
			tags = source.Comments(b[4:])
		}
		last = b[0]&0x80 != 0 || left == 1
	}
	p.decoder = newDecoder(info)
	h = info.head(tags)
	h.Frames = 0 // another stream may be chained to this one
	return h, nil
}

// Decode decodes packet, which is one FLAC frame, and appends its interleaved samples to dst. An empty packet adds no
// samples: ffmpeg ends a stream with one. If packet is invalid or longer than a frame, Decode returns dst unchanged
// and an error without a wrapped kind.
func (p *packets) Decode(dst []float32, packet []byte) ([]float32, error) {
	if len(packet) == 0 {
		return dst, nil
	}
	n, err := p.frame.read(packet, &p.info)
	if err == nil && n < len(packet) {
		err = errors.New("a packet of more than a frame")
	}
	if err != nil {
		return dst, err
	}
	return p.appendFrame(dst), nil
}

// FramesIn returns the number of sound frames in packet, according to its header, without decoding its samples. For an
// empty packet it is 0. An invalid header is an error. The state of the decoder stays the same.
func (p *packets) FramesIn(packet []byte) (int64, error) {
	if len(packet) == 0 {
		return 0, nil
	}
	var f frame
	if _, err := f.readHeader(source.NewMSB(packet), packet, &p.info); err != nil {
		return 0, err
	}
	return int64(f.block), nil
}

// FramesAhead returns the number of sound frames in the packets of list, according to their headers. Invalid packets
// count as 0. The state of the decoder stays the same.
func (p *packets) FramesAhead(list ...[]byte) (frames int64) {
	for _, x := range list {
		n, _ := p.FramesIn(x)
		frames += n
	}
	return frames
}

// Reset prepares the decoder for a packet after a seek. The sound before the seek will not fade out in a later gap,
// and the checksum of all samples is disabled.
func (p *packets) Reset() { p.sequential, p.tail = false, p.tail[:0] }

// StartGap prepares for concealed frames after the last packet: it disables the checksum of all samples.
func (p *packets) StartGap() { p.sequential = false }

// Conceal appends concealed frames to dst, interleaved, and advances the position. frames is their number. In the
// first call of a gap the sound before the gap fades out; the other frames are silent.
func (p *packets) Conceal(dst []float32, frames int64) []float32 {
	p.gapFrames = frames
	return p.appendGap(dst, frames)
}

// End returns the number of frames that the header announces, or 0 if it is unknown. fault is the error of the stream
// as a whole, a wrong number of frames or checksum. It is nil unless all frames were decoded in order.
func (p *packets) End() (announced int64, fault error) {
	if p.sequential {
		fault = p.checkTotals()
	}
	return p.info.frames, fault
}
