package osc

// The special bytes of SLIP, RFC 1055.
const (
	slipEnd    = 0xC0
	slipEsc    = 0xDB
	slipEscEnd = 0xDC
	slipEscEsc = 0xDD
)

// AppendFrame appends packet to b as a SLIP frame, with an END byte before and after it, as OSC 1.1 requires. It
// returns the longer slice.
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

// Feed parses stream, the next part of the stream, which may end within a frame, and calls handle for each frame that
// is completed in it. The argument of handle is valid until handle returns. Frames longer than MaxPacket or with an
// invalid escape are skipped, and bad is the number of such frames found in this part. Empty frames are ignored.
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

// Pending reports whether the stream, as fed until now, ends within a frame, even if that frame will be skipped.
func (f *Frames) Pending() bool { return len(f.frame) > 0 || f.escape || f.lost }
