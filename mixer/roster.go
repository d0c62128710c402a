package mixer

import "voicepool/pool"

// roster is the voice table: slots, followed by virtual voices from index base on. The voices themselves
// are in their records and stay there when their index changes.
type roster struct {
	slots    *pool.Pool[*slot]
	virtuals *pool.Pool[*slot] // voices that are not mixed
	base     int               // index of the first virtual voice
	seats    []seat            // the real voices, see real
	listed   []int32           // by slot: the position in seats, from 1; 0: absent
	gone     int               // the number of seats without a real voice
	arrived  bool              // a real voice is missing in seats
	lags     lags
	reached  []int64 // by index: positions in the sounds, in frames
	ranks    *ranks  // nil with one output: then voices are ordered by slot

	leaving                 int // the index of a voice that already counts as gone, see admit; or -1
	finite                  int // the number of virtual voices that have an end
	finiteMost, endlessMost int // the maximum numbers of finite and endless virtual voices
}

// seat is a real voice and its index.
type seat struct {
	slot  *slot
	index int
}

func newRoster(c *Config, outputs int) (roster, error) {
	n := c.MaxVoices + c.maxVirtual()
	r := roster{
		base: c.MaxVoices, seats: make([]seat, 0, c.MaxVoices), listed: make([]int32, c.MaxVoices), lags: newLags(c.maxVirtual()), reached: make([]int64, n),
		finiteMost: c.Virtual, endlessMost: c.endless, leaving: -1,
	}
	var err error
	if r.slots, err = pool.New[*slot](pool.Config[*slot]{Size: c.Voices, Max: c.MaxVoices}); err != nil {
		return r, err
	}
	if outputs > 1 {
		if r.ranks, err = newRanks(outputs, c.MaxVoices); err != nil {
			return r, err
		}
	}
	r.virtuals, err = pool.New[*slot](pool.Config[*slot]{Size: c.maxVirtual()})
	return r, err
}

// at returns the voice at an index.
func (r *roster) at(i int) *slot {
	if i < r.base {
		return *r.slots.At(i)
	}
	return *r.virtuals.At(i - r.base)
}

// put sets the voice at an index that is in use.
func (r *roster) put(i int, s *slot) {
	if i < r.base {
		*r.slots.At(i) = s
		if at := r.listed[i]; at > 0 {
			r.seats[at-1].slot = s
		}
		return
	}
	*r.virtuals.At(i - r.base) = s
	r.lags.put(i - r.base)
}

// next returns the first used index at or after i, or -1.
func (r *roster) next(i int) int {
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

// real returns the voices in slots in the order of indices, or by output and rank with several outputs.
// The list is valid until a voice gets or loses a slot.
func (r *roster) real() []seat {
	if r.gone > 0 || r.arrived { // not needed if a start took the slot of a voice that left
		clear(r.listed)
		r.seats, r.gone, r.arrived = r.seats[:0], 0, false
		for i, place := r.after(0); i >= 0 && i < r.base; i, place = r.after(place) {
			r.seats = append(r.seats, seat{r.at(i), i})
			r.listed[i] = int32(len(r.seats))
		}
	}
	return r.seats
}

// takeSlot and takeVirtual assign a free index to a voice and panic without one. takeSlot also takes the
// output of the voice.
func (r *roster) takeSlot(output int, s *slot) int {
	i := r.take(r.slots, 0, s)
	r.rank(i, output)
	return i
}

func (r *roster) takeVirtual(endless bool, s *slot) int {
	r.finite += boolInt(!endless)
	return r.take(r.virtuals, r.base, s)
}

func (r *roster) take(p *pool.Pool[*slot], base int, s *slot) int {
	handle, _, ok := p.Acquire()
	if !ok {
		panic("mixer: no free voice after one was made free")
	}
	i := base + handle.Slot()
	if i < r.base {
		if r.listed[i] > 0 {
			r.gone--
		} else {
			r.arrived = true
		}
	}
	r.put(i, s)
	return i
}

// release frees an index.
func (r *roster) release(i int) {
	if i < r.base {
		r.gone += boolInt(r.listed[i] > 0)
		r.unrank(i)
		r.slots.Release(r.slots.HandleAt(i))
	} else {
		r.finite -= boolInt(!r.at(i).endless)
		r.virtuals.Release(r.virtuals.HandleAt(i - r.base))
	}
}

// free reports whether there is a free slot.
func (r *roster) free() bool {
	return r.slots.Len()-boolInt(r.leaving >= 0 && r.leaving < r.base) < r.slots.Limit()
}

// virtualCounts returns the number of virtual voices, and the number of those with an end.
func (r *roster) virtualCounts() (all, finite int) {
	all, finite = r.virtuals.Len(), r.finite
	if r.leaving >= r.base {
		return all - 1, finite - boolInt(!r.at(r.leaving).endless)
	}
	return all, finite
}

// below reports whether there are fewer virtual voices of a kind than the maximum. hides reports whether
// one more voice of the kind may become virtual. The two differ if virtual voices have changed their
// kind.
func (r *roster) below(endless bool) bool {
	all, finite := r.virtualCounts()
	if endless {
		return all-finite < r.endlessMost
	}
	return finite < r.finiteMost
}

func (r *roster) hides(endless bool) bool {
	all, _ := r.virtualCounts()
	return r.below(endless) && all < r.virtuals.Limit()
}
