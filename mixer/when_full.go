package mixer

import (
	"slices"

	"voicepool/internal/words"
)

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

// ParseWhenFull returns WhenFullVirtual for "virtual" and WhenFullEnd for "end", and true. For any other name, even
// "default", it returns WhenFullDefault and false.
func ParseWhenFull(name string) (WhenFull, bool) {
	i := slices.Index(whenFullNames[1:], name)
	return WhenFull(i + 1), i >= 0
}

// defaultMaxEndless returns the maximum number of virtual endless voices. It is at least MaxVoices, so a
// pool of loops can shrink to one slot without a loss. It is higher if many starts are expected.
func (c *Config) defaultMaxEndless() int { return max(c.MaxVoices, min(c.Commands/4, MaxVoices)) }

// maxVirtual returns the maximum number of virtual voices, endless and finite.
func (c *Config) maxVirtual() int { return c.maxVirtualEndless + c.Virtual }

// classify sets two fields of the voice s: endless, if s does not end by itself, and virtualizable, if s becomes
// virtual when a full pool steals it. If s is virtual and its kind changes, the count of finite virtual voices is
// corrected. Call it when the end of the voice may have changed.
func (a *audio) classify(s *slot) {
	endless := s.endAt == never && s.voice.Endless()
	if s.virtual && endless != s.endless { // it keeps its place and counts as the other kind
		a.finite += boolInt(!endless) - boolInt(endless)
	}
	s.endless, s.virtualizable = endless, a.virtualizable(s.record.whenFull, endless)
}

// virtualizable reports whether a voice becomes virtual if a full pool has no slot for it. w is its Options.WhenFull,
// and endless is true if it does not end by itself. With WhenFullEnd it never does. Otherwise endless voices always
// do, and finite voices if Config.Virtual is above 0.
func (r *voiceTable) virtualizable(w WhenFull, endless bool) bool {
	return w != WhenFullEnd && (endless || r.maxFinite > 0)
}

// voiceKind is the result of classify for the incoming start.
type voiceKind struct{ endless, virtualizable bool }

// boolInt returns 1 for true and 0 for false.
func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
