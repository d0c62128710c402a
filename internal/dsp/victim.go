package dsp

import "math"

// Weakest is what a choice of victim looks at first, over packed arrays of
// priorities and keys of all slots.
type Weakest struct {
	Candidates int     // slots whose priority is at most the limit
	Prio       int32   // the lowest priority of them
	Key, Next  float32 // the least and the next key of that priority; they may be equal
	Alone      bool    // one slot has that priority: there is no Next
}

// Find looks through the slots of a priority of at most limit. Without
// candidates the rest of the answer means nothing. Keys must be neither negative
// nor NaN; len(key) >= len(prio). It returns nothing, since a result so large would be
// copied, and the copy would wait for each of its parts.
func (w *Weakest) Find(prio []int32, key []float32, limit int32) {
	done, lowest, candidates := fastLowest(prio, limit)
	for _, p := range prio[done:] {
		if p <= limit {
			candidates++
		}
		lowest = min(lowest, p)
	}
	w.Candidates, w.Prio = candidates, lowest
	if candidates == 0 {
		return
	}
	// As bits keys are in the same order, and none is beyond all of them.
	const none = math.MaxUint32
	done, least, next := fastLeast(prio, key, lowest)
	key = key[done:len(prio)]
	for i, p := range prio[done:] {
		if p == lowest {
			k := math.Float32bits(key[i])
			next = min(next, max(least, k))
			least = min(least, k)
		}
	}
	w.Key, w.Next, w.Alone = math.Float32frombits(least), math.Float32frombits(next), next == none
}

// FindKey returns the first slot from a place on that has exactly this priority
// and key, or -1. len(key) >= len(prio).
func FindKey(prio []int32, key []float32, p int32, k float32, from int) int {
	if from >= len(prio) {
		return -1
	}
	prio, key = prio[from:], key[from:len(prio)]
	for i := fastMatch(prio, key, p, k); i < len(prio); i++ {
		if prio[i] == p && key[i] == k {
			return from + i
		}
	}
	return -1
}

// FindEldest returns the slot with the least number of those that have exactly this
// priority and key, or -1. Numbers are below 2^63-1, and no two slots that count have
// the same; len(key) and len(number) >= len(prio).
func FindEldest(prio []int32, key []float32, number []uint64, p int32, k float32) int {
	done, slot, least := fastEldest(prio, key, number, p, k)
	for i := done; i < len(prio); i++ {
		if prio[i] == p && key[i] == k && number[i] < least {
			slot, least = i, number[i]
		}
	}
	return slot
}
