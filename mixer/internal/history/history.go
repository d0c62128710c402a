// Package history remembers the last finished starts of voices by their handles, so that a handle still has a
// state and a position after the record of its start was reused.
package history

import "voicepool/pool"

// Entry describes a finished start.
type Entry struct {
	ID       pool.Handle
	Number   uint64 // of the voice, see mixer.Event
	Tag      uint64 // mixer.Options.Tag
	Position int64  // the last position, in frames of the sound
	State    uint8  // the last mixer.State
	previous uint32 // the number of the previous start with the same hash
}

// History remembers the last finished starts. Finished starts are numbered from 1; number i is at index i modulo
// the length. It is not safe for concurrent use.
type History struct {
	entries []Entry
	heads   []uint32 // by hash of the handle: the number of the last start
	count   uint32   // the number of the last start
	full    bool     // the ring has wrapped around
	maxLen  int      // it no longer grows from this length on
}

// minLen is the initial length.
const minLen = 32

// New returns a history that remembers the last maxLen starts, rounded up to a power of two and at least 32. maxLen
// is at least 1. New does not allocate; Add does.
func New(maxLen int) History { return History{maxLen: maxLen} }

// Add adds an entry for the finished start with the handle id and returns the entry. At the full length the entry
// replaces the oldest entry; before that, the history may grow. The caller must set Number, Tag, Position and State,
// because they still have the values of a replaced entry.
func (h *History) Add(id pool.Handle) *Entry {
	if h.len() == len(h.entries) && len(h.entries) < h.maxLen {
		h.grow()
	}
	h.count++
	h.full = h.full || int(h.count) == len(h.entries)
	x := &h.entries[h.count&uint32(len(h.entries)-1)]
	head := h.head(id)
	x.ID, x.previous, *head = id, *head, h.count
	return x
}

// head returns a pointer to the number of the last start whose handle has the same hash as id. Without such a start
// the number is 0. The number may belong to an entry that was replaced since.
func (h *History) head(id pool.Handle) *uint32 {
	const golden = 0x9e3779b97f4a7c15
	return &h.heads[uint64(id)*golden>>32&uint64(len(h.heads)-1)]
}

// len returns the number of remembered starts.
func (h *History) len() int {
	if h.full {
		return len(h.entries)
	}
	return int(h.count)
}

// grow doubles the number of entries that h can hold, or allocates the first entries. All entries are kept. The ring
// must be full, and no entry may have been replaced yet.
func (h *History) grow() {
	size := max(2*len(h.entries), minLen)
	old := h.entries // the ring has not wrapped, otherwise it would not grow
	*h = History{entries: make([]Entry, size), heads: make([]uint32, size), maxLen: h.maxLen}
	for i := range old {
		from := &old[(i+1)&(len(old)-1)]
		x := h.Add(from.ID)
		x.State, x.Number, x.Tag, x.Position = from.State, from.Number, from.Tag, from.Position
	}
}

// Find returns the entry of the start with the handle id. It returns the zero value if the start was never added or
// its entry has been replaced.
func (h *History) Find(id pool.Handle) Entry {
	if len(h.entries) == 0 {
		return Entry{}
	}
	for n := *h.head(id); h.count-n < uint32(h.len()); { // stops at an entry that was overwritten or never existed
		x := &h.entries[n&uint32(len(h.entries)-1)]
		if x.ID == id {
			return *x
		}
		n = x.previous
	}
	return Entry{}
}
