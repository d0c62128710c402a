package mp3

import (
	"encoding/binary"
	"slices"
)

// encoderInfo is information that the encoder has stored in a frame without sound.
type encoderInfo struct {
	frames         int64 // number of MP3 frames, without this one; 0: unknown
	delay, padding int64 // padding in sound frames at the beginning and the end
	hasPadding     bool  // the encoder has stored delay and padding
}

// readXing parses the information that LAME and other encoders store in the first frame of a file (the Xing or Info
// tag). frame is that frame, which may be truncated, and h its header. It has the number of MP3 frames and the padding
// in sound frames, as far as the encoder has stored them. For information of another kind (VBRI) the result is empty,
// and ok is true. If the frame contains sound instead of it, ok is false.
func readXing(frame []byte, h header) (g encoderInfo, ok bool) {
	b := frame[min(4+h.sideSize(), len(frame)):]
	if h.crc && len(b) >= 2 && string(b[:min(len(b), 4)]) != "Xing" && string(b[:min(len(b), 4)]) != "Info" {
		b = b[2:]
	}
	if len(b) < 8 || string(b[:4]) != "Xing" && string(b[:4]) != "Info" {
		return g, len(frame) >= 40 && string(frame[36:40]) == "VBRI"
	}
	flags := binary.BigEndian.Uint32(b[4:])
	b = b[8:]
	for bit, size := range [...]int{4, 4, 100, 4} {
		if flags>>bit&1 == 0 {
			continue
		}
		if len(b) < size {
			return g, true
		}
		if bit == 0 {
			g.frames = int64(binary.BigEndian.Uint32(b))
		}
		b = b[size:]
	}
	if len(b) >= 24 && b[0] >= ' ' && b[0] < 0x7f { // the encoder's name, then its delays in 12 bits each
		g.delay = int64(b[21])<<4 | int64(b[22])>>4
		g.padding = int64(b[22]&15)<<8 | int64(b[23])
		g.hasPadding = true
	}
	return g, true
}

// applyInfo computes the range of sound frames without padding from the encoder's info. It sets r.Front, the padding
// at the beginning. If the number of frames is known, it sets r.Frames, the length without padding, and r.endPadding,
// the range of the padding at the end; r.Back stays 0. Otherwise it sets r.Back, the padding at the end. A decoder
// delays the sound; applyInfo removes this delay for every info, even for one without padding. Without an info it has
// no effect.
//
// The padding at the end lies before the end of the frames that the info counts, because in concatenated files other
// frames follow.
func (r *reader) applyInfo() {
	if !r.info.hasPadding && r.info.frames == 0 {
		return
	}
	front, back := r.info.delay+decoderDelay, max(r.info.padding-decoderDelay, 0)
	end := r.info.frames * r.size
	if end == 0 {
		r.Front, r.Back = front, back
		return
	}
	r.endPadding = [2]int64{max(end-back, 0), end}
	r.Front = min(front, r.endPadding[0])
	r.Frames = r.endPadding[0] - r.Front
}

// withoutPadding converts a number of decoded sound frames to the number that Next returns. n counts decoded frames
// from the beginning of the file. The result leaves out the padding at the end of the file.
func (r *reader) withoutPadding(n int64) int64 {
	return n - max(min(n, r.endPadding[1])-r.endPadding[0], 0)
}

// withPadding converts a frame number without the padding at the end of the file to the number with that padding. The
// two differ only for frames after the padding, as in concatenated files. It is the inverse of withoutPadding.
func (r *reader) withPadding(n int64) int64 {
	if n >= r.endPadding[0] {
		n += r.endPadding[1] - r.endPadding[0]
	}
	return n
}

// trimPadding removes padding from dst, whose end is one whole, newly decoded MP3 frame, and returns dst. r.count is
// the number of that frame. The padding is the part of the frame in the range r.endPadding, which is at the end of the
// file.
func (r *reader) trimPadding(dst []float32) []float32 {
	first := r.count * r.size
	from, to := min(max(r.endPadding[0]-first, 0), r.size), min(max(r.endPadding[1]-first, 0), r.size)
	channels := int64(r.Channels)
	at := int64(len(dst))/channels - r.size
	return slices.Delete(dst, int((at+from)*channels), int((at+to)*channels))
}
