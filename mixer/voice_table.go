package mixer

import "voicepool/pool"

// voiceTable holds the living voices: slots, followed by virtual voices from index base on. The voices
// themselves are in their records and stay there when their index changes.
type voiceTable struct {
	slots        *pool.Pool[*slot]
	virtuals     *pool.Pool[*slot] // voices that are not mixed
	base         int               // index of the first virtual voice
	realVoices   []realVoice       // the real voices, see real
	realIndex    []int32           // by slot: the position in realVoices, from 1; 0: absent
	staleReal    int               // the number of realVoices that have left their slots
	missingReal  bool              // a real voice is missing in realVoices
	lag          virtualLag
	newPlayheads []int64      // by index: positions in the sounds, in frames
	order        *outputOrder // nil with one output: then voices are ordered by slot

	hiddenIndex           int // the index of a voice that already counts as gone, see admit; or -1
	finite                int // the number of virtual voices that have an end
	maxFinite, maxEndless int // the maximum numbers of finite and endless virtual voices
}

// realVoice is a real voice and its index.
type realVoice struct {
	slot  *slot
	index int
}

// newVoiceTable returns an empty table for the configuration c, whose defaults are filled in. outputs is the number
// of outputs. It allocates room for all voices. It fails only if a pool of voices cannot be made.
func newVoiceTable(c *Config, outputs int) (voiceTable, error) {
	n := c.MaxVoices + c.maxVirtual()
	r := voiceTable{
		base: c.MaxVoices, realVoices: make([]realVoice, 0, c.MaxVoices), realIndex: make([]int32, c.MaxVoices), lag: newVirtualLag(c.maxVirtual()), newPlayheads: make([]int64, n),
		maxFinite: c.Virtual, maxEndless: c.maxVirtualEndless, hiddenIndex: -1,
	}
	var err error
	if r.slots, err = pool.New[*slot](pool.Config[*slot]{Size: c.Voices, Max: c.MaxVoices}); err != nil {
		return r, err
	}
	if outputs > 1 {
		if r.order, err = newOutputOrder(outputs, c.MaxVoices); err != nil {
			return r, err
		}
	}
	r.virtuals, err = pool.New[*slot](pool.Config[*slot]{Size: c.maxVirtual()})
	return r, err
}

// at returns the voice at index i, which must be in use. The position of a virtual voice may lag behind the current
// frame; use audio.current if it matters.
func (r *voiceTable) at(i int) *slot {
	if i < r.base {
		return *r.slots.At(i)
	}
	return *r.virtuals.At(i - r.base)
}

// put stores s as the voice at index i, which must be in use, and replaces the voice there. A virtual voice must be
// up to date at the current frame.
func (r *voiceTable) put(i int, s *slot) {
	if i < r.base {
		*r.slots.At(i) = s
		if at := r.realIndex[i]; at > 0 {
			r.realVoices[at-1].slot = s
		}
		return
	}
	*r.virtuals.At(i - r.base) = s
	r.lag.put(i - r.base)
}

// next returns the first index in use that is i or higher. Slots come before virtual voices. It returns -1 after the
// last voice.
func (r *voiceTable) next(i int) int {
	if i < r.base {
		if j := r.slots.Next(i); j >= 0 {
			return j
		}
		i = r.base
	}
	if j := r.virtuals.Next(i - r.base); j >= 0 {
		return r.base + j
	}
	return -1
}

// real returns all voices in slots with their indices. They are in the order of slots or, with several outputs, by
// output and rank. The list is cached: it is built again if voices have joined or left. It is valid until a voice
// gets or loses a slot.
func (r *voiceTable) real() []realVoice {
	if r.staleReal > 0 || r.missingReal { // not needed if a start took the slot of a voice that left
		clear(r.realIndex)
		r.realVoices, r.staleReal, r.missingReal = r.realVoices[:0], 0, false
		for i, place := r.nextInOrder(0); i >= 0 && i < r.base; i, place = r.nextInOrder(place) {
			r.realVoices = append(r.realVoices, realVoice{r.at(i), i})
			r.realIndex[i] = int32(len(r.realVoices))
		}
	}
	return r.realVoices
}

// allocSlot puts the voice s into a free slot and returns the index of the slot. output is the index of the output of
// s. With several outputs the slot also gets a rank there. It panics without a free slot.
func (r *voiceTable) allocSlot(output int, s *slot) int {
	i := r.alloc(r.slots, 0, s)
	r.assignRank(i, output)
	return i
}

// allocVirtual puts s into a free place for virtual voices and returns the index of s. endless is true if s does not
// end by itself; finite voices are counted in r.finite. It panics without a free place.
func (r *voiceTable) allocVirtual(endless bool, s *slot) int {
	r.finite += boolInt(!endless)
	return r.alloc(r.virtuals, r.base, s)
}

// alloc puts the voice s into a free place of the pool p and returns the index of s in the table. base is the index
// of the first place of p: 0 for slots, r.base for virtual voices. The cached list of real voices is marked as
// outdated if necessary. alloc panics if p is full.
func (r *voiceTable) alloc(p *pool.Pool[*slot], base int, s *slot) int {
	handle, _, ok := p.Acquire()
	if !ok {
		panic("mixer: no free voice after one was made free")
	}
	i := base + handle.Slot()
	if i < r.base {
		if r.realIndex[i] > 0 {
			r.staleReal--
		} else {
			r.missingReal = true
		}
	}
	r.put(i, s)
	return i
}

// release removes the voice at index i from the table and frees the index. A slot also loses its rank. The voice must
// still be in the table when release is called.
func (r *voiceTable) release(i int) {
	if i < r.base {
		r.staleReal += boolInt(r.realIndex[i] > 0)
		r.releaseRank(i)
		r.slots.Release(r.slots.HandleAt(i))
	} else {
		r.finite -= boolInt(!r.at(i).endless)
		r.virtuals.Release(r.virtuals.HandleAt(i - r.base))
	}
}

// free reports whether there is a free slot. A slot whose voice hideFromChoice has hidden counts as free.
func (r *voiceTable) free() bool {
	return r.slots.Len()-boolInt(r.hiddenIndex >= 0 && r.hiddenIndex < r.base) < r.slots.Limit()
}

// virtualCounts returns the number of all virtual voices, and the number of finite virtual voices, which end by
// themselves. A voice that hideFromChoice has hidden does not count.
func (r *voiceTable) virtualCounts() (all, finite int) {
	all, finite = r.virtuals.Len(), r.finite
	if r.hiddenIndex >= r.base {
		return all - 1, finite - boolInt(!r.at(r.hiddenIndex).endless)
	}
	return all, finite
}

// hasCapacity reports whether one kind of virtual voices is below its own maximum: endless voices if endless is true,
// otherwise finite voices. It does not check the sum of both kinds, see canHide. If virtual voices have changed their
// kind, the sum may be at its maximum already.
func (r *voiceTable) hasCapacity(endless bool) bool {
	all, finite := r.virtualCounts()
	if endless {
		return all-finite < r.maxEndless
	}
	return finite < r.maxFinite
}

// canHide reports whether one more voice may become virtual. endless is its kind. The kind must be below its own
// maximum, and there must be a free place for virtual voices.
func (r *voiceTable) canHide(endless bool) bool {
	all, _ := r.virtualCounts()
	return r.hasCapacity(endless) && all < r.virtuals.Limit()
}
