package mixer

import (
	"cmp"
	"fmt"
	"time"

	"voicepool/pcm"
)

// Group is a named set of starts that share a limit and a cooldown, such as all files of one sound.
// Create it with NewGroup and use it in Options.
type Group struct {
	// self is a pointer to this group. A start keeps this pointer instead of the pointer in its Options.
	// Otherwise everything that Options refer to would escape to the heap, and a new Emitter for each
	// Play would allocate.
	self           *Group
	mixer          *Mixer
	name           string
	limit          int
	perOwner       bool
	full           Overflow
	cooldown       int64
	coalesceWithin int64
	maxPower       float64 // the largest sum of powers of coalesced starts, relative to the first
	options        GroupOptions

	groupAudio
}

// groupAudio is the state of a group on the audio side.
type groupAudio struct {
	playing int
	started bool
	last    int64
	first   *record // of the last voice that began, with its number
	number  uint64
}

// GroupOptions limits the starts of a group. The zero value has no limits.
type GroupOptions struct {
	Voices   int  // maximum number of voices at a time; 0: no limit
	PerOwner bool // the limit counts per Options.Owner; starts without an owner share one count

	// Full is the policy at the limit. StealQuietest and StealOldest end a voice of the group; with
	// PerOwner, a voice of the same owner. An endless voice ends, too, instead of becoming virtual,
	// because the limit counts virtual voices. Reject refuses the start. With Reject, a start of the group
	// also steals no voice of the group when the pool or the bus is full.
	Full Overflow

	Cooldown time.Duration // the minimum time between two starts

	// Coalesce merges all starts within this time after the first one into one voice. The powers of the
	// starts add up, as for incoherent sources. So the voice becomes louder, but at most by the field
	// Most. It keeps the place, bus, priority and protection of the first start. Coalescing is checked
	// before the cooldown. 0: off.
	Coalesce time.Duration
	Most     pcm.Decibels // the maximum rise by Coalesce; 0: 6 dB
}

// NewGroup creates a group for starts on m with the limits in o. Pass the group in Options.Group. name is for
// reports; groups with equal names are different groups. The error wraps ErrOption: a number or a time in o is
// negative, o.Most is not in 0..MaxGain, or o.Full is not StealQuietest, StealOldest or Reject. Control side.
func (m *Mixer) NewGroup(name string, o GroupOptions) (*Group, error) {
	switch {
	case o.Voices < 0:
		return nil, fmt.Errorf("%w: group %q: at most %d voices; 0 is any number", ErrOption, name, o.Voices)
	case o.Cooldown < 0:
		return nil, fmt.Errorf("%w: group %q: a cooldown of %v is negative", ErrOption, name, o.Cooldown)
	case o.Coalesce < 0:
		return nil, fmt.Errorf("%w: group %q: coalescing within %v is negative", ErrOption, name, o.Coalesce)
	case !inRange(float64(o.Most), 0, MaxGain):
		return nil, fmt.Errorf("%w: group %q: %w", ErrOption, name, &pcm.RangeError{Name: "Most", Value: float64(o.Most), Max: MaxGain, Unit: "dB"})
	case o.Full != StealQuietest && o.Full != StealOldest && o.Full != Reject:
		return nil, fmt.Errorf("%w: group %q is full by %v; a limit takes %v, %v or %v",
			ErrOption, name, o.Full, StealQuietest, StealOldest, Reject)
	}
	o.Most = cmp.Or(o.Most, 6)
	g := &Group{
		mixer: m, name: name, limit: o.Voices, perOwner: o.PerOwner, full: o.Full, cooldown: m.frames(o.Cooldown),
		coalesceWithin: m.frames(o.Coalesce), maxPower: float64(o.Most.Linear() * o.Most.Linear()), options: o,
	}
	g.self = g
	return g, nil
}

// counts reports whether the voice s counts for the limit of the group g. The voice must be in g. With
// GroupOptions.PerOwner, its Options.Owner must also be owner, the owner of the incoming start.
func (g *Group) counts(s *slot, owner uint64) bool {
	return s.record.group == g && (!g.perOwner || s.record.owner == owner)
}

// Options returns the options of NewGroup, with defaults filled in.
func (g *Group) Options() GroupOptions { return g.options }

// Name returns the name of the group.
func (g *Group) Name() string { return g.name }

// countSharing returns how many voices count for the limit of g together with a new start of owner. Without
// GroupOptions.PerOwner, these are all voices of g. With PerOwner, only the voices of the same owner count. While g
// has fewer voices than its limit, the result is still the number of all its voices: an upper bound that needs no
// search.
func (a *audio) countSharing(g *Group, owner uint64) int {
	if !g.perOwner || g.playing < g.limit {
		return g.playing
	}
	n := 0
	for i, place := a.voices.NextInOrder(0); i >= 0; i, place = a.voices.NextInOrder(place) {
		n += boolInt(g.counts(a.voices.At(i), owner))
	}
	return n
}
