package delay

import "voicepool/pcm"

// line remembers the last frames that were put into it. What was put before clear is silence,
// without any work for it.
type line struct {
	ring  []pcm.Frame
	place int // where the next frame goes
	known int // how many frames there are since clear, at most len(ring)
}

// clear makes all of it silent.
func (l *line) clear() { l.known = 0 }

// put appends frames, fewer than the ring has.
func (l *line) put(src []pcm.Frame) {
	n := copy(l.ring[l.place:], src)
	copy(l.ring, src[n:])
	if l.place += len(src); l.place >= len(l.ring) {
		l.place -= len(l.ring)
	}
	l.known = min(l.known+len(src), len(l.ring))
}

// get fills dst with frames of the past, the first of them the one that was put back frames
// ago. len(dst) <= back <= len(ring).
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
