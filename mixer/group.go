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
	mixer    *Mixer
	name     string
	limit    int
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
	Limit    int           // at most so many voices at a time; 0: any number
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
	if o.Limit < 0 || o.Cooldown < 0 || o.Coalesce < 0 || !inRange(float64(o.Most), 0, MaxGain) {
		return nil, fmt.Errorf("%w: group %q with a limit of %d, a cooldown of %v, coalescing within %v by %v dB at most",
			ErrOption, name, o.Limit, o.Cooldown, o.Coalesce, o.Most)
	}
	o.Most = cmp.Or(o.Most, 6)
	return &Group{
		mixer: m, name: name, limit: o.Limit, cooldown: m.frames(o.Cooldown),
		within: m.frames(o.Coalesce), most: float64(o.Most.Linear() * o.Most.Linear()), options: o,
	}, nil
}

// Options returns what the group was made from.
func (g *Group) Options() GroupOptions { return g.options }

// Name returns what the group is called.
func (g *Group) Name() string { return g.name }
