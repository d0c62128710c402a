package dsp

import "math"

// Weakest is the result of the first pass of a victim search over packed arrays of the priorities and keys of
// all slots.
type Weakest struct {
	Candidates int     // slots whose priority is at most the limit
	Prio       int32   // their lowest priority
	Key, Next  float32 // smallest and second smallest key of that priority; they may be equal
	Alone      bool    // only one slot has that priority, and Next is invalid
	At         int     // first slot with Prio and Key
}

// none is above the bits of all keys, which are ordered like the keys.
const none = math.MaxUint32

// Find searches the slots whose priority is at most limit and stores the result in w. Without candidates the
// other fields are undefined. Keys must be neither negative nor NaN; len(key) >= len(prio). The result is in
// the receiver, because the copy of so large a return value would stall.
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

// FindOldest returns the slot with the smallest number among the slots with exactly this priority and key, or
// -1. Numbers are below 2^63-1, and matching slots have different numbers; len(key) and len(number) >=
// len(prio).
func FindOldest(prio []int32, key []float32, number []uint64, p int32, k float32) int {
	done, slot, least := fastOldest(prio, key, number, p, k)
	for i := done; i < len(prio); i++ {
		if prio[i] == p && key[i] == k && number[i] < least {
			slot, least = i, number[i]
		}
	}
	return slot
}
