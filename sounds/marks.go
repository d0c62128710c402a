package sounds

import (
	"sort"
	"sync"
)

// maxMarks bounds how many places of a file are remembered.
const maxMarks = 2048

// mark is a place of a file where a decoder can begin.
type mark struct {
	frame int64 // of sound, which it gives first
	at    int64 // in bytes

	packets, data int64 // of MP3: how many frames of it, and bytes of their data, are before

	// Of Ogg: where the stream begins, which it is, how many frames are before
	// it, and the number of the page.
	link, before     int64
	serial, sequence uint32
}

// marks are the places that have been found so far, in order, not too dense.
// The zero value is empty; any goroutine.
type marks struct {
	mu     sync.Mutex
	list   []mark
	stride int64 // frames between two of them, at least; 0 means 1<<14
}

// add keeps a mark, unless it is too near to those that are there.
func (m *marks) add(x mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stride == 0 {
		m.stride = 1 << 14
	}
	if n := len(m.list); n > 0 && x.frame < m.list[n-1].frame+m.stride {
		return
	}
	m.list = append(m.list, x)
	if len(m.list) < maxMarks {
		return
	}
	for i := range maxMarks / 2 {
		m.list[i] = m.list[2*i]
	}
	m.list = m.list[:maxMarks/2]
	m.stride *= 2
}

// last returns the last mark for which before says true; it does so for those
// up to one of them.
func (m *marks) last(before func(mark) bool) (mark, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := sort.Search(len(m.list), func(i int) bool { return !before(m.list[i]) })
	if i == 0 {
		return mark{}, false
	}
	return m.list[i-1], true
}
