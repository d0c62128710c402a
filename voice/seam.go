package voice

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
	length := s.loop[1] - s.loop[0]
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
		p := first + i/c
		if p >= s.loop[1] {
			p = s.loop[0] + (p-s.loop[1])%length
		}
		return (p+guardBefore)*c + i%c
	})
	return m
}
