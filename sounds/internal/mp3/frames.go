package mp3

import (
	"errors"

	"voicepool/sounds/internal/source"
)

// header is what the four bytes before a frame of layer III say.
type header struct {
	low       bool // MPEG-2 or 2.5: half or a quarter of the rates, and one granule a frame
	rate      int
	bands     int // which table of bands belongs to the rate
	channels  int
	size      int  // of the frame, in bytes, with its header
	crc       bool // two bytes of checksum follow the header
	midSide   bool
	intensity bool
}

// parseHeader reads the header at the beginning of b. Other layers and
// frames of no declared size are told apart from what is no header at all, for
// a better error.
func parseHeader(b []byte) (h header, ok bool, err error) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return h, false, nil
	}
	version, layer, bitrate, rate := b[1]>>3&3, b[1]>>1&3, b[2]>>4, int(b[2]>>2&3)
	if version == 1 || layer == 0 || bitrate == 15 || rate == 3 || b[3]&3 == 2 {
		return h, false, nil
	}
	switch {
	case layer != 1:
		return h, false, source.Unknown("MPEG audio of layer %d is not read; convert it: mpg123 -w {file.wav} {file}", 4-layer)
	case bitrate == 0:
		return h, false, source.Unknown("free-format MP3 is not read; convert it: mpg123 -w {file.wav} {file}")
	}
	halves := [4]int{0: 2, 2: 1}[version] // how often the rates of MPEG-1 are halved
	h = header{
		low: halves > 0, rate: [...]int{44100, 48000, 32000}[rate] >> halves,
		bands: [...]int{0, 1, 2, 3, 4, 5, 5, 5, 6}[3*halves+rate], channels: 2, crc: b[1]&1 == 0,
	}
	kbits := [...]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}[bitrate]
	if h.low {
		kbits = lowRates[bitrate]
	}
	h.size = 72*h.granules()*kbits*1000/h.rate + int(b[2]>>1&1)
	switch b[3] >> 6 {
	case 1:
		h.midSide, h.intensity = b[3]&0x20 != 0, b[3]&0x10 != 0
	case 3:
		h.channels = 1
	}
	return h, true, nil
}

// sideSize is how many bytes of side information follow the header.
func (h header) sideSize() int {
	switch {
	case h.low && h.channels == 1:
		return 9
	case h.low || h.channels == 1:
		return 17
	}
	return 32
}

// granules is how many parts of 576 frames are in it.
func (h header) granules() int {
	if h.low {
		return 1
	}
	return 2
}

// frames is how many frames of sound are in it.
func (h header) frames() int { return 576 * h.granules() }

// Is wants two frames in a row that agree, or one that is all there is, perhaps
// behind some rubbish and then whole; or frames of MPEG audio that is not read, whose
// error says what it is.
func Is(b []byte) bool {
	_, _, err := firstFrame(b)
	return !errors.Is(err, errNoFrame)
}

// maxRubbish is how many bytes may stand before the first frame.
const maxRubbish = source.Probe - 4<<10

var errNoFrame = source.Unknown("no MP3 frame is in it")

// firstFrame finds where the frames begin. The error is errNoFrame, or says of
// which kind that is not read the frames are. What looks like frames of that kind
// may be in the data of a frame whose beginning is cut off: then three in a row
// that agree are behind it.
func firstFrame(b []byte) (at int, h header, err error) {
	other := errNoFrame
	tries := 16 // at what may be frames of another kind
	for at := range min(len(b), maxRubbish) {
		h, ok, err := parseHeader(b[at:])
		if err != nil && tries > 0 && errors.Is(other, errNoFrame) {
			if tries--; otherFrames(b[at:]) {
				other = err
			}
		}
		if !ok || h.size < 4+h.sideSize() {
			continue
		}
		ok = agrees(b, at, h) && (at == 0 || at+h.size <= len(b))
		if ok && !errors.Is(other, errNoFrame) {
			next, found, _ := parseHeader(b[min(at+h.size, len(b)):])
			ok = found && agrees(b, at+h.size, next)
		}
		if ok {
			return at, h, nil
		}
	}
	return 0, h, other
}

// agrees tells whether another frame like h is behind it; the end of b and a tag do too.
func agrees(b []byte, at int, h header) bool {
	next := b[min(at+h.size, len(b)):]
	n, ok, _ := parseHeader(next)
	return len(next) == 0 || ok && n.rate == h.rate || source.BeginsTag(next)
}

// maxOtherFrame is more bytes than a frame of any layer or free format has, of up
// to 640 kbit/s.
const maxOtherFrame = 8 << 10

// otherFrames tells whether b begins with frames of one kind whose headers agree, three of them or two that
// are all there is. The size of a frame of free format is not in its header.
func otherFrames(b []byte) bool {
	same := func(at int) bool {
		return at+4 <= len(b) && b[at] == b[0] && b[at+1] == b[1] && (b[at+2]^b[2])&^3 == 0 && (b[at+3]^b[3])&0xc0 == 0
	}
	if b[2]>>4 != 0 {
		second := otherSize(b)
		if !same(second) {
			return false
		}
		third := second + otherSize(b[second:])
		return third+4 >= len(b) || same(third)
	}
	if b[1]>>1&3 != 1 {
		return false // no encoder makes free format of the other layers
	}
	for size := 24; size < min(len(b), maxOtherFrame); size++ {
		if !same(size) {
			continue
		}
		if 2*size+4 >= len(b) {
			return true
		}
		for pad := -4; pad <= 4; pad++ { // one byte more or less; four of layer I
			if same(2*size + pad) {
				return true
			}
		}
	}
	return false
}

// otherRates are the bit rates of layers I and II of MPEG-1, then of layer I of MPEG-2, in kbit/s. Layer II
// of MPEG-2 has those of layer III.
var otherRates = [3][15]int{
	{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
	{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
	{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
}

// otherSize returns how many bytes the frame of layer I or II has that begins with b.
func otherSize(b []byte) int {
	version, layer, bitrate, pad := b[1]>>3&3, b[1]>>1&3, b[2]>>4, int(b[2]>>1&1)
	rate := [...]int{44100, 48000, 32000}[b[2]>>2&3] >> [4]int{0: 2, 2: 1}[version]
	switch {
	case layer == 3 && version == 3:
		return (12*otherRates[0][bitrate]*1000/rate + pad) * 4
	case layer == 3:
		return (12*otherRates[2][bitrate]*1000/rate + pad) * 4
	case version == 3:
		return 144*otherRates[1][bitrate]*1000/rate + pad
	}
	return 144*lowRates[bitrate]*1000/rate + pad
}

// lowRates are the bit rates of layer III of MPEG-2 and 2.5, in kbit/s.
var lowRates = [15]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}
