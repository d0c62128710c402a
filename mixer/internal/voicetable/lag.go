package voicetable

import "math"

// Starts split a block into parts. In most parts thousands of virtual voices only advance at a constant step. So a
// virtual voice may lag behind: it is advanced at the end of the block, and before it is read or changed. It is also
// advanced in a part of the block that may change its step or end its sound.

// groupSize is the number of virtual voices that share an entry of lag.steadyUntil.
const groupSize = 16

// never is a frame that is not reached.
const never = math.MaxInt64

// lag holds how far virtual voices have advanced, by index minus Table.base.
type lag struct {
	upTo         []uint32 // by voice: the low bits of the first frame that it has not reached
	steadyFrames []uint32 // by voice: for how many frames from there its step is constant
	steadyUntil  []int64  // by group: the first frame where a voice may need more than a constant step
	used         int      // the number of groups up to the last group that has had a voice
}

// newLag returns a lag for the given number of virtual voices, without any voice.
func newLag(virtual int) lag {
	l := lag{upTo: make([]uint32, virtual), steadyFrames: make([]uint32, virtual), steadyUntil: make([]int64, (virtual+groupSize-1)/groupSize)}
	for g := range l.steadyUntil {
		l.steadyUntil[g] = never
	}
	return l
}

// add records that virtual voice j, from 0, is a voice that has advanced up to the frame now, and that its step may
// change.
func (l *lag) add(j int, now int64) {
	l.upTo[j], l.used = uint32(now), max(l.used, j/groupSize+1)
	l.mayChange(j)
}

// mayChange records that the step of virtual voice j, from 0, may change.
func (l *lag) mayChange(j int) { l.steadyFrames[j], l.steadyUntil[j/groupSize] = 0, 0 }

// CatchUp returns by how many frames the virtual voice at index i lags behind the frame now, and records that the voice
// has advanced to now. The caller advances the voice by these frames, unless it is paused. If the result is 0 or less,
// the caller need not advance the voice, and CatchUp does not change t. The result is negative if the voice has already
// been advanced beyond now, to the end of the part of the block being mixed, see SetSteady.
func (t *Table[V]) CatchUp(i int, now int64) (frames int64) {
	l, j := &t.lag, i-t.base
	if frames = int64(int32(uint32(now) - l.upTo[j])); frames > 0 {
		l.upTo[j] = uint32(now)
		l.steadyFrames[j] -= uint32(min(frames, int64(l.steadyFrames[j])))
	}
	return frames
}

// MayChange records that the step of the virtual voice at index i may change. NextDueGroup then returns its group.
func (t *Table[V]) MayChange(i int) { t.lag.mayChange(i - t.base) }

// NextDueGroup returns the number of a group of virtual voices with a voice that may need more than a constant step
// before the frame to. It returns the first such group from number group on; without such a group it returns -1. Begin
// with 0 and continue with the last result + 1. A group has 16 neighbouring indices.
func (t *Table[V]) NextDueGroup(group int, to int64) int {
	for ; group < t.lag.used; group++ {
		if t.lag.steadyUntil[group] < to {
			return group
		}
	}
	return -1
}

// Due returns the virtual voices of a group that must be advanced in the n frames from the frame now on, because their
// step is not known to be constant until then. The caller calls CatchUp for each of them, advances it by the n frames,
// and then calls SetSteady. The result is valid until the next call.
func (t *Table[V]) Due(group int, now, n int64) []Entry[V] {
	l, until, due := &t.lag, int64(never), t.due[:0]
	for j := t.virtuals.Next(group * groupSize); j >= 0 && j < (group+1)*groupSize; j = t.virtuals.Next(j + 1) {
		lag := int64(int32(uint32(now) - l.upTo[j]))
		if steady := int64(l.steadyFrames[j]) - lag; steady >= n {
			until = min(until, now+steady)
			continue
		}
		due = append(due, Entry[V]{*t.virtuals.At(j), t.base + j})
	}
	l.steadyUntil[group] = until
	return due
}

// SetSteady records that the virtual voice at index i, a result of Due, has advanced up to the frame now, and that its
// step is constant for the given number of frames from there on. The number is 0..2^32-1.
func (t *Table[V]) SetSteady(i int, now, frames int64) {
	l, j := &t.lag, i-t.base
	l.upTo[j], l.steadyFrames[j] = uint32(now), uint32(frames)
	l.steadyUntil[j/groupSize] = min(l.steadyUntil[j/groupSize], now+frames)
}
