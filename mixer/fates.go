package mixer

import "voicepool/pool"

// fate remembers a finished start after its record was reused.
type fate struct {
	id       pool.Handle
	number   uint64
	tag      uint64
	position int64
	before   uint32 // the number of the previous fate with the same hash
	state    State
}

// fates remembers the last finished starts, found by their handles. Fates are numbered from 1; fate i is
// at index i modulo the length. Control side, under the mutex.
type fates struct {
	all   []fate
	heads []uint32 // by hash of the handle: the number of the last fate
	told  uint32   // the number of the last fate
	full  bool     // the ring has wrapped around
	most  int      // the maximum length
}

// leastFates is the initial length.
const leastFates = 32

// add returns the next fate, for the start id. It replaces the oldest one if the ring is full. The caller
// sets the remaining fields.
func (f *fates) add(id pool.Handle) *fate {
	if f.kept() == len(f.all) && len(f.all) < f.most {
		f.grow()
	}
	f.told++
	f.full = f.full || int(f.told) == len(f.all)
	x := &f.all[f.told&uint32(len(f.all)-1)]
	head := f.head(id)
	x.id, x.before, *head = id, *head, f.told
	return x
}

func (f *fates) head(id pool.Handle) *uint32 {
	const golden = 0x9e3779b97f4a7c15
	return &f.heads[uint64(id)*golden>>32&uint64(len(f.heads)-1)]
}

// kept returns the number of fates.
func (f *fates) kept() int {
	if f.full {
		return len(f.all)
	}
	return int(f.told)
}

// grow doubles the length. Control side.
func (f *fates) grow() {
	size := max(2*len(f.all), leastFates)
	old := f.all // the ring has not wrapped, otherwise it would not grow
	*f = fates{all: make([]fate, size), heads: make([]uint32, size), most: f.most}
	for i := range old {
		was := &old[(i+1)&(len(old)-1)]
		x := f.add(was.id)
		x.state, x.number, x.tag, x.position = was.state, was.number, was.tag, was.position
	}
}

// of returns the fate of a start, or zero if it is forgotten.
func (f *fates) of(id pool.Handle) fate {
	if len(f.all) == 0 {
		return fate{}
	}
	for n := *f.head(id); f.told-n < uint32(f.kept()); { // stops at a fate that was overwritten or never existed
		x := &f.all[n&uint32(len(f.all)-1)]
		if x.id == id {
			return *x
		}
		n = x.before
	}
	return fate{}
}
