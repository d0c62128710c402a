package mixer

import "voicepool/pool"

// roster is who lives: the voices of the slots, and from base on the virtual ones. The voices
// themselves are in their records, and stay there when they go from one index to another.
type roster struct {
	slots    *pool.Pool[*slot]
	virtuals *pool.Pool[*slot] // voices that only keep time
	base     int               // their first index: they come after all slots
	seats    []seat            // the real voices, see real
	listed   []int32           // by slot: the place in seats, from 1; 0: none
	gone     int               // how many of seats are real no more
	arrived  bool              // a voice is real that is not in seats
	lags     lags
	reached  []int64 // by index: the frames of their sounds that voices have come to
	ranks    *ranks  // nil: there is one output, and voices come in the order of slots

	leaving                 int // the index of a voice that counts as gone already, see makeRoom; -1: none
	finite                  int // virtual voices that come to an end
	finiteMost, endlessMost int // how many of them there may be, and of the others
}

// seat is a voice and its index.
type seat struct {
	slot  *slot
	index int
}

func newRoster(c *Config, outputs int) (roster, error) {
	n := c.MaxVoices + c.unheard()
	r := roster{
		base: c.MaxVoices, seats: make([]seat, 0, c.MaxVoices), listed: make([]int32, c.MaxVoices), lags: newLags(c.unheard()), reached: make([]int64, n),
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
	r.virtuals, err = pool.New[*slot](pool.Config[*slot]{Size: c.unheard()})
	return r, err
}

// at returns the voice of an index: of a slot, or, from base on, a virtual one.
func (r *roster) at(i int) *slot {
	if i < r.base {
		return *r.slots.At(i)
	}
	return *r.virtuals.At(i - r.base)
}

// put has a voice be at an index, which is taken.
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

// next returns the first index from i on at which a voice lives, or -1.
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

// real returns the voices of slots by index, by output and rank if there are several outputs. The list holds
// until a voice gets or loses a slot.
func (r *roster) real() []seat {
	if r.gone > 0 || r.arrived { // not if a start has taken the slot of the voice that left
		clear(r.listed)
		r.seats, r.gone, r.arrived = r.seats[:0], 0, false
		for i, place := r.after(0); i >= 0 && i < r.base; i, place = r.after(place) {
			r.seats = append(r.seats, seat{r.at(i), i})
			r.listed[i] = int32(len(r.seats))
		}
	}
	return r.seats
}

// takeSlot, for an output, and takeVirtual take a free index for a voice, of which there has to
// be one.
func (r *roster) takeSlot(output int, s *slot) int {
	i := r.take(r.slots, 0, s)
	r.rank(i, output)
	return i
}

func (r *roster) takeVirtual(endless bool, s *slot) int {
	r.finite += one(!endless)
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

// release makes an index free.
func (r *roster) release(i int) {
	if i < r.base {
		r.gone += one(r.listed[i] > 0)
		r.unrank(i)
		r.slots.Release(r.slots.HandleAt(i))
	} else {
		r.finite -= one(!r.at(i).endless)
		r.virtuals.Release(r.virtuals.HandleAt(i - r.base))
	}
}

// free reports whether a slot is.
func (r *roster) free() bool {
	return r.slots.Len()-one(r.leaving >= 0 && r.leaving < r.base) < r.slots.Limit()
}

// unheard returns how many voices are virtual, and how many of them come to an end.
func (r *roster) unheard() (all, finite int) {
	all, finite = r.virtuals.Len(), r.finite
	if r.leaving >= r.base {
		return all - 1, finite - one(!r.at(r.leaving).endless)
	}
	return all, finite
}

// below reports whether there are fewer virtual voices of a kind than there may be, and
// hides whether one more may become virtual. The two differ where voices have become of
// another kind while they were virtual.
func (r *roster) below(endless bool) bool {
	all, finite := r.unheard()
	if endless {
		return all-finite < r.endlessMost
	}
	return finite < r.finiteMost
}

func (r *roster) hides(endless bool) bool {
	all, _ := r.unheard()
	return r.below(endless) && all < r.virtuals.Limit()
}
