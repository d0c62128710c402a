package voice

import (
	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// SetRounds has the voice play its loop so often, counted as Options.Rounds: the round that
// is under way is the first. 0 or less: until it is released. A voice beyond the end of its
// loop plays on. It moves nothing that is heard, and no stream.
func (v *Voice) SetRounds(rounds int32) {
	if v.feed != nil {
		return
	}
	size, to := v.sound.loop.Frames(), v.sound.loop[1]
	switch at := v.pos >> 32; {
	case size <= 0 || !v.Looping() && at >= to || v.unrolls() && at >= v.unrolled(to):
		return
	case rounds > 0 && at >= to: // in the seam, some rounds have been begun
		v.jumps = rounds + int32((at-to)/size)
	default:
		v.jumps = max(rounds, 0) - 1
	}
	v.loop, v.steady.left = v.jumps != 0, 0
	v.wrap()
	v.stale()
}

// Returns reports whether a voice that loops is not in its last round yet.
func (v *Voice) Returns() bool { return v.Looping() && v.jumps != 0 }

// SeekTo goes to a frame of the sound, from silence up over some frames. A stream
// goes on with what another feed brings.
func (v *Voice) SeekTo(frame, to, fade int64, feed *Feed) {
	end := v.sound.loop[1]
	if at := v.pos >> 32; v.Looping() && v.jumps >= 0 && at >= end { // some rounds have been begun
		v.jumps = max(v.jumps-int32((at-end)/v.sound.loop.Frames())-1, 0)
		v.loop = v.jumps > 0
	}
	v.pos, v.again, v.now = to<<32, false, reader{}
	if v.feed != nil {
		v.feed.Drop()
		v.leaveFeeds()
		v.feed, v.pos, v.heard, v.waits = feed, 0, 0, true
	}
	if v.filter != nil {
		v.filter.stale = true
	}
	v.wrap()
	v.Return(frame, fade)
}

// seam is the neighbourhood of a loop's end, laid out as the ear hears it: what
// stands before the end, then the loop's beginning again. A voice that loops
// leaves the samples at from, goes on in the seam, and at wrap goes back by
// back frames, where the same samples stand around it. So no kernel knows of
// loops, and a seam is exact at any pitch and under any interpolation.
type seam struct {
	data store // interleaved; its frame 0 is the sound's frame from-guardBefore
	from int64 // positions from here on are read from data
	wrap int64 // the first position that is no longer read
	back int64 // a whole number of loop lengths
}

// shortLoop is the length in frames under which a loop is repeated within its
// seam, so that a block has a bounded number of wraps.
const shortLoop = 64

func newSeam(s *Sound) seam {
	length := s.loop.Frames()
	if length <= 0 {
		return seam{}
	}
	m := seam{
		from: max(s.loop[1]-guardAfter, 0),
		wrap: s.loop[1] + guardBefore,
		back: length,
	}
	if length < shortLoop {
		m.back = (shortLoop + length - 1) / length * length
		m.wrap += m.back
	}
	first := m.from - guardBefore
	c := int64(s.channels)
	m.data = s.data.gather((m.wrap+guardAfter-first)*c, func(i int64) int64 {
		return (s.loop.At(first+i/c)+guardBefore)*c + i%c
	})
	return m
}

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

// rewind takes rounds that are over out of the row, and leaves it after the last.
func (v *Voice) rewind() {
	m, length := &v.sound.seam, v.sound.loop.Frames()
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

// rowEnd returns where the voice leaves the row, or the sound ends; of a row that is
// longer than a position can count, some place further on.
func (v *Voice) rowEnd() int64 {
	return min(v.unrolled(v.sound.loop[1])+guardAfter, v.unrolled(v.sound.frames), v.pos>>32+1<<20)
}

// Endless reports whether the voice never comes to an end by itself: it repeats its loop
// until it is released, or it is a stream that does so, or one whose length nobody knows.
func (v *Voice) Endless() bool {
	switch {
	case v.out.out:
		return false
	case v.next != nil: // what it is going to be
		return v.next.course.endless()
	case v.feed != nil:
		return v.feed.course.endless() || v.sound.frames == 0
	}
	return v.jumps < 0 && v.Looping()
}
