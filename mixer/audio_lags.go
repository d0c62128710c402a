package mixer

import "math"

// Starts split a block into stretches. In most of them thousands of virtual voices only move on at a constant
// step. So a virtual voice may lag: its place is brought up to the present frame at the end of the block,
// before anything reads or changes it, and in the stretch in which its step may change or its sound may end.

// lagGroup is how many virtual voices share an entry of lags.calm and of groupsDue.
const lagGroup = 16

// lags holds how far virtual voices have been passed, by index from base on.
type lags struct {
	now    *int64
	passed []uint32       // by voice: the low bits of the frame up to which it has been passed
	steady []uint32       // by voice: for how many frames from there it moves on at a constant step
	calm   []int64        // by group: the first frame at which one of its voices may do something else
	passes [lagGroup]seat // the voices of a group that are passed in a stretch
}

func newLags(virtual int) lags {
	groups := (virtual + lagGroup - 1) / lagGroup
	l := lags{passed: make([]uint32, virtual), steady: make([]uint32, virtual), calm: make([]int64, groups)}
	for g := range groups {
		l.calm[g] = never
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

// renewVirtual computes the scores of all virtual voices.
func (a *audio) renewVirtual() {
	for j := a.virtuals.Next(0); j >= 0; j = a.virtuals.Next(j + 1) {
		a.renew(a.base+j, a.present(a.base+j), true)
	}
}

// followVirtual computes the scores of virtual voices that may have changed.
func (a *audio) followVirtual() {
	due := &a.due.virtual
	if a.now < due.first {
		return
	}
	due.first = never
	used := a.scores.holds[a.base : a.base+a.scores.used]
	for g, first := range due.groups[:a.lagGroups()] {
		if first <= a.now {
			first = never
			from := g * lagGroup
			for j, holds := range used[from:min(from+lagGroup, len(used))] {
				if holds <= a.now {
					i := a.base + from + j
					a.renew(i, a.present(i), false)
					holds = a.scores.holds[i]
				}
				first = min(first, holds)
			}
			due.groups[g] = first
		}
		due.first = min(due.first, first)
	}
}

// wholeMoving is the wholeClass of virtual voices that move or have been moved. The others have that of their kind:
// 0 if they end by themselves, 1 if not.
const wholeMoving = 2

// wholeClass returns with which others a virtual voice is looked at by followWholes.
func (a *audio) wholeClass(j int) int {
	if a.scores.wholes[j] == 0 {
		return wholeMoving
	}
	return one(a.scores.endless[a.base+j])
}

// followWholes computes the scores of virtual voices of a class that may be worth something else from now on.
func (a *audio) followWholes(class int) {
	due := &a.due.wholes[class]
	if a.now < due.first {
		return
	}
	due.first = never
	for g, first := range due.groups[:a.lagGroups()] {
		if first <= a.now {
			due.groups[g] = never
			for j := g * lagGroup; j < min((g+1)*lagGroup, a.scores.used); j++ {
				switch whole := a.scores.wholes[j]; {
				case a.wholeClass(j) != class:
				case whole <= a.now:
					a.renew(a.base+j, a.present(a.base+j), false) // notes when it is due again
				default:
					due.groups[g] = min(due.groups[g], whole)
				}
			}
			first = due.groups[g]
		}
		due.first = min(due.first, first)
	}
}
