package osc

// The bytes of SLIP, RFC 1055.
const (
	slipEnd    = 0xC0
	slipEsc    = 0xDB
	slipEscEnd = 0xDC
	slipEscEsc = 0xDD
)

// AppendFrame appends a packet as a frame of SLIP, with an END before it and one behind, as OSC 1.1
// asks for.
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

// Frames takes a stream of SLIP apart. The zero value stands before the first frame.
type Frames struct {
	frame  []byte
	escape bool
	lost   bool // the rest of the frame is passed over
}

// Feed reads a piece of the stream, and hands each frame that ends in it to take. The frame is valid
// until take returns. Frames of more than MaxPacket bytes, and those with an escape that SLIP does not
// have, are left out; bad is how many of them began to be left out. Empty frames are nothing.
func (f *Frames) Feed(stream []byte, take func(frame []byte)) (bad int) {
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
				take(f.frame)
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

// Pending reports whether a frame has begun that has not ended.
func (f *Frames) Pending() bool { return len(f.frame) > 0 || f.escape || f.lost }
