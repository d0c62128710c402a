// Package ogg has what the codecs in an Ogg file share: its pages and packets, streams that
// are chained, what is trimmed at their ends, and how a frame is found.
package ogg

import (
	"bytes"
	"encoding/binary"
	"io"

	"voicepool/sounds/internal/source"
)

// page is one page of an Ogg file.
type page struct {
	continued, first, last bool
	granule                int64 // the position of the end of its last complete packet; -1: none ends here
	serial, sequence       uint32
	lacing                 []byte
	body                   []byte
}

// readPage takes the page at the beginning of b and returns what follows it. It
// looks at the checksum or does not.
func readPage(b []byte, checked bool) (p page, rest []byte, err error) {
	if len(b) < 27 || len(b) < 27+int(b[26]) {
		return p, nil, source.Broken("cut short in the header of an Ogg page")
	}
	if string(b[:4]) != "OggS" || b[4] != 0 {
		return p, nil, source.Broken("no Ogg page begins where one should")
	}
	head := 27 + int(b[26])
	p = page{
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
		return p, nil, source.Broken("cut short: an Ogg page of %d bytes is announced, %d are there", head+size, len(b))
	}
	p.body = b[head : head+size]
	if checked && checksum(b[:head+size]) != binary.LittleEndian.Uint32(b[22:]) {
		return p, nil, source.Broken("the checksum of Ogg page %d is wrong", p.sequence)
	}
	return p, b[head+size:], nil
}

var crc32 = source.CRC(32, 0x04c11db7)

// checksum is that of a page; its own place counts as zeros.
func checksum(page []byte) uint32 { return crc32(page[:22], make([]byte, 4), page[26:]) }

// Is knows an Ogg file, whatever is in it.
func Is(data []byte, tagged bool) bool { return !tagged && bytes.HasPrefix(data, []byte("OggS")) }

// Carries reports whether one of the streams with which an Ogg file begins has a first packet
// that begins so.
func Carries(file []byte, magic string) bool {
	for Is(file, false) {
		p, rest, err := readPage(file, false)
		if err != nil || !p.first {
			return false
		}
		if bytes.HasPrefix(p.body, []byte(magic)) {
			return true
		}
		file = rest
	}
	return false
}

// Check says what is wrong with the page at the beginning of a file.
func Check(file []byte) error {
	_, _, err := readPage(file, true)
	return err
}

// stream gives the packets of the first stream in a file that begins as its codec's do, and
// of those that are chained to it.
type stream struct {
	in      *source.Input
	magic   string // what its first packet begins with
	hurried bool   // checksums are not looked at
	serial  uint32
	open    bool // between the first page of a stream and its last
	next    uint32
	packets [][]byte // of the last page that completed some
	partial []byte   // the beginning of a packet that is not complete

	// Of that page: where it begins in the file, and what packet has of it.
	at      int64
	granule int64
	last    bool
}

// MaxPage is the size of the largest page, and what a tag behind it is known by.
const MaxPage = 27 + 255 + 255*255 + 256

// maxPacket bounds a packet, in bytes: pictures among the tags are the
// largest there are.
const maxPacket = 16 << 20

// packet returns the next packet; the error is io.EOF at the end of the file.
func (s *stream) packet() (p []byte, err error) {
	for len(s.packets) == 0 {
		if err := s.page(); err != nil {
			return nil, err
		}
	}
	p = s.packets[0]
	s.packets = s.packets[1:]
	return p, nil
}

// page reads a page.
func (s *stream) page() error {
	b := s.in.Peek(MaxPage)
	if len(b) == 0 || source.IsTrailer(b) {
		if len(s.partial) > 0 {
			return source.Broken("cut short within a packet")
		}
		return io.EOF
	}
	page, rest, err := readPage(b, !s.hurried)
	if err != nil {
		return err
	}
	at := s.in.At
	if err := s.take(page); err != nil {
		return err
	}
	if len(s.packets) > 0 {
		s.at, s.granule, s.last = at, page.granule, page.last
	}
	s.in.Skip(int64(len(b) - len(rest)))
	return nil
}

// take splits a page into packets.
func (s *stream) take(page page) error {
	switch {
	case page.first && !s.open:
		if !bytes.HasPrefix(page.body, []byte(s.magic)) {
			return nil // another kind of stream beside ours, or before it
		}
		s.serial, s.open, s.next = page.serial, true, page.sequence
	case page.serial != s.serial || !s.open:
		return nil
	}
	if page.sequence != s.next {
		return source.Broken("Ogg page %d is missing", s.next)
	}
	s.next++
	if page.continued != (len(s.partial) > 0) {
		return source.Broken("a packet is torn at Ogg page %d", page.sequence)
	}
	body := page.body
	size := 0
	for _, n := range page.lacing {
		size += int(n)
		if n < 255 {
			s.packets = append(s.packets, append(s.partial, body[:size]...))
			s.partial, body, size = nil, body[size:], 0
		}
	}
	if len(s.partial)+size > maxPacket {
		return source.Beyond("a packet of more than %d bytes", maxPacket)
	}
	s.partial = append(s.partial, body[:size]...)
	s.open = !page.last
	return nil
}
