package osc

// The special bytes of SLIP, RFC 1055.
const (
	slipEnd    = 0xC0
	slipEsc    = 0xDB
	slipEscEnd = 0xDC
	slipEscEsc = 0xDD
)

// AppendFrame appends packet to b as one frame of SLIP, which marks the ends of packets in a TCP stream. Special bytes
// in packet are escaped. An END byte is before and after the packet, as OSC 1.1 requires. The result is the longer
// slice.
func AppendFrame(b, packet []byte) []byte {
	b = append(b, slipEnd)
	for _, c := range packet {
		switch c {
		case slipEnd:
			b = append(b, slipEsc, slipEscEnd)
		case slipEsc:
			b = append(b, slipEsc, slipEscEsc)
		default:
			b = append(b, c)
		}
	}
	return append(b, slipEnd)
}

// Frames splits a SLIP stream into frames and keeps an unfinished frame between calls. The zero value is ready to use.
type Frames struct {
	frame  []byte
	escape bool
	lost   bool // the rest of the frame is skipped
}

// Feed splits the next part of a SLIP stream into frames and calls handle for each complete frame. The argument of
// handle is valid until handle returns. stream may end within a frame; the next call continues that frame. Empty frames
// are ignored.
//
// Frames longer than MaxPacket or with an invalid escape are skipped. bad is the number of such frames that were found
// in this call.
func (f *Frames) Feed(stream []byte, handle func(frame []byte)) (bad int) {
	lose := func() {
		f.frame, f.lost = nil, true
		bad++
	}
	for _, c := range stream {
		if c == slipEnd {
			if f.escape && !f.lost {
				lose()
			}
			if len(f.frame) > 0 {
				handle(f.frame)
			}
			f.frame, f.escape, f.lost = f.frame[:0], false, false
			continue
		}
		switch {
		case f.lost:
			continue
		case f.escape && c == slipEscEnd:
			c = slipEnd
		case f.escape && c == slipEscEsc:
			c = slipEsc
		case f.escape:
			lose()
			continue
		case c == slipEsc:
			f.escape = true
			continue
		}
		f.escape = false
		if len(f.frame) == MaxPacket {
			lose()
			continue
		}
		f.frame = append(f.frame, c)
	}
	return bad
}

// Pending reports whether the stream that Feed has received ends within a frame. A frame that will be skipped counts
// too.
func (f *Frames) Pending() bool { return len(f.frame) > 0 || f.escape || f.lost }
