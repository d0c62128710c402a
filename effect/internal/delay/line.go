package delay

import "voicepool/pcm"

// line is a ring buffer of the last frames. clear takes constant time: older frames then read as silence.
type line struct {
	ring       []pcm.Frame
	writeIndex int // index of the next frame
	filled     int // number of frames since clear, at most len(ring)
}

// clear makes all frames silent.
func (l *line) clear() { l.filled = 0 }

// write appends src to the line. src must be shorter than the ring.
func (l *line) write(src []pcm.Frame) {
	n := copy(l.ring[l.writeIndex:], src)
	copy(l.ring, src[n:])
	if l.writeIndex += len(src); l.writeIndex >= len(l.ring) {
		l.writeIndex -= len(l.ring)
	}
	l.filled = min(l.filled+len(src), len(l.ring))
}

// read fills dst with past frames, starting with the frame that was written back frames ago. len(dst) <= back <=
// len(ring).
func (l *line) read(dst []pcm.Frame, back int) {
	if unknown := min(back-l.filled, len(dst)); unknown > 0 {
		clear(dst[:unknown])
		dst, back = dst[unknown:], back-unknown
	}
	from := l.writeIndex - back
	if from < 0 {
		from += len(l.ring)
	}
	n := copy(dst, l.ring[from:])
	copy(dst[n:], l.ring)
}
