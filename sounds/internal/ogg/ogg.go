// Package ogg has the shared parts of the codecs in Ogg: pages and packets, chained streams, trimming, and
// seeking.
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
	granule                int64 // position at the end of its last complete packet; -1: no packet ends here
	serial, sequence       uint32
	lacing                 []byte
	body                   []byte
}

// pageMagic begins each page.
const pageMagic = "OggS"

// readPage parses the Ogg page at the beginning of b (RFC 3533, section 6). It returns the page and rest, the bytes
// after it; both alias b. If checked is true, it also verifies the checksum. The error wraps source.ErrDecode; the
// other results then have no meaning.
func readPage(b []byte, checked bool) (p page, rest []byte, err error) {
	p, rest, err = splitPage(b)
	size := len(b) - len(rest)
	if len(b) >= 27 && len(b) >= 27+int(b[26]) && (string(b[:4]) != pageMagic || b[4] != 0) {
		return page{}, nil, source.DecodeErrorf("no Ogg page begins where one should")
	}
	if err == nil && checked && checksum(b[:size]) != binary.LittleEndian.Uint32(b[22:]) {
		return page{}, nil, source.DecodeErrorf("the checksum of Ogg page %d is wrong", p.sequence)
	}
	return p, rest, err
}

// splitPage parses the Ogg page at the beginning of b like readPage, but does not check its magic bytes or checksum.
// It returns the page and rest, the bytes after it; both alias b. A truncated page gives an error that wraps
// source.ErrDecode.
func splitPage(b []byte) (p page, rest []byte, err error) {
	if len(b) < 27 || len(b) < 27+int(b[26]) {
		return p, nil, source.DecodeErrorf("cut short in the header of an Ogg page")
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
		return p, nil, source.DecodeErrorf("cut short: an Ogg page of %d bytes is announced, %d are there", head+size, len(b))
	}
	p.body = b[head : head+size]
	return p, b[head+size:], nil
}

var crc32 = source.CRC(32, 0x04c11db7)

// checksum returns the CRC-32 of page, a whole Ogg page. The four bytes of the checksum field in the page count as
// zeros (RFC 3533, section 6).
func checksum(page []byte) uint32 { return crc32(page[:22], make([]byte, 4), page[26:]) }

// Is reports whether data begins with the magic bytes of an Ogg page.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte(pageMagic)) }

// HasStream reports whether an Ogg file has a stream whose first packet begins with magic. file is the beginning of the
// file. HasStream checks the first page of each parallel stream, without checksums. It stops at the first later page
// and at a truncated page.
func HasStream(file []byte, magic string) bool {
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

// Check verifies the page at the beginning of file, with its checksum. It returns an error that wraps
// source.ErrDecode, or nil. Later pages are not checked.
func Check(file []byte) error {
	_, _, err := readPage(file, true)
	return err
}

// stream reads the packets of the first stream whose first packet begins with magic, and of the streams chained
// to it.
type stream struct {
	in      *source.Input
	magic   string // the beginning of its first packet
	strict  bool   // treat a damaged page as an error; set while reading headers
	serial  uint32
	open    bool // between the first page of a stream and its last
	next    uint32
	packets [][]byte // of the last page with complete packets
	partial []byte   // the beginning of an incomplete packet

	// Of that page: its position in the file, its granule position, and whether it is the last page.
	at      int64
	granule int64
	last    bool

	lastGranule int64 // granule position of the last page
	end         int64 // end of the last page in bytes
	pageErr     error // error of the page of packets; nil: intact
	partialErr  error // error of the page where partial begins
	gapErr      error // the reason for missing pages before the next one; nil: no gap
	wastedBytes int64 // number of bytes checked in false pages
}

// maxWastedBytes is the number of bytes that may be checked in false pages, plus eight per byte of the file.
const maxWastedBytes = 1 << 24

// MaxPage is the size of the largest page, plus enough bytes to recognize a tag after it.
const MaxPage = 27 + 255 + 255*255 + 256

// maxPacket is the maximum size of a packet, in bytes. The largest packets are pictures in tags.
const maxPacket = 16 << 20

// packet removes the next packet of the stream from s and returns it. It reads further pages as needed. The caller may
// keep the packet. The error is io.EOF at the end of the file. It is also io.EOF if another stream follows although the
// last page of this one is missing. Other errors are as in readNextPage.
func (s *stream) packet() (p []byte, err error) {
	for len(s.packets) == 0 {
		if err := s.readNextPage(); err != nil {
			return nil, err
		}
	}
	p = s.packets[0]
	s.packets = s.packets[1:]
	return p, nil
}

// recordGap records that packets are missing because of fault. It stores fault in s.gapErr, unless an error is already
// there, and drops the incomplete packet. It then returns nil. While headers are read (s.strict), it changes no field
// and returns fault.
func (s *stream) recordGap(fault error) error {
	if s.strict {
		return fault
	}
	s.partial = nil
	s.gapErr = cmp.Or(s.gapErr, fault)
	return nil
}

// readNextPage reads the next page of the file and adds its complete packets to s.packets. It may add no packet. A page
// of another stream is skipped. A broken page is repaired or skipped, and the fault is recorded in s. Only while
// headers are read, or if too much data is broken, the fault is returned instead. At the end of the file, after which
// only tags and zeros may follow, readNextPage returns io.EOF. Other errors are as in addPage.
func (s *stream) readNextPage() error {
	b := s.in.Peek(MaxPage)
	if len(b) == 0 || b[0] != pageMagic[0] {
		at := s.in.At
		switch done := s.in.SkipTail(); {
		case done && len(s.partial) > 0:
			if err := s.recordGap(source.DecodeErrorf("cut short within a packet")); err != nil {
				return err
			}
			return io.EOF
		case done:
			return io.EOF
		case !bytes.HasPrefix(s.in.Peek(MaxPage), []byte(pageMagic)):
			s.in.MoveTo(at) // not a tag
		}
		b = s.in.Peek(MaxPage)
	}
	page, rest, err := readPage(b, true)
	fault := err
	if err != nil {
		var ok bool
		if page, rest, ok = s.repair(b); !ok {
			if err := s.recordGap(err); err != nil {
				return err
			}
			return s.resync(err)
		}
	}
	at := s.in.At
	if err := s.addPage(page); err != nil {
		return err
	}
	if len(s.packets) > 0 {
		s.at, s.granule, s.last = at, page.granule, page.last
		s.pageErr, s.partialErr = cmp.Or(fault, s.partialErr), nil
	}
	if len(s.partial) > 0 {
		s.partialErr = cmp.Or(fault, s.partialErr)
	}
	s.in.Skip(int64(len(b) - len(rest)))
	s.end = s.in.At
	return nil
}

// repair tries to use the page at the beginning of b although its checksum is wrong. Another page or the end of the
// file must follow. The serial and the sequence number may each differ in one bit from the expected ones. While headers
// are read, and after a gap, repair does not succeed. On success it returns the page with corrected header fields,
// rest, the bytes after it, and true. If the page cannot be used, it returns false, and the other results have no
// meaning.
func (s *stream) repair(b []byte) (p page, rest []byte, ok bool) {
	p, rest, err := splitPage(b)
	if err != nil || s.strict || s.gapErr != nil || !s.open || len(p.lacing) == 0 {
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

// resync moves the input from a broken page to the next valid page, or to the end of the file, and returns nil. fault
// is the error of the broken page; it is returned if the search has checked too many bytes.
func (s *stream) resync(fault error) error {
	for s.in.Skip(1); ; {
		b := s.in.Peek(MaxPage)
		i := bytes.Index(b, []byte("OggS"))
		switch {
		case i > 0:
			s.in.Skip(int64(i))
			continue
		case i < 0 && len(b) > 3 && int64(len(b)) < s.in.Remaining():
			s.in.Skip(int64(len(b) - 3))
			continue
		case i < 0:
			s.in.Skip(s.in.Remaining())
			return nil
		}
		if _, _, err := readPage(b, true); err == nil {
			return nil
		}
		if s.wastedBytes += int64(len(b)); s.wastedBytes > maxWastedBytes+8*s.in.At {
			return fault
		}
		s.in.Skip(1)
	}
}

// addPage adds the packets of page to s.packets. An incomplete packet at the end stays in s.partial until the next
// page. Pages of other streams are ignored. Missing pages before page, a repeated page, and a torn packet are faults,
// which addPage records as recordGap does. The packets of a repeated page are not added; an incomplete packet before it
// is kept.
//
// addPage returns io.EOF if page begins another stream although the last page of this one is missing. A packet that is
// too large gives an error that wraps source.ErrLimit. While headers are read, it returns a fault as an error.
func (s *stream) addPage(page page) error {
	switch {
	case page.first && !s.open:
		if !bytes.HasPrefix(page.body, []byte(s.magic)) {
			return nil // a stream of another kind
		}
		s.serial, s.open, s.next = page.serial, true, page.sequence
	case page.first && s.gapErr != nil && page.serial != s.serial && bytes.HasPrefix(page.body, []byte(s.magic)):
		s.open = false // the last page of our stream is missing
		return io.EOF
	case page.serial != s.serial || !s.open:
		return nil
	}
	if page.sequence != s.next {
		partial := s.partial
		if err := s.recordGap(source.DecodeErrorf("Ogg page %d is missing", s.next)); err != nil {
			return err
		}
		if int32(page.sequence-s.next) < 0 { // a repeated page
			s.partial = partial // continued on the next page
			return nil
		}
	}
	s.next = page.sequence + 1
	torn := page.continued && len(s.partial) == 0
	if torn && s.gapErr == nil || !page.continued && len(s.partial) > 0 {
		if err := s.recordGap(source.DecodeErrorf("a packet is torn at Ogg page %d", page.sequence)); err != nil {
			return err
		}
	}
	s.open = !page.last
	s.lastGranule = max(page.granule, 0)
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
		return nil // the rest of the packet is on the next page
	}
	if len(s.partial)+size > maxPacket {
		return source.LimitErrorf("a packet of more than %d bytes", maxPacket)
	}
	s.partial = append(s.partial, body[:size]...)
	return nil
}
