package mp3

import (
	"encoding/binary"
	"slices"
)

// note is information that the encoder has stored in a frame without sound.
type note struct {
	frames         int64 // number of MP3 frames, without this one; 0: unknown
	delay, padding int64 // padding in sound frames at the beginning and the end
	known          bool  // the encoder has stored delay and padding
}

// readXing parses the Xing or Info note of LAME and other encoders in frame, the first one, which has header h and
// may be truncated. ok is false if the frame contains sound instead. For a note of another kind (VBRI) g is zero and
// ok true.
func readXing(frame []byte, h header) (g note, ok bool) {
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
		g.known = true
	}
	return g, true
}

// takeOff computes r.added, r.Front, r.Back and r.Frames, the range of sound frames without padding, from the note.
// It removes the decoder's delay for every note, even for a note without delays. The padding at the end precedes the
// end of the frames that the note counts, because in concatenated files other frames follow.
func (r *reader) takeOff() {
	if !r.note.known && r.note.frames == 0 {
		return
	}
	front, back := r.note.delay+decoderDelay, max(r.note.padding-decoderDelay, 0)
	end := r.note.frames * r.size
	if end == 0 {
		r.Front, r.Back = front, back
		return
	}
	r.added = [2]int64{max(end-back, 0), end}
	r.Front = min(front, r.added[0])
	r.Frames = r.added[0] - r.Front
}

// given returns how many of the first n decoded sound frames Next returns, without the padding at the end of the
// file.
func (r *reader) given(n int64) int64 {
	return n - max(min(n, r.added[1])-r.added[0], 0)
}

// decoded returns the number, counted with the padding at the end, of the sound frame that is number n without that
// padding. It is the inverse of given.
func (r *reader) decoded(n int64) int64 {
	if n >= r.added[0] {
		n += r.added[1] - r.added[0]
	}
	return n
}

// cut removes from dst, whose end is the whole MP3 frame number r.count, the part of that frame which is padding at
// the end of the file, and returns dst.
func (r *reader) cut(dst []float32) []float32 {
	first := r.count * r.size
	from, to := min(max(r.added[0]-first, 0), r.size), min(max(r.added[1]-first, 0), r.size)
	channels := int64(r.Channels)
	at := int64(len(dst))/channels - r.size
	return slices.Delete(dst, int((at+from)*channels), int((at+to)*channels))
}
