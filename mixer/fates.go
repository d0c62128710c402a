package mixer

import "voicepool/pool"

// fate is what is left of a start that is over when its record is another's.
type fate struct {
	id       pool.Handle
	number   uint64
	tag      uint64
	position int64
	before   uint32 // the number of the fate before it whose handle falls into the same head
	state    State
}

// fates are those of the last starts that were over, the oldest first, found by their handles.
// They are numbered from 1, and number i stands at i modulo the length. The control side's, under
// the mutex.
type fates struct {
	all   []fate
	heads []uint32 // by a hash of the handle: the number of the last fate there
	told  uint32   // the number of the last fate
	full  bool     // there were as many as all has place for
	most  int
}

// leastFates is how many there is room for at first.
const leastFates = 32

// add returns where the next fate is to be kept, that of id: the oldest one makes room where there are as
// many as there may be. All else of it is to be written.
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

// kept returns how many fates there are.
func (f *fates) kept() int {
	if f.full {
		return len(f.all)
	}
	return int(f.told)
}

// grow doubles the room, as the control side may.
func (f *fates) grow() {
	size := max(2*len(f.all), leastFates)
	old := f.all // all that there ever were: else it would not grow
	*f = fates{all: make([]fate, size), heads: make([]uint32, size), most: f.most}
	for i := range old {
		was := &old[(i+1)&(len(old)-1)]
		x := f.add(was.id)
		x.state, x.number, x.tag, x.position = was.state, was.number, was.tag, was.position
	}
}

// of returns the fate of a start; the zero one: nobody knows it any more.
func (f *fates) of(id pool.Handle) fate {
	if len(f.all) == 0 {
		return fate{}
	}
	for n := *f.head(id); f.told-n < uint32(f.kept()); { // else it is none, or forgotten
		x := &f.all[n&uint32(len(f.all)-1)]
		if x.id == id {
			return *x
		}
		n = x.before
	}
	return fate{}
}
