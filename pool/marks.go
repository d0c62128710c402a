package pool

import "math/bits"

// marks is a set of indices: a bit for each index, and a bit for each word that is not zero. So the next
// member is found without a search through empty words.
//
// It contains the indices of all active entries and of some that were released. A search removes those, so a release
// does not touch the set, and an entry that is acquired again stays in it.
type marks struct {
	words []uint64
	above []uint64 // bit w%64 of above[w/64]: words[w] is not 0
}

// newMarks returns an empty set of indices below n.
func newMarks(n int) marks {
	words := (n + 63) / 64
	return marks{make([]uint64, words), make([]uint64, (words+63)/64)}
}

// extend makes room for indices below n, which is at least the present room. It keeps the members.
func (m *marks) extend(n int) {
	more := newMarks(n)
	copy(more.words, m.words)
	copy(more.above, m.above)
	*m = more
}

// add adds an index, which may already be a member and must be below the room.
func (m *marks) add(index uint64) {
	w := index / 64
	m.words[w] |= 1 << (index % 64)
	m.above[w/64] |= 1 << (w % 64)
}

// remove removes an index from the set.
func (m *marks) remove(index int) {
	w := index / 64
	m.words[w] &^= 1 << (index % 64)
	if m.words[w] == 0 {
		m.above[w/64] &^= 1 << (w % 64)
	}
}

// next returns the first member at or after index, or 0. index is not negative, and 0 is never a member.
func (m *marks) next(index int) int {
	w := index / 64
	if w >= len(m.words) {
		return 0
	}
	if word := m.words[w] >> (index % 64); word != 0 {
		return index + bits.TrailingZeros64(word)
	}
	w++
	i := w / 64
	if i >= len(m.above) {
		return 0
	}
	some := m.above[i] >> (w % 64) << (w % 64)
	for some == 0 {
		if i++; i == len(m.above) {
			return 0
		}
		some = m.above[i]
	}
	w = i*64 + bits.TrailingZeros64(some)
	return w*64 + bits.TrailingZeros64(m.words[w])
}
