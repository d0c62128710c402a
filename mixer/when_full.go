package mixer

import "voicepool/internal/words"

// WhenFull selects what happens to a voice if a full pool has no slot for it.
type WhenFull uint8

const (
	// WhenFullDefault makes an endless voice virtual. Other voices become virtual if Config.Virtual
	// permits.
	WhenFullDefault WhenFull = iota

	// WhenFullVirtual makes the voice virtual: it keeps its time silently and is restored when it is loud
	// enough. A voice that has an end needs Config.Virtual. The limit of a group or a bus still ends the
	// voice, because limits count virtual voices.
	WhenFullVirtual

	// WhenFullEnd ends the voice.
	WhenFullEnd
)

var whenFullNames = [...]string{"default", "virtual", "end"}

// String returns "default", "virtual" or "end"; for an unknown value a text such as "when full(9)".
func (w WhenFull) String() string { return words.Name("when full", w, whenFullNames[:]) }

// ParseWhenFull returns the WhenFull with the given name: default, virtual or end. For any other name the error wraps
// ErrOption and names the nearest one.
func ParseWhenFull(name string) (WhenFull, error) {
	return parseName[WhenFull]("WhenFull", name, whenFullNames[:])
}

// defaultMaxEndless returns the maximum number of virtual endless voices. It is at least MaxVoices, so a
// pool of loops can shrink to one slot without a loss. It is higher if many starts are expected.
func (c *Config) defaultMaxEndless() int { return max(c.MaxVoices, min(c.Commands/4, MaxVoices)) }

// maxVirtual returns the maximum number of virtual voices, endless and finite.
func (c *Config) maxVirtual() int { return c.maxVirtualEndless + c.Virtual }

// boolInt returns 1 for true and 0 for false.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
