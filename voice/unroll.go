package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// A voice that counts the rounds of a short loop reads its sound written out: the
// rounds that are still to come stand in a row, and its position counts in that
// row. So the way out is exact, however few rounds there are, where what a kernel
// reads at once holds several of them.

// unrolls reports whether the voice reads so.
func (v *Voice) unrolls() bool {
	return v.Looping() && v.jumps >= 0 && v.sound.loop[1]-v.sound.loop[0] < shortLoop
}

// unrolled returns where a frame at or behind the loop's end stands in the row.
func (v *Voice) unrolled(frame int64) int64 {
	if v.jumps < 0 {
		return frame
	}
	return frame + int64(v.jumps)*(v.sound.loop[1]-v.sound.loop[0])
}

// rewind takes rounds that are over out of the row, and leaves it behind when the
// last one is.
func (v *Voice) rewind() {
	m, length := &v.sound.seam, v.sound.loop[1]-v.sound.loop[0]
	if last := v.unrolled(v.sound.loop[1]); v.pos>>32 >= last+guardAfter {
		v.pos -= int64(v.jumps) * length << 32
		v.jumps, v.loop = 0, false
		v.stale()
		return
	}
	for v.pos>>32 >= m.wrap && int64(v.jumps)*length > m.back+shortLoop {
		v.pos -= m.back << 32
		v.jumps -= int32(m.back / length)
	}
}

// rowEnd returns the first place that the voice does not read any more in the row:
// where it leaves it, or where the sound ends; of a row that is longer than a
// position can count, some place further on.
func (v *Voice) rowEnd() int64 {
	return min(v.unrolled(v.sound.loop[1])+guardAfter, v.unrolled(v.sound.frames), v.pos>>32+1<<20)
}

// unrollPiece is how many frames are written out at a time.
const unrollPiece = 1<<maxOctaves + 64

// mixUnrolled adds as many frames as one piece serves.
func (v *Voice) mixUnrolled(dst []pcm.Frame, g dsp.Ramp) {
	first := v.pos>>32 - guardBefore
	frames := ((v.pos+int64(len(dst)-1)*v.step)>>32 - first) + 1 + guardBefore
	var (
		wide    [2 * (unrollPiece + 3*guardBefore)]float32
		compact [2 * (unrollPiece + 3*guardBefore)]int16
		piece   store
	)
	c := int64(v.sound.channels)
	if from := &v.sound.data; from.compact != nil {
		piece.compact = compact[:frames*c]
		for i := range piece.compact {
			piece.compact[i] = from.compact[v.standsAt(first+int64(i)/c)*c+int64(i)%c]
		}
	} else {
		piece.wide = wide[:frames*c]
		for i := range piece.wide {
			piece.wide[i] = from.wide[v.standsAt(first+int64(i)/c)*c+int64(i)%c]
		}
	}
	v.kernelAt(v.pos).mix(dst, &piece, v.pos-first<<32, v.step, g)
}

// standsAt returns which frame of the store stands at a place of the row.
func (v *Voice) standsAt(at int64) int64 {
	s := v.sound
	switch {
	case at < s.loop[1]:
	case at < v.unrolled(s.loop[1]):
		at = s.loop[0] + (at-s.loop[1])%(s.loop[1]-s.loop[0])
	default:
		at -= v.unrolled(0)
	}
	return min(max(at+guardBefore, 0), s.frames+guardBefore+guardAfter-1)
}
