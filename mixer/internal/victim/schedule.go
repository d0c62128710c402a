package victim

import "math"

// schedule holds the first frame where each score of a Table may change.
type schedule struct {
	real           int64        // the first frame for a voice in a slot
	virtual        groupsDue    // for virtual voices
	remaining      [3]groupsDue // by class, for the audibility in the rest of a sound alone
	validUntil     []int64      // by index
	remainingUntil []int64      // by virtual voice, for the audibility in the rest of its sound; 0: unknown, see ResetRemaining
}

// The classes of virtual voices: the kind of the voice, 0 with an end and 1 endless, or moving, if its loudness is
// changing or was just set.
const (
	moving   = 2
	anyClass = 3
)

// groupSize is the number of virtual voices that share an entry of groupsDue.
const groupSize = 16

// never is a frame that is not reached.
const never = math.MaxInt64

// newSchedule returns a schedule for the given numbers of slots and of virtual voices. No update is due before the
// first voice is scheduled.
func newSchedule(slots, virtual int) schedule {
	s := schedule{virtual: newGroupsDue(virtual), validUntil: make([]int64, slots+virtual), remainingUntil: make([]int64, virtual)}
	for i := range s.remaining {
		s.remaining[i] = newGroupsDue(virtual)
	}
	for j := range virtual {
		s.validUntil[slots+j], s.remainingUntil[j] = never, never
	}
	return s
}

// groupsDue is a schedule for virtual voices, in groups of neighbouring indices. A group is due at the first frame
// where a score of its voices may change.
type groupsDue struct {
	first  int64   // the first frame where a group is due; may be too early
	groups []int64 // by group: the frame where it is due; never: not before a change
}

// newGroupsDue returns a schedule for the given number of virtual voices. No group is due. The field first is still 0,
// an early bound, so the first search looks at all groups and corrects it.
func newGroupsDue(virtual int) groupsDue {
	d := groupsDue{groups: make([]int64, (virtual+groupSize-1)/groupSize)}
	for g := range d.groups {
		d.groups[g] = never
	}
	return d
}

// schedule makes the group of virtual voice j due at the given frame. An earlier frame of the group stays.
func (d *groupsDue) schedule(j int, frame int64) {
	group := &d.groups[j/groupSize]
	d.first, *group = min(d.first, frame), min(*group, frame)
}

// SetValidUntil records that the scores of the voice at index i do not change before the given frame.
func (t *Table) SetValidUntil(i int, frame int64) {
	t.due.validUntil[i] = frame
	t.Keep(i)
}

// ValidUntil returns the frame of the last SetValidUntil at index i.
func (t *Table) ValidUntil(i int) int64 { return t.due.validUntil[i] }

// Keep makes the frame of ValidUntil at index i count for the next search: BeginReal or NextDue.
func (t *Table) Keep(i int) {
	if frame := t.due.validUntil[i]; i < t.slots {
		t.due.real = min(t.due.real, frame)
	} else {
		t.due.virtual.schedule(i-t.slots, frame)
	}
}

// BeginReal reports whether a score of a voice in a slot may have changed by the frame now. If all is true, it always
// does. The caller then updates the scores of each voice in a slot, which calls SetValidUntil, or calls Keep for it.
func (t *Table) BeginReal(now int64, all bool) bool {
	if !all && now < t.due.real {
		return false
	}
	t.due.real = never
	return true
}

// ResetRemaining records that the audibility of the virtual voice at index i in the rest of its sound was set. The
// caller then calls SetRemainingUntil.
func (t *Table) ResetRemaining(i int) { t.due.remainingUntil[i-t.slots] = 0 }

// SetRemainingUntil records that the audibility of the virtual voice at index i in the rest of its sound does not
// change before the given frame. The frame 0 means that it is changing.
func (t *Table) SetRemainingUntil(i int, frame int64) {
	j := i - t.slots
	t.due.remainingUntil[j] = frame
	t.due.remaining[t.class(j)].schedule(j, frame)
}

// RemainingUntil returns the frame of the last SetRemainingUntil at index i, or 0 after ResetRemaining.
func (t *Table) RemainingUntil(i int) int64 { return t.due.remainingUntil[i-t.slots] }

// class returns the class of virtual voice j, from 0.
func (t *Table) class(j int) int {
	if t.due.remainingUntil[j] == 0 {
		return moving
	}
	return boolInt(t.endless[t.slots+j])
}

// NextDue returns the index of the first virtual voice, from index i on, whose scores may have changed by the frame
// now, and -1 after the last. Begin with the number of slots, and continue with the last result + 1. The caller updates
// the scores of the voice before the next call, which calls SetValidUntil.
func (t *Table) NextDue(i int, now int64) int {
	return t.nextDue(&t.due.virtual, t.due.validUntil[t.slots:], anyClass, i, now)
}

// NextRemainingDue returns the index of the first virtual voice of a kind, Endless or Finite, whose audibility in the
// rest of its sound may have changed by the frame now. It leaves out voices whose loudness is changing. Call it as
// NextDue; the caller's update calls SetRemainingUntil.
func (t *Table) NextRemainingDue(kind Kind, i int, now int64) int {
	class := boolInt(kind == Endless)
	return t.nextDue(&t.due.remaining[class], t.due.remainingUntil, class, i, now)
}

// NextMovingDue returns the index of the first virtual voice whose loudness is changing or was just set. Call it as
// NextRemainingDue.
func (t *Table) NextMovingDue(i int, now int64) int {
	return t.nextDue(&t.due.remaining[moving], t.due.remainingUntil, moving, i, now)
}

// nextDue returns the index of the first virtual voice of a class, from index i on, that is due by the frame now; -1
// after the last. d is the schedule of the class, and until holds the frames by virtual voice. It looks only into
// groups that are due.
func (t *Table) nextDue(d *groupsDue, until []int64, class, i int, now int64) int {
	j := i - t.slots
	if j == 0 {
		if now < d.first {
			return -1
		}
		d.first = never
	}
	for ; j < t.used; j++ {
		if group := &d.groups[j/groupSize]; j%groupSize == 0 {
			if *group > now {
				d.first = min(d.first, *group)
				j += groupSize - 1
				continue
			}
			*group = never
		}
		if class != anyClass && t.class(j) != class {
			continue
		}
		if until[j] <= now {
			return t.slots + j
		}
		d.schedule(j, until[j])
	}
	return -1
}
