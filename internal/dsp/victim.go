package dsp

import "math"

// Weakest is what a choice of victim looks at first, over packed arrays of
// priorities and keys of all slots.
type Weakest struct {
	Candidates int     // slots whose priority is at most the limit
	Prio       int32   // the lowest priority of them
	Key, Next  float32 // the least and the next key of that priority; they may be equal
	Alone      bool    // one slot has that priority: there is no Next
	At         int     // the first slot that has Prio and Key
}

// none is beyond the bits of all keys, which as bits are in the same order.
const none = math.MaxUint32

// Find looks through the slots of a priority of at most limit. Without
// candidates the rest of the answer means nothing. Keys must be neither negative
// nor NaN; len(key) >= len(prio). It returns nothing, since a result so large would be
// copied, and the copy would wait for each of its parts.
func (w *Weakest) Find(prio []int32, key []float32, limit int32) {
	done, lowest, candidates, least, next, at := fastWeakest(prio, key, limit)
	for i := done; i < len(prio); i++ {
		p := prio[i]
		if p <= limit {
			candidates++
		}
		if p > min(lowest, limit) {
			continue
		}
		switch k := math.Float32bits(key[i]); {
		case p < lowest:
			lowest, least, next, at = p, k, none, i
		case k < least:
			least, next, at = k, least, i
		default:
			next = min(next, k)
		}
	}
	w.Candidates, w.Prio, w.At = candidates, lowest, at
	w.Key, w.Next, w.Alone = math.Float32frombits(least), math.Float32frombits(next), next == none
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
