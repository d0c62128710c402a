package sounds

import (
	"context"
	"encoding/binary"
)

// oggPage is one page of an Ogg file.
type oggPage struct {
	continued, first, last bool
	granule                int64 // the position of the end of its last complete packet; -1: none ends here
	serial, sequence       uint32
	lacing                 []byte
	body                   []byte
}

// readPage takes the page at the beginning of b and returns what follows it.
func readPage(b []byte) (p oggPage, rest []byte, err error) {
	if len(b) < 27 || len(b) < 27+int(b[26]) {
		return p, nil, broken("cut short in the header of an Ogg page")
	}
	if string(b[:4]) != "OggS" || b[4] != 0 {
		return p, nil, broken("no Ogg page begins where one should")
	}
	head := 27 + int(b[26])
	p = oggPage{
		continued: b[5]&1 != 0, first: b[5]&2 != 0, last: b[5]&4 != 0,
		granule: int64(binary.LittleEndian.Uint64(b[6:])),
		serial:  binary.LittleEndian.Uint32(b[14:]), sequence: binary.LittleEndian.Uint32(b[18:]),
		lacing: b[27:head],
	}
	size := 0
	for _, n := range p.lacing {
		size += int(n)
	}
	if len(b) < head+size {
		return p, nil, broken("cut short: an Ogg page of %d bytes is announced, %d are there", head+size, len(b))
	}
	p.body = b[head : head+size]
	if sum := oggSum(b[:head+size]); sum != binary.LittleEndian.Uint32(b[22:]) {
		return p, nil, broken("the checksum of Ogg page %d is wrong", p.sequence)
	}
	return p, b[head+size:], nil
}

// oggSum is the checksum of a page, by the polynomial 0x04c11db7, a nibble at a
// time; its own place counts as zeros.
func oggSum(page []byte) uint32 {
	var table [16]uint32
	for i := range table {
		sum := uint32(i) << 28
		for range 4 {
			sum = sum<<1 ^ 0x04c11db7&-(sum>>31)
		}
		table[i] = sum
	}
	var sum uint32
	for i, b := range page {
		if i >= 22 && i < 26 {
			b = 0
		}
		sum = sum<<4 ^ table[sum>>28^uint32(b>>4)]
		sum = sum<<4 ^ table[sum>>28^uint32(b&15)]
	}
	return sum
}

// oggPacket is one packet, with what its page says of it.
type oggPacket struct {
	data    []byte
	granule int64 // of the page, if this is the last packet that ends in it; else -1
	last    bool  // the last of its stream
}

// oggStream gives the packets of the first Vorbis stream in a file, and of
// those that are chained to it.
type oggStream struct {
	rest    []byte
	serial  uint32
	open    bool // between the first page of a stream and its last
	next    uint32
	packets []oggPacket // of pages read
	partial []byte      // the beginning of a packet that is not complete
}

// packet returns the next packet, or nothing at the end of the file.
func (s *oggStream) packet() (p oggPacket, ok bool, err error) {
	for len(s.packets) == 0 {
		if len(s.rest) == 0 || isTrailer(s.rest) {
			if len(s.partial) > 0 {
				return p, false, broken("cut short within a packet")
			}
			return p, false, nil
		}
		var page oggPage
		if page, s.rest, err = readPage(s.rest); err != nil {
			return p, false, err
		}
		if err := s.take(page); err != nil {
			return p, false, err
		}
	}
	p = s.packets[0]
	s.packets = s.packets[1:]
	return p, true, nil
}

// take splits a page into packets.
func (s *oggStream) take(page oggPage) error {
	switch {
	case page.first && !s.open:
		if len(page.body) < 7 || string(page.body[:7]) != "\x01vorbis" {
			return nil // another kind of stream beside ours, or before it
		}
		s.serial, s.open, s.next = page.serial, true, page.sequence
	case page.serial != s.serial || !s.open:
		return nil
	}
	if page.sequence != s.next {
		return broken("Ogg page %d is missing", s.next)
	}
	s.next++
	if page.continued != (len(s.partial) > 0) {
		return broken("a packet is torn at Ogg page %d", page.sequence)
	}
	body := page.body
	size := 0
	for _, n := range page.lacing {
		size += int(n)
		if n < 255 {
			s.packets = append(s.packets, oggPacket{append(s.partial, body[:size]...), -1, false})
			s.partial, body, size = nil, body[size:], 0
		}
	}
	s.partial = append(s.partial, body[:size]...)
	if n := len(s.packets); n > 0 && s.packets[n-1].granule == -1 {
		s.packets[n-1].granule = page.granule
		s.packets[n-1].last = page.last
	}
	if page.last {
		s.open = false
	}
	return nil
}

// decodeOgg decodes the Vorbis in an Ogg file. Streams that are chained one
// after the other are one sound, if they agree on rate and channels.
func decodeOgg(ctx context.Context, file []byte, lim Limits) (*Clip, error) {
	if err := otherOgg(file); err != nil {
		return nil, err
	}
	stream := &oggStream{rest: file}
	var clip *Clip
	for {
		ident, ok, err := stream.packet()
		switch {
		case err != nil:
			return nil, err
		case !ok && clip == nil:
			return nil, unknown("an Ogg file without Vorbis in it")
		case !ok:
			return clip, nil
		}
		next, err := decodeVorbis(ctx, ident.data, stream, lim, clip)
		if err != nil {
			return nil, err
		}
		clip = next
	}
}

// otherOgg says by name what is in an Ogg file, if it is not Vorbis.
func otherOgg(file []byte) error {
	page, _, err := readPage(file)
	if err != nil {
		return err
	}
	for magic, name := range map[string]string{"OpusHead": "Opus", "\x7fFLAC": "FLAC in Ogg", "Speex   ": "Speex", "\x80theora": "Theora"} {
		if len(page.body) >= len(magic) && string(page.body[:len(magic)]) == magic && name != "Theora" {
			return unknown("%s is not read; WAV, FLAC, Ogg Vorbis and MP3 are", name)
		}
	}
	return nil
}

// decodeVorbis decodes one stream, whose first packet is ident, behind what
// before holds, which is nil for the first of a chain.
func decodeVorbis(ctx context.Context, ident []byte, stream *oggStream, lim Limits, before *Clip) (*Clip, error) {
	v := &vorbis{}
	if err := v.readIdent(ident, lim); err != nil {
		return nil, err
	}
	var headers [2][]byte
	for i := range headers {
		p, ok, err := stream.packet()
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, broken("cut short before its third header")
		}
		headers[i] = p.data
	}
	if err := checkVorbisHeader(headers[0], 3); err != nil {
		return nil, err
	}
	if err := v.readSetup(headers[1]); err != nil {
		return nil, err
	}
	c := before
	if c == nil {
		c = &Clip{Format: "vorbis", Channels: v.channels, Rate: v.rate}
	} else if c.Channels != v.channels || c.Rate != v.rate {
		return nil, unknown("a chain of Ogg streams of different rates or channels is not read")
	}
	start := c.Frames()
	counted := false // whether a page has told a position
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, ok, err := stream.packet()
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if err := v.decode(c, p.data); err != nil {
			return nil, broken("frame %d: %v", c.Frames(), err)
		}
		if err := lim.length(c.Frames(), c.Channels); err != nil {
			return nil, err
		}
		if p.granule >= 0 {
			c.trim(start, p, counted)
			counted = true
		}
		if p.last {
			break
		}
	}
	if before == nil {
		applyTags(c, parseComments(headers[0][7:]))
	}
	return c, nil
}

// trim makes the length of a stream, which began at frame start, agree with a
// page: the first page with a position may cut frames off the beginning, the last
// one off the end.
func (c *Clip) trim(start int64, p oggPacket, counted bool) {
	excess := c.Frames() - start - p.granule
	switch channels := int64(c.Channels); {
	case excess <= 0:
	case p.last:
		c.Samples = c.Samples[:(c.Frames()-min(excess, c.Frames()-start))*channels]
	case !counted:
		from := start * channels
		c.Samples = append(c.Samples[:from], c.Samples[from+excess*channels:]...)
	}
}

// checkVorbisHeader checks that a packet is the header of a kind.
func checkVorbisHeader(b []byte, kind byte) error {
	if len(b) < 7 || b[0] != kind || string(b[1:7]) != "vorbis" {
		return broken("the Vorbis header of kind %d is missing", kind)
	}
	return nil
}

// readIdent reads the first header.
func (v *vorbis) readIdent(b []byte, lim Limits) error {
	if err := checkVorbisHeader(b, 1); err != nil {
		return err
	}
	if len(b) < 30 {
		return broken("a first Vorbis header of %d bytes, it has 30", len(b))
	}
	v.channels = int(b[11])
	rate := int64(binary.LittleEndian.Uint32(b[12:]))
	if err := lim.shape(v.channels, rate); err != nil {
		return err
	}
	v.rate = int(rate)
	small, large := b[28]&15, b[28]>>4
	switch {
	case binary.LittleEndian.Uint32(b[7:]) != 0:
		return unknown("Vorbis of version %d is not read", binary.LittleEndian.Uint32(b[7:]))
	case small < 6 || large > 13 || small > large || b[29]&1 == 0:
		return broken("a first Vorbis header with blocks of %d and %d frames", 1<<small, 1<<large)
	}
	v.blocks = [2]int{1 << small, 1 << large}
	return nil
}
