package opus

import (
	"voicepool/sounds/internal/source"
)

// The coding modes of a frame.
const (
	noMode = iota
	speech // SILK
	hybrid
	music // CELT
)

// config is the configuration of a packet's frames.
type config struct {
	mode     int
	band     int // end of the coded bands
	rate     int // of SILK, in kHz
	frames   int // length of a frame, at 48 kHz
	channels int
}

// configOf returns the configuration that the first byte b of a packet announces: coding mode, bandwidth, frame
// length and channels (RFC 6716, section 3.1).
func configOf(b byte) (c config) {
	n := int(b >> 3)
	c.channels = 1 + int(b>>2&1)
	switch {
	case n < 12:
		c.mode, c.frames = speech, [...]int{480, 960, 1920, 2880}[n&3]
		c.rate, c.band = 8+4*(n>>2), [...]int{13, 17, 17}[n>>2]
	case n < 16:
		c.mode, c.rate, c.frames, c.band = hybrid, 16, 480<<(n&1), 19+n>>1&1*2
	default:
		c.mode, c.frames, c.band = music, 120<<(n&3), [...]int{13, 17, 19, 21}[(n-16)>>2]
	}
	return c
}

// errPacket is the error of a truncated or inconsistent packet.
var errPacket = source.DecodeErrorf("an Opus packet whose lengths do not add up")

// maxFrames is the maximum duration of a packet: 120 ms.
const maxFrames = 5760

// splitPacket divides the packet b into its frames (RFC 6716, section 3.2). It appends them to frames and returns the
// extended list and the configuration of the packet. If delimited is true, the packet has its own length (appendix
// B), and rest is the data after it. Otherwise the last frame extends to the end of b, without the padding. All
// slices alias b. Invalid sizes give errPacket.
func splitPacket(b []byte, delimited bool, frames [][]byte) (c config, list [][]byte, rest []byte, err error) {
	if len(b) == 0 {
		return c, nil, nil, errPacket
	}
	c, code := configOf(b[0]), b[0]&3
	b = b[1:]
	size := func() int { // parses the size of a frame; -1: truncated
		if len(b) == 0 || b[0] >= 252 && len(b) < 2 {
			return -1
		}
		n := int(b[0])
		b = b[1:]
		if n >= 252 {
			n += 4 * int(b[0])
			b = b[1:]
		}
		return n
	}
	count, variable, padding := 1, false, 0
	switch code {
	case 1:
		count = 2
	case 2:
		count, variable = 2, true
	case 3:
		if len(b) == 0 {
			return c, nil, nil, errPacket
		}
		m := b[0]
		b = b[1:]
		count, variable = int(m&63), m&0x80 != 0
		for m&0x40 != 0 {
			if len(b) == 0 {
				return c, nil, nil, errPacket
			}
			n := b[0]
			b = b[1:]
			padding += min(int(n), 254)
			if n < 255 {
				break
			}
		}
	}
	if count == 0 || count*c.frames > maxFrames {
		return c, nil, nil, errPacket
	}
	sizes, sum := [48]int{}, 0
	for i := range count - 1 {
		if variable {
			sizes[i] = size()
			if sizes[i] < 0 {
				return c, nil, nil, errPacket
			}
			sum += sizes[i]
		}
	}
	last := 0
	if delimited {
		if last = size(); last < 0 {
			return c, nil, nil, errPacket
		}
		if !variable {
			sum = last * (count - 1)
		}
	} else {
		last = len(b) - padding - sum
		if !variable {
			if last%count != 0 {
				return c, nil, nil, errPacket
			}
			last /= count
			sum = last * (count - 1)
		}
	}
	if last < 0 || last > 1275 || sum+last+padding > len(b) {
		return c, nil, nil, errPacket
	}
	for i := range count {
		n := last
		if variable && i < count-1 {
			n = sizes[i]
		}
		frames = append(frames, b[:n])
		b = b[n:]
	}
	return c, frames, b[padding:], nil
}

// lengthOf returns the number of frames at 48 kHz in the packet b, according to its first two bytes. It returns
// errPacket if b is too short, or if the number is 0 or above maxFrames, 120 ms.
func lengthOf(b []byte) (int64, error) {
	if len(b) == 0 {
		return 0, errPacket
	}
	count := 1
	switch b[0] & 3 {
	case 1, 2:
		count = 2
	case 3:
		if len(b) < 2 {
			return 0, errPacket
		}
		count = int(b[1] & 63)
	}
	n := count * configOf(b[0]).frames
	if n == 0 || n > maxFrames {
		return 0, errPacket
	}
	return int64(n), nil
}
