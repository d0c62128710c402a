// Package ogg has what the codecs in an Ogg file share: its pages and packets, streams that
// are chained, what is trimmed at their ends, and how a frame is found.
package ogg

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"math/bits"

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

// pageMagic begins each page.
const pageMagic = "OggS"

// readPage takes the page at the beginning of b and returns what follows it. It
// looks at the checksum or does not.
func readPage(b []byte, checked bool) (p page, rest []byte, err error) {
	p, rest, err = splitPage(b)
	size := len(b) - len(rest)
	if len(b) >= 27 && len(b) >= 27+int(b[26]) && (string(b[:4]) != pageMagic || b[4] != 0) {
		return page{}, nil, source.Broken("no Ogg page begins where one should")
	}
	if err == nil && checked && checksum(b[:size]) != binary.LittleEndian.Uint32(b[22:]) {
		return page{}, nil, source.Broken("the checksum of Ogg page %d is wrong", p.sequence)
	}
	return p, rest, err
}

// splitPage takes the page at the beginning of b, whatever its first bytes are.
func splitPage(b []byte) (p page, rest []byte, err error) {
	if len(b) < 27 || len(b) < 27+int(b[26]) {
		return p, nil, source.Broken("cut short in the header of an Ogg page")
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
	return p, b[head+size:], nil
}

var crc32 = source.CRC(32, 0x04c11db7)

// checksum is that of a page; its own place counts as zeros.
func checksum(page []byte) uint32 { return crc32(page[:22], make([]byte, 4), page[26:]) }

// Is knows an Ogg file, whatever is in it.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(pageMagic)) }

// Carries reports whether one of the streams with which an Ogg file begins has a first packet
// that begins so.
func Carries(file []byte, magic string) bool {
	for Is(file) {
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
	exact   bool   // a damaged page is an error: the headers are read
	serial  uint32
	open    bool // between the first page of a stream and its last
	next    uint32
	packets [][]byte // of the last page that completed some
	partial []byte   // the beginning of a packet that is not complete

	// Of that page: where it begins in the file, and what packet has of it.
	at      int64
	granule int64
	last    bool

	reach int64 // the position of the last page
	end   int64 // where the last page that was read ends
	doubt error // what is wrong with the page of packets; nil: nothing
	rest  error // with the page where partial begins
	hole  error // why pages before the next one are missing; nil: none are
	waste int64 // how many bytes were checked that are no page
}

// maxWaste is how many bytes may be checked that are no page, besides eight for each byte of the file.
const maxWaste = 1 << 24

// MaxPage is the size of the largest page, and what a tag behind it is known by.
const MaxPage = 27 + 255 + 255*255 + 256

// maxPacket bounds a packet, in bytes: pictures among the tags are the
// largest there are.
const maxPacket = 16 << 20

// packet returns the next packet; the error is io.EOF at the end of the file, and of a stream without a
// last page that another one follows.
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

// tear notes a fault: packets are missing.
func (s *stream) tear(fault error) error {
	if s.exact {
		return fault
	}
	s.partial = nil
	s.hole = cmp.Or(s.hole, fault)
	return nil
}

// page reads a page.
func (s *stream) page() error {
	b := s.in.Peek(MaxPage)
	if len(b) == 0 || b[0] != pageMagic[0] {
		at := s.in.At
		switch done := s.in.PassTail(); {
		case done && len(s.partial) > 0:
			if err := s.tear(source.Broken("cut short within a packet")); err != nil {
				return err
			}
			return io.EOF
		case done:
			return io.EOF
		case !bytes.HasPrefix(s.in.Peek(MaxPage), []byte(pageMagic)):
			s.in.MoveTo(at) // it is no tag that is there
		}
		b = s.in.Peek(MaxPage)
	}
	page, rest, err := readPage(b, true)
	fault := err
	if err != nil {
		var ok bool
		if page, rest, ok = s.repair(b); !ok {
			if err := s.tear(err); err != nil {
				return err
			}
			return s.resync(err)
		}
	}
	at := s.in.At
	if err := s.take(page); err != nil {
		return err
	}
	if len(s.packets) > 0 {
		s.at, s.granule, s.last = at, page.granule, page.last
		s.doubt, s.rest = cmp.Or(fault, s.rest), nil
	}
	if len(s.partial) > 0 {
		s.rest = cmp.Or(fault, s.rest)
	}
	s.in.Skip(int64(len(b) - len(rest)))
	s.end = s.in.At
	return nil
}

// repair returns a page whose checksum is wrong but which ends where another page or the file does, as
// far as its place in the stream shows what it is.
func (s *stream) repair(b []byte) (p page, rest []byte, ok bool) {
	p, rest, err := splitPage(b)
	if err != nil || s.exact || s.hole != nil || !s.open || len(p.lacing) == 0 {
		return p, rest, false
	}
	if len(rest) > 0 && !bytes.HasPrefix(rest, []byte(pageMagic+"\x00")) {
		return p, rest, false
	}
	if bits.OnesCount32(p.serial^s.serial) > 1 || bits.OnesCount32(p.sequence^s.next) > 1 {
		return p, rest, false
	}
	p.serial, p.sequence, p.first, p.continued = s.serial, s.next, false, len(s.partial) > 0
	p.last = len(rest) == 0 || len(rest) > 5 && rest[5]&2 != 0
	return p, rest, true
}

// resync moves to the next page.
func (s *stream) resync(fault error) error {
	for s.in.Skip(1); ; {
		b := s.in.Peek(MaxPage)
		i := bytes.Index(b, []byte("OggS"))
		switch {
		case i > 0:
			s.in.Skip(int64(i))
			continue
		case i < 0 && len(b) > 3 && int64(len(b)) < s.in.Left():
			s.in.Skip(int64(len(b) - 3))
			continue
		case i < 0:
			s.in.Skip(s.in.Left())
			return nil
		}
		if _, _, err := readPage(b, true); err == nil {
			return nil
		}
		if s.waste += int64(len(b)); s.waste > maxWaste+8*s.in.At {
			return fault
		}
		s.in.Skip(1)
	}
}

// take splits a page into packets.
func (s *stream) take(page page) error {
	switch {
	case page.first && !s.open:
		if !bytes.HasPrefix(page.body, []byte(s.magic)) {
			return nil // another kind of stream beside ours, or before it
		}
		s.serial, s.open, s.next = page.serial, true, page.sequence
	case page.first && s.hole != nil && page.serial != s.serial && bytes.HasPrefix(page.body, []byte(s.magic)):
		s.open = false // the last page of ours is missing
		return io.EOF
	case page.serial != s.serial || !s.open:
		return nil
	}
	if page.sequence != s.next {
		if err := s.tear(source.Broken("Ogg page %d is missing", s.next)); err != nil {
			return err
		}
		if int32(page.sequence-s.next) < 0 {
			return nil // it was there before
		}
	}
	s.next = page.sequence + 1
	torn := page.continued && len(s.partial) == 0
	if torn && s.hole == nil || !page.continued && len(s.partial) > 0 {
		if err := s.tear(source.Broken("a packet is torn at Ogg page %d", page.sequence)); err != nil {
			return err
		}
	}
	s.open = !page.last
	s.reach = max(page.granule, 0)
	body := page.body
	size := 0
	for _, n := range page.lacing {
		size += int(n)
		if n < 255 {
			if !torn {
				s.packets = append(s.packets, append(s.partial, body[:size]...))
			}
			s.partial, body, size, torn = nil, body[size:], 0, false
		}
	}
	if torn {
		return nil // the rest of its packet is on the next page
	}
	if len(s.partial)+size > maxPacket {
		return source.Beyond("a packet of more than %d bytes", maxPacket)
	}
	s.partial = append(s.partial, body[:size]...)
	return nil
}
