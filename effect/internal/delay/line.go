package delay

import "voicepool/pcm"

// line is a ring buffer of the last frames. clear takes constant time: older frames then read as silence.
type line struct {
	ring  []pcm.Frame
	place int // index of the next frame
	known int // number of frames since clear, at most len(ring)
}

// clear makes all frames silent.
func (l *line) clear() { l.known = 0 }

// put appends src to the line. src must be shorter than the ring.
func (l *line) put(src []pcm.Frame) {
	n := copy(l.ring[l.place:], src)
	copy(l.ring, src[n:])
	if l.place += len(src); l.place >= len(l.ring) {
		l.place -= len(l.ring)
	}
	l.known = min(l.known+len(src), len(l.ring))
}

// get fills dst with past frames, starting with the frame that was put back frames ago. len(dst) <= back <=
// len(ring).
func (l *line) get(dst []pcm.Frame, back int) {
	if unknown := min(back-l.known, len(dst)); unknown > 0 {
		clear(dst[:unknown])
		dst, back = dst[unknown:], back-unknown
	}
	from := l.place - back
	if from < 0 {
		from += len(l.ring)
	}
	n := copy(dst, l.ring[from:])
	copy(dst[n:], l.ring)
}
