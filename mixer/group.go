package mixer

import (
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

	// The audio side's.
	playing int
	started bool
	last    int64
}

// NewGroup makes a group of at most limit voices at a time (0: any number)
// whose starts lie at least cooldown apart. Control side. The error wraps
// ErrOption.
func (m *Mixer) NewGroup(name string, limit int, cooldown time.Duration) (*Group, error) {
	if limit < 0 || cooldown < 0 {
		return nil, fmt.Errorf("%w: group %q with a limit of %d and a cooldown of %v", ErrOption, name, limit, cooldown)
	}
	return &Group{mixer: m, name: name, limit: limit, cooldown: pcm.Frames(cooldown, m.rate)}, nil
}

// Name returns what the group is called.
func (g *Group) Name() string { return g.name }
