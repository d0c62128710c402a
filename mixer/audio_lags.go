package mixer

import "math"

// Starts split a block into stretches. In most stretches thousands of virtual voices only advance at a
// constant step. So a virtual voice may lag behind: its position is updated at the end of the block, and
// before it is read or changed. It is also updated in a stretch that may change its step or end its
// sound.

// lagGroup is the number of virtual voices that share an entry of lags.calm and of groupsDue.
const lagGroup = 16

// lags holds how far virtual voices have advanced, by index minus base.
type lags struct {
	now    *int64
	passed []uint32       // by voice: the low bits of the frame up to which it has advanced
	steady []uint32       // by voice: for how many frames from there its step is constant
	calm   []int64        // by group: the first frame at which a voice may need more than a constant step
	passes [lagGroup]seat // the voices of a group that advance in a stretch
}

func newLags(virtual int) lags {
	groups := (virtual + lagGroup - 1) / lagGroup
	l := lags{passed: make([]uint32, virtual), steady: make([]uint32, virtual), calm: make([]int64, groups)}
	for g := range groups {
		l.calm[g] = never
	}
	return l
}

// put records that an up-to-date voice has a new index.
func (l *lags) put(j int) {
	l.passed[j] = uint32(*l.now)
	l.touch(j)
}

// touch records that a voice may change.
func (l *lags) touch(j int) { l.steady[j], l.calm[j/lagGroup] = 0, 0 }

// at returns the voice at an index, up to date, for a caller that may change it.
func (a *audio) at(i int) *slot {
	s := a.present(i)
	if i >= a.base {
		a.lags.touch(i - a.base)
	}
	return s
}

// present returns the voice at an index, up to date, for a caller that does not change it.
func (a *audio) present(i int) *slot {
	s := a.roster.at(i)
	if i >= a.base {
		a.catchUp(i-a.base, s)
	}
	return s
}

// catchUp advances a virtual voice to the present frame.
func (a *audio) catchUp(j int, s *slot) {
	l := &a.lags
	lag := int64(int32(uint32(a.now) - l.passed[j]))
	if lag <= 0 { // negative: other voices have not finished this stretch
		return
	}
	if s.paused == 0 {
		s.voice.Skip(lag, a.now-lag)
	}
	l.passed[j] = uint32(a.now)
	l.steady[j] -= uint32(min(lag, int64(l.steady[j])))
}

// mixVirtual advances the virtual voices that may need more than a constant step within n frames. The
// others lag.
func (a *audio) mixVirtual(n int64) {
	l, to := &a.lags, a.now+n
	for g, calm := range l.calm[:a.lagGroups()] {
		if calm < to {
			a.mixGroup(g, n)
		}
	}
}

// mixGroup is mixVirtual for a group.
func (a *audio) mixGroup(g int, n int64) {
	l, calm := &a.lags, int64(never)
	passes := l.passes[:0]
	for j := a.virtuals.Next(g * lagGroup); j >= 0 && j < (g+1)*lagGroup; j = a.virtuals.Next(j + 1) {
		lag := int64(int32(uint32(a.now) - l.passed[j]))
		if steady := int64(l.steady[j]) - lag; steady >= n {
			calm = min(calm, a.now+steady)
			continue
		}
		s := *a.virtuals.At(j)
		a.catchUp(j, s)
		passes = append(passes, seat{s, a.base + j})
	}
	for rest := passes; len(rest) > 0; {
		rest = rest[a.mixFrom(rest, n):]
	}
	for _, v := range passes {
		steady := int64(math.MaxUint32)
		if v.slot.paused == 0 {
			steady = max(min(steady, v.slot.voice.FastFrames(), v.slot.endAt-1-a.now-n), 0)
		}
		j := v.index - a.base
		l.passed[j], l.steady[j] = uint32(a.now+n), uint32(steady)
		calm = min(calm, a.now+n+steady)
	}
	l.calm[g] = calm
}

// lagGroups returns the number of groups that have ever had a voice.
func (a *audio) lagGroups() int { return (a.scores.usedVirtual + lagGroup - 1) / lagGroup }

// refreshAllVirtual computes the scores of all virtual voices.
func (a *audio) refreshAllVirtual() {
	for j := a.virtuals.Next(0); j >= 0; j = a.virtuals.Next(j + 1) {
		a.refreshScore(a.base+j, a.present(a.base+j), true)
	}
}

// refreshVirtual computes the scores of virtual voices that may have changed.
func (a *audio) refreshVirtual() {
	due := &a.due.virtual
	if a.now < due.first {
		return
	}
	due.first = never
	used := a.scores.validUntil[a.base : a.base+a.scores.usedVirtual]
	for g, first := range due.groups[:a.lagGroups()] {
		if first <= a.now {
			first = never
			from := g * lagGroup
			for j, holds := range used[from:min(from+lagGroup, len(used))] {
				if holds <= a.now {
					i := a.base + from + j
					a.refreshScore(i, a.present(i), false)
					holds = a.scores.validUntil[i]
				}
				first = min(first, holds)
			}
			due.groups[g] = first
		}
		due.first = min(due.first, first)
	}
}

// remainingMoving is the remainingClass of virtual voices that move or were moved. The class of other
// voices is their kind: 0 if they have an end, 1 if they are endless.
const remainingMoving = 2

// remainingClass returns the class of a virtual voice for refreshRemainingClass.
func (a *audio) remainingClass(j int) int {
	if a.scores.remainingHolds[j] == 0 {
		return remainingMoving
	}
	return boolInt(a.scores.endless[a.base+j])
}

// refreshRemainingClass computes the scores of the virtual voices of a class whose audibility from now on
// may have changed.
func (a *audio) refreshRemainingClass(class int) {
	due := &a.due.remaining[class]
	if a.now < due.first {
		return
	}
	due.first = never
	for g, first := range due.groups[:a.lagGroups()] {
		if first <= a.now {
			due.groups[g] = never
			for j := g * lagGroup; j < min((g+1)*lagGroup, a.scores.usedVirtual); j++ {
				switch until := a.scores.remainingHolds[j]; {
				case a.remainingClass(j) != class:
				case until <= a.now:
					a.refreshScore(a.base+j, a.present(a.base+j), false) // also schedules the next time
				default:
					due.groups[g] = min(due.groups[g], until)
				}
			}
			first = due.groups[g]
		}
		due.first = min(due.first, first)
	}
}
