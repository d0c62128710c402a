package mixer

import "math"

// Starts split a block into stretches. In most stretches thousands of virtual voices only advance at a
// constant step. So a virtual voice may lag behind: its position is updated at the end of the block, and
// before it is read or changed. It is also updated in a stretch that may change its step or end its
// sound.

// lagGroup is the number of virtual voices that share an entry of virtualLag.steadyUntil and of groupsDue.
const lagGroup = 16

// virtualLag holds how far virtual voices have advanced, by index minus base.
type virtualLag struct {
	now          *int64              // the current frame
	upTo         []uint32            // by voice: the low bits of the frame up to which it has advanced
	steadyFrames []uint32            // by voice: for how many frames from there its step is constant
	steadyUntil  []int64             // by group: the first frame at which a voice may need more than a constant step
	advancing    [lagGroup]realVoice // the voices of a group that advance in a stretch
}

// newVirtualLag returns a virtualLag with room for the given number of virtual voices, without any voice. The caller
// must then set the field now to a pointer to the current frame.
func newVirtualLag(virtual int) virtualLag {
	groups := (virtual + lagGroup - 1) / lagGroup
	l := virtualLag{upTo: make([]uint32, virtual), steadyFrames: make([]uint32, virtual), steadyUntil: make([]int64, groups)}
	for g := range groups {
		l.steadyUntil[g] = never
	}
	return l
}

// put records that a voice has got number j among the virtual voices. The voice must be up to date at the current
// frame. The next call of mixVirtual advances the voice at once instead of later.
func (l *virtualLag) put(j int) {
	l.upTo[j] = uint32(*l.now)
	l.mayChange(j)
}

// mayChange records that the voice with number j among the virtual voices may change. The next call of mixVirtual
// then advances the voice at once instead of later.
func (l *virtualLag) mayChange(j int) { l.steadyFrames[j], l.steadyUntil[j/lagGroup] = 0, 0 }

// mutable returns the voice at index i for a caller that may change it. A virtual voice may lag behind, so mutable
// first advances it to the frame a.now. After that the caller may change its speed. Therefore the next call of
// mixVirtual does not let this voice lag, but advances it immediately. A caller that keeps changing a virtual voice
// must call mutable again after each call of mixVirtual.
func (a *audio) mutable(i int) *slot {
	s := a.current(i)
	if i >= a.base {
		a.lag.mayChange(i - a.base)
	}
	return s
}

// current returns the voice at index i for a caller that does not change it. A virtual voice may lag behind; it is
// first advanced to the frame a.now.
func (a *audio) current(i int) *slot {
	s := a.voiceTable.at(i)
	if i >= a.base {
		a.catchUp(i-a.base, s)
	}
	return s
}

// catchUp advances the virtual voice s to the frame a.now. j is its number among the virtual voices. If the voice is
// up to date, or ahead, catchUp has no effect. A paused voice keeps its position, but counts as up to date.
func (a *audio) catchUp(j int, s *slot) {
	l := &a.lag
	lag := int64(int32(uint32(a.now) - l.upTo[j]))
	if lag <= 0 { // negative: other voices have not finished this stretch
		return
	}
	if s.paused == 0 {
		s.voice.Skip(lag, a.now-lag)
	}
	l.upTo[j] = uint32(a.now)
	l.steadyFrames[j] -= uint32(min(lag, int64(l.steadyFrames[j])))
}

// mixVirtual advances the virtual voices, which keep time silently, by the next n frames. It skips each voice that
// moves through its sound at a constant speed and does not end within these frames. Such a voice is advanced later,
// see catchUp. Voices that end are added to a.endings.
func (a *audio) mixVirtual(n int64) {
	l, to := &a.lag, a.now+n
	for g, calm := range l.steadyUntil[:a.lagGroups()] {
		if calm < to {
			a.mixGroup(g, n)
		}
	}
}

// mixGroup advances the virtual voices of group g, lagGroup neighbouring indices, by the next n frames. It skips each
// voice that moves through its sound at a constant speed and does not end within these frames. Such a voice is
// advanced later, see catchUp. Voices that end are added to a.endings. mixGroup stores in a.lag for how long each
// voice of the group will move at a constant speed.
func (a *audio) mixGroup(g int, n int64) {
	l, calm := &a.lag, int64(never)
	passes := l.advancing[:0]
	for j := a.virtuals.Next(g * lagGroup); j >= 0 && j < (g+1)*lagGroup; j = a.virtuals.Next(j + 1) {
		lag := int64(int32(uint32(a.now) - l.upTo[j]))
		if steady := int64(l.steadyFrames[j]) - lag; steady >= n {
			calm = min(calm, a.now+steady)
			continue
		}
		s := *a.virtuals.At(j)
		a.catchUp(j, s)
		passes = append(passes, realVoice{s, a.base + j})
	}
	for rest := passes; len(rest) > 0; {
		rest = rest[a.mixUntilPanic(rest, n):]
	}
	for _, v := range passes {
		steady := int64(math.MaxUint32)
		if v.slot.paused == 0 {
			steady = max(min(steady, v.slot.voice.FastFrames(), v.slot.endAt-1-a.now-n), 0)
		}
		j := v.index - a.base
		l.upTo[j], l.steadyFrames[j] = uint32(a.now+n), uint32(steady)
		calm = min(calm, a.now+n+steady)
	}
	l.steadyUntil[g] = calm
}

// lagGroups returns the number of groups, from the first on, that can hold a voice: up to the last group that ever
// had a voice.
func (a *audio) lagGroups() int { return (a.scores.UsedVirtual() + lagGroup - 1) / lagGroup }

// refreshAllVirtual computes the scores of all virtual voices again, after a gain or response of a bus has changed. A
// score is the audibility of a voice, for choices of a victim. Each voice is first advanced to the frame a.now.
func (a *audio) refreshAllVirtual() {
	for j := a.virtuals.Next(0); j >= 0; j = a.virtuals.Next(j + 1) {
		a.refreshScore(a.base+j, a.current(a.base+j), true)
	}
}

// refreshVirtual computes the scores of virtual voices again, if they may have changed by the frame a.now. A score is
// the audibility of a voice, for choices of a victim. a.scoresDue holds when each score may change next;
// refreshVirtual updates it. If no score is due, it returns at once.
func (a *audio) refreshVirtual() {
	due := &a.scoresDue.virtual
	if a.now < due.first {
		return
	}
	due.first = never
	used := a.scoresDue.validUntil[a.base : a.base+a.scores.UsedVirtual()]
	for g, first := range due.groups[:a.lagGroups()] {
		if first <= a.now {
			first = never
			from := g * lagGroup
			for j, holds := range used[from:min(from+lagGroup, len(used))] {
				if holds <= a.now {
					i := a.base + from + j
					a.refreshScore(i, a.current(i), false)
					holds = a.scoresDue.validUntil[i]
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

// remainingClass returns the class of the virtual voice with number j among the virtual voices. The class is
// remainingMoving if the loudness of the voice is changing or was just set. Otherwise it is 0 if the voice has an
// end, or 1 if it is endless. refreshRemainingClass updates each class on its own.
func (a *audio) remainingClass(j int) int {
	if a.scoresDue.remainingHolds[j] == 0 {
		return remainingMoving
	}
	return boolInt(a.scores.Endless(a.base + j))
}

// refreshRemainingClass computes the scores of the virtual voices of a class again, if their audibility from now on
// may have changed. class is a result of remainingClass. a.scoresDue.remaining[class] holds when each group of voices
// is due; refreshRemainingClass updates it. If no voice is due, it returns at once.
func (a *audio) refreshRemainingClass(class int) {
	due := &a.scoresDue.remaining[class]
	if a.now < due.first {
		return
	}
	due.first = never
	for g, first := range due.groups[:a.lagGroups()] {
		if first <= a.now {
			due.groups[g] = never
			for j := g * lagGroup; j < min((g+1)*lagGroup, a.scores.UsedVirtual()); j++ {
				switch until := a.scoresDue.remainingHolds[j]; {
				case a.remainingClass(j) != class:
				case until <= a.now:
					a.refreshScore(a.base+j, a.current(a.base+j), false) // also schedules the next time
				default:
					due.groups[g] = min(due.groups[g], until)
				}
			}
			first = due.groups[g]
		}
		due.first = min(due.first, first)
	}
}
