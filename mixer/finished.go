package mixer

import "voicepool/pool"

// finishedStart remembers a finished start after its record was reused.
type finishedStart struct {
	id       pool.Handle
	number   uint64
	tag      uint64
	position int64
	previous uint32 // the number of the previous start with the same hash
	state    State
}

// finishedStarts remembers the last finished starts, found by their handles. Finished starts are numbered from 1;
// number i is at index i modulo the length. Control side, under the mutex.
type finishedStarts struct {
	all    []finishedStart
	heads  []uint32 // by hash of the handle: the number of the last start
	count  uint32   // the number of the last start
	full   bool     // the ring has wrapped around
	maxLen int      // the maximum length
}

// minFinished is the initial length.
const minFinished = 32

// add returns the next entry, for the start id. It replaces the oldest one if the ring is full. The caller
// sets the remaining fields.
func (f *finishedStarts) add(id pool.Handle) *finishedStart {
	if f.len() == len(f.all) && len(f.all) < f.maxLen {
		f.grow()
	}
	f.count++
	f.full = f.full || int(f.count) == len(f.all)
	x := &f.all[f.count&uint32(len(f.all)-1)]
	head := f.head(id)
	x.id, x.previous, *head = id, *head, f.count
	return x
}

// head returns a pointer to the number of the last start with the same hash as id; 0: no start yet.
func (f *finishedStarts) head(id pool.Handle) *uint32 {
	const golden = 0x9e3779b97f4a7c15
	return &f.heads[uint64(id)*golden>>32&uint64(len(f.heads)-1)]
}

// len returns the number of entries.
func (f *finishedStarts) len() int {
	if f.full {
		return len(f.all)
	}
	return int(f.count)
}

// grow doubles the length. Control side.
func (f *finishedStarts) grow() {
	size := max(2*len(f.all), minFinished)
	old := f.all // the ring has not wrapped, otherwise it would not grow
	*f = finishedStarts{all: make([]finishedStart, size), heads: make([]uint32, size), maxLen: f.maxLen}
	for i := range old {
		from := &old[(i+1)&(len(old)-1)]
		x := f.add(from.id)
		x.state, x.number, x.tag, x.position = from.state, from.number, from.tag, from.position
	}
}

// find returns the entry of a start, or zero if it is forgotten.
func (f *finishedStarts) find(id pool.Handle) finishedStart {
	if len(f.all) == 0 {
		return finishedStart{}
	}
	for n := *f.head(id); f.count-n < uint32(f.len()); { // stops at an entry that was overwritten or never existed
		x := &f.all[n&uint32(len(f.all)-1)]
		if x.id == id {
			return *x
		}
		n = x.previous
	}
	return finishedStart{}
}
