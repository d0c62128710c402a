package mixer

import (
	"slices"

	"voicepool/internal/words"
)

// WhenFull is what becomes of a voice for which a full pool has no slot any more.
type WhenFull uint8

const (
	// WhenFullDefault lets an endless voice go on unheard, as WhenFullVirtual does, and
	// any other one as far as Config.Virtual has a place for it.
	WhenFullDefault WhenFull = iota

	// WhenFullVirtual lets the voice go on unheard: it keeps time silently, and returns
	// when it is loud enough. One that comes to an end needs a place of Config.Virtual. The
	// limit of a group or a bus ends it all the same, since it counts those that are unheard.
	WhenFullVirtual

	// WhenFullEnd ends the voice.
	WhenFullEnd
)

var whenFullNames = [...]string{"default", "virtual", "end"}

func (w WhenFull) String() string { return words.Name("when full", w, whenFullNames[:]) }

// ParseWhenFull returns what has a name: virtual or end.
func ParseWhenFull(name string) (WhenFull, bool) {
	i := slices.Index(whenFullNames[1:], name)
	return WhenFull(i + 1), i >= 0
}

// mostEndless returns how many endless voices may be unheard at once: a pool of loops can
// shrink to one voice without a loss, and there are more where many starts are expected.
func (c *Config) mostEndless() int { return max(c.MaxVoices, min(c.Commands/4, MaxVoices)) }

// unheard returns how many voices may be unheard at once, endless and finite ones.
func (c *Config) unheard() int { return c.endless + c.Virtual }

// classify notes of a voice whether it ever comes to an end by itself, and whether it
// goes on unheard where a full pool has no slot for it.
func (a *audio) classify(s *slot) {
	endless := s.endAt == never && s.voice.Endless()
	if s.virtual && endless != s.endless { // it keeps its place, among those that it now belongs to
		a.finite += one(!endless) - one(endless)
	}
	s.endless, s.keeps = endless, a.keeps(s.record.whenFull, endless)
}

func (r *roster) keeps(w WhenFull, endless bool) bool {
	return w != WhenFullEnd && (endless || r.finiteMost > 0)
}

// kind is what classify notes of a voice, of a start that asks to come in.
type kind struct{ endless, keeps bool }

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}
