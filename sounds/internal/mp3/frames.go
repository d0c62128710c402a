package mp3

import (
	"errors"

	"voicepool/sounds/internal/source"
)

// header is a decoded frame header of layer III.
type header struct {
	lowRate   bool // MPEG-2 or 2.5: half or a quarter of the rates, and one granule per frame
	rate      int
	bands     int // index of the band table
	channels  int
	size      int  // of the frame in bytes, header included
	crc       bool // a 16-bit checksum follows the header
	midSide   bool
	intensity bool
}

// parseHeader parses the frame header at the beginning of b (ISO 11172-3, 2.4.1.3). ok reports whether b begins with
// a header of layer III. For frames of other layers and free-format frames ok is false, and the error wraps
// source.ErrFormat and names them. Without a valid header ok is false and err is nil.
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
		return h, false, source.FormatErrorf("MPEG audio of layer %d is not read; convert it: mpg123 -w {file.wav} {file}", 4-layer)
	case bitrate == 0:
		return h, false, source.FormatErrorf("free-format MP3 is not read; convert it: mpg123 -w {file.wav} {file}")
	}
	halves := [4]int{0: 2, 2: 1}[version] // halvings of the MPEG-1 rates
	h = header{
		lowRate: halves > 0, rate: [...]int{44100, 48000, 32000}[rate] >> halves,
		bands: [...]int{0, 1, 2, 3, 4, 5, 5, 5, 6}[3*halves+rate], channels: 2, crc: b[1]&1 == 0,
	}
	kbits := [...]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}[bitrate]
	if h.lowRate {
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

// sideSize returns the size in bytes of the side information of the frame (ISO 11172-3, 2.4.1.7). It follows the
// header and its checksum.
func (h header) sideSize() int {
	switch {
	case h.lowRate && h.channels == 1:
		return 9
	case h.lowRate || h.channels == 1:
		return 17
	}
	return 32
}

// granules returns the number of granules in the frame, of 576 sound frames each.
func (h header) granules() int {
	if h.lowRate {
		return 1
	}
	return 2
}

// frames returns the number of sound frames in the MP3 frame.
func (h header) frames() int { return 576 * h.granules() }

// Is reports whether b is the beginning of an MP3 file: it contains two consecutive frames of the same rate, or one
// frame before a tag or the end of b. At most maxJunk bytes of other data may precede them. Frames of unsupported MPEG
// audio count, too, so that Open can name them in its error.
func Is(b []byte) bool {
	_, _, err := firstFrame(b)
	return !errors.Is(err, errNoFrame)
}

// maxJunk is the maximum number of bytes before the first frame.
const maxJunk = source.Probe - 4<<10

var errNoFrame = source.FormatErrorf("no MP3 frame is in it")

// firstFrame finds the first frame in b, and returns its byte offset and its header. Only frames that begin in the
// first maxJunk bytes count. Behind the frame there must be another frame of the same rate, a tag or the end of b. A
// frame at offset 0 may be cut off by the end of b. If firstFrame finds no frame, the error is errNoFrame, or names an
// unsupported kind of frames; both wrap source.ErrFormat.
//
// The data of a truncated file may look like unsupported frames. Two consecutive frames of layer III override such a
// finding, if another frame, a tag or the end of b follows them.
func firstFrame(b []byte) (at int, h header, err error) {
	other := errNoFrame
	tries := 16 // limits the checks for unsupported frames
	for at := range min(len(b), maxJunk) {
		h, ok, err := parseHeader(b[at:])
		if err != nil && tries > 0 && errors.Is(other, errNoFrame) {
			if tries--; otherFrames(b[at:]) {
				other = err
			}
		}
		if !ok || h.size < 4+h.sideSize() {
			continue
		}
		ok = nextMatches(b, at, h) && (at == 0 || at+h.size <= len(b))
		if ok && !errors.Is(other, errNoFrame) {
			next, found, _ := parseHeader(b[min(at+h.size, len(b)):])
			ok = found && nextMatches(b, at+h.size, next)
		}
		if ok {
			return at, h, nil
		}
	}
	return 0, h, other
}

// nextMatches reports whether the data behind a frame continues it: with a frame of the same rate, with a tag, or with
// the end of b. The frame has the header h and begins at the byte offset at of b. The frame itself is not checked.
func nextMatches(b []byte, at int, h header) bool {
	next := b[min(at+h.size, len(b)):]
	n, ok, _ := parseHeader(next)
	return len(next) == 0 || ok && n.rate == h.rate || source.BeginsTag(next)
}

// maxOtherFrame is an upper bound of the frame size of any layer and of free format, up to 640 kbit/s.
const maxOtherFrame = 8 << 10

// otherFrames reports whether b begins with consistent frames of an unsupported kind: three, or two at the end of b.
// b must begin with a header that parseHeader reports as unsupported. Free-format frames have no size in their
// header, so otherFrames tries sizes until the frames agree.
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
		return false // encoders write free format in layer III only
	}
	for size := 24; size < min(len(b), maxOtherFrame); size++ {
		if !same(size) {
			continue
		}
		if 2*size+4 >= len(b) {
			return true
		}
		for pad := -4; pad <= 4; pad++ { // padding: one byte, or four in layer I
			if same(2*size + pad) {
				return true
			}
		}
	}
	return false
}

// otherRates lists the bit rates of layers I and II of MPEG-1, then of layer I of MPEG-2, in kbit/s. Layer II
// of MPEG-2 uses lowRates.
var otherRates = [3][15]int{
	{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
	{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
	{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
}

// otherSize returns the size in bytes of the frame of layer I or II at the beginning of b, header included. b must
// begin with a valid header that has a bit rate; for free format the result is wrong.
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

// lowRates lists the bit rates of layer III of MPEG-2 and 2.5, in kbit/s.
var lowRates = [15]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}
