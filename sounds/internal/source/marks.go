package source

import (
	"sort"
	"sync"
)

// maxMarks bounds how many places of a file are remembered.
const maxMarks = 2048

// Mark is a place of a file where a decoder can begin.
type Mark struct {
	Frame int64 // of sound, which it gives first
	At    int64 // in bytes

	Packets, Data int64 // of MP3: how many frames of it, and bytes of their data, are before

	// Of Ogg: where the stream begins, which it is, how many frames are before
	// it, and the number of the page.
	Link, Before     int64
	Serial, Sequence uint32
}

// Marks are the places that have been found so far, in order, not too dense.
// The zero value is empty; any goroutine.
type Marks struct {
	mu     sync.Mutex
	list   []Mark
	Stride int64 // frames between two of them, at least; 0 means 1<<14
}

// Add keeps a mark, unless it is too near to those that are there.
func (m *Marks) Add(x Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Stride == 0 {
		m.Stride = 1 << 14
	}
	if n := len(m.list); n > 0 && x.Frame < m.list[n-1].Frame+m.Stride {
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
	m.Stride *= 2
}

// Last returns the last mark for which before says true, which it does for those up to
// one of them, or start where it says so of none.
func (m *Marks) Last(start Mark, before func(Mark) bool) Mark {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := sort.Search(len(m.list), func(i int) bool { return !before(m.list[i]) })
	if i == 0 {
		return start
	}
	return m.list[i-1]
}
