package mixer

import "math"

// Starts split a block into stretches. In most of them thousands of virtual voices only move on at a constant
// step. So a virtual voice may lag: its place is brought up to the present frame at the end of the block,
// before anything reads or changes it, and in the stretch in which its step may change or its sound may end.

// lagGroup is how many virtual voices share an entry of lags.calm and lags.due.
const lagGroup = 16

// lags holds how far virtual voices have been passed, by index from base on.
type lags struct {
	now    *int64
	passed []uint32       // by voice: the low bits of the frame up to which it has been passed
	steady []uint32       // by voice: for how many frames from there it moves on at a constant step
	calm   []int64        // by group: the first frame at which one of its voices may do something else
	due    []int64        // by group: the first frame at which one of its scores may change
	passes [lagGroup]seat // the voices of a group that are passed in a stretch
}

func newLags(virtual int) lags {
	groups := (virtual + lagGroup - 1) / lagGroup
	l := lags{passed: make([]uint32, virtual), steady: make([]uint32, virtual), calm: make([]int64, groups), due: make([]int64, groups)}
	for g := range groups {
		l.calm[g], l.due[g] = never, never
	}
	return l
}

// put notes that a voice that is up to date has an index from now on.
func (l *lags) put(j int) {
	l.passed[j] = uint32(*l.now)
	l.touch(j)
}

// touch notes that a voice may change.
func (l *lags) touch(j int) { l.steady[j], l.calm[j/lagGroup] = 0, 0 }

// at returns the voice of an index, up to date, for a caller that may change it.
func (a *audio) at(i int) *slot {
	s := a.present(i)
	if i >= a.base {
		a.lags.touch(i - a.base)
	}
	return s
}

// present returns the voice of an index, up to date, for a caller that does not change it.
func (a *audio) present(i int) *slot {
	s := a.roster.at(i)
	if i >= a.base {
		a.catchUp(i-a.base, s)
	}
	return s
}

// catchUp passes a virtual voice to the present frame.
func (a *audio) catchUp(j int, s *slot) {
	l := &a.lags
	lag := int64(int32(uint32(a.now) - l.passed[j]))
	if lag <= 0 { // negative: the stretch that ends is not over for all
		return
	}
	if s.paused == 0 {
		s.voice.Skip(lag, a.now-lag)
	}
	l.passed[j] = uint32(a.now)
	l.steady[j] -= uint32(min(lag, int64(l.steady[j])))
}

// mixVirtual passes the virtual voices that may do something else within n frames than move on at a constant
// step. The others lag.
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
			steady = max(min(steady, v.slot.voice.SteadyFor(), v.slot.endAt-1-a.now-n), 0)
		}
		j := v.index - a.base
		l.passed[j], l.steady[j] = uint32(a.now+n), uint32(steady)
		calm = min(calm, a.now+n+steady)
	}
	l.calm[g] = calm
}

// lagGroups returns how many groups have ever had a voice.
func (a *audio) lagGroups() int { return (a.scores.used + lagGroup - 1) / lagGroup }

// followVirtual computes the scores of virtual voices that may have changed, all of them if a bus has shifted.
func (a *audio) followVirtual(shifted bool) {
	if shifted {
		for j := a.virtuals.Next(0); j >= 0; j = a.virtuals.Next(j + 1) {
			a.renew(a.base+j, a.present(a.base+j), true)
		}
		return
	}
	if a.now < a.due.virtual {
		return
	}
	a.due.virtual = never
	used := a.scores.holds[a.base : a.base+a.scores.used]
	for g, due := range a.lags.due[:a.lagGroups()] {
		if due <= a.now {
			due = never
			from := g * lagGroup
			for j, holds := range used[from:min(from+lagGroup, len(used))] {
				if holds <= a.now {
					i := a.base + from + j
					a.renew(i, a.present(i), false)
					holds = a.scores.holds[i]
				}
				due = min(due, holds)
			}
			a.lags.due[g] = due
		}
		a.due.virtual = min(a.due.virtual, due)
	}
}
