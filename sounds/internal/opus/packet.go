package opus

import (
	"voicepool/sounds/internal/source"
)

// The ways in which a frame is coded.
const (
	nothing = iota
	speech  // SILK
	hybrid
	music // CELT
)

// config is what the first byte of a packet says of its frames.
type config struct {
	mode     int
	band     int // the first that is not coded
	rate     int // of speech, in kHz
	frames   int // length of a frame, at 48 kHz
	channels int
}

// configOf reads the first byte of a packet.
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

// errPacket is of a packet that is cut short, or does not add up.
var errPacket = source.Broken("an Opus packet whose lengths do not add up")

// maxFrames is how long a packet may be: 120 ms.
const maxFrames = 5760

// split takes a packet into frames, of which the bytes of the last end the packet, unless
// it is delimited and tells so itself. rest is what follows a packet that does.
func split(b []byte, delimited bool, frames [][]byte) (c config, list [][]byte, rest []byte, err error) {
	if len(b) == 0 {
		return c, nil, nil, errPacket
	}
	c, code := configOf(b[0]), b[0]&3
	b = b[1:]
	size := func() int { // how long a frame is; -1: nothing tells
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

// lengthOf returns how many frames at 48 kHz a packet has, by its beginning.
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
