package mixer

import (
	"cmp"
	"fmt"
	"time"

	"voicepool/pcm"
)

// Group is a named set of starts that share a limit and a cooldown: one sound,
// however many files it has. Made by NewGroup, used in Options.
type Group struct {
	// self is the group. A start keeps this pointer, not the one in its Options: else the compiler would put
	// all that Options point to on the heap, and a new Emitter for each Play would allocate.
	self     *Group
	mixer    *Mixer
	name     string
	limit    int
	perOwner bool
	full     Overflow
	cooldown int64
	within   int64
	most     float64 // the largest sum of powers, of that of the first
	options  GroupOptions

	groupPlay
}

// groupPlay is what of a group plays: the audio side's.
type groupPlay struct {
	playing int
	started bool
	last    int64
	first   *record // of the last voice that began, and its number
	number  uint64
}

// GroupOptions limits the starts of a group. The zero value limits nothing.
type GroupOptions struct {
	Voices   int  // at most so many voices at a time; 0: any number
	PerOwner bool // so many of each Options.Owner; those without one share a place of their own

	// Full is what one more start does: StealQuietest and StealOldest take a voice of the
	// group, or of its owner, for good. That ends endless ones, too, since those that are
	// unheard count. Reject refuses the start; then no start of the group
	// takes the place of its like in a full pool or on a full bus either.
	Full Overflow

	Cooldown time.Duration // the least time between two starts

	// Coalesce makes one voice of all starts within this time from the first: it
	// gets the gain that so many incoherent voices have together, but at most Most
	// more than its own. 0: each has its own. It comes before the cooldown, and
	// keeps the place, bus, priority and protection of the first.
	Coalesce time.Duration
	Most     pcm.Decibels // 0: 6 dB
}

// NewGroup makes a group. Control side. The error wraps ErrOption.
func (m *Mixer) NewGroup(name string, o GroupOptions) (*Group, error) {
	switch {
	case o.Voices < 0:
		return nil, fmt.Errorf("%w: group %q: at most %d voices; 0 is any number", ErrOption, name, o.Voices)
	case o.Cooldown < 0:
		return nil, fmt.Errorf("%w: group %q: a cooldown of %v is negative", ErrOption, name, o.Cooldown)
	case o.Coalesce < 0:
		return nil, fmt.Errorf("%w: group %q: coalescing within %v is negative", ErrOption, name, o.Coalesce)
	case !inRange(float64(o.Most), 0, MaxGain):
		return nil, fmt.Errorf("%w: group %q: coalescing by %v dB is not in 0..%v", ErrOption, name, o.Most, MaxGain)
	case o.Full != StealQuietest && o.Full != StealOldest && o.Full != Reject:
		return nil, fmt.Errorf("%w: group %q is full by %v; a limit takes %v, %v or %v",
			ErrOption, name, o.Full, StealQuietest, StealOldest, Reject)
	}
	o.Most = cmp.Or(o.Most, 6)
	g := &Group{
		mixer: m, name: name, limit: o.Voices, perOwner: o.PerOwner, full: o.Full, cooldown: m.frames(o.Cooldown),
		within: m.frames(o.Coalesce), most: float64(o.Most.Linear() * o.Most.Linear()), options: o,
	}
	g.self = g
	return g, nil
}

// counts reports whether a voice is of those that share the limit with an owner's.
func (g *Group) counts(s *slot, owner uint64) bool {
	return s.record.group == g && (!g.perOwner || s.record.owner == owner)
}

// Options returns what the group was made from.
func (g *Group) Options() GroupOptions { return g.options }

// Name returns what the group is called.
func (g *Group) Name() string { return g.name }

// sharing returns how many voices share the limit of a group with those of an owner.
func (a *audio) sharing(g *Group, owner uint64) int {
	if !g.perOwner || g.playing < g.limit {
		return g.playing
	}
	n := 0
	for i, place := a.after(0); i >= 0; i, place = a.after(place) {
		n += one(g.counts(a.roster.at(i), owner))
	}
	return n
}
