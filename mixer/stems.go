package mixer

import (
	"iter"
	"maps"
	"slices"

	"voicepool/pcm"
)

// Stem identifies a part of the mix: all starts with the same name, sound and file.
type Stem struct {
	Name  string // Options.Name; may be empty
	Sound string // sounds.Sound.Name
	File  string // sounds.Sound.File, because two files may have the same name
}

// Stems returns an iterator over all stems, with the contribution of each stem to the last n frames of the mix. A
// contribution contains the voices of the stem with their tails, after all gains, pans, places and ducks, summed over
// all outputs. Without Config.Stems the iterator is empty.
//
// Stems do not contain sends, effects, inserts, filters of buses, the DC guard and the limiter. In a mixer without
// these, the stems add up to the mix before the limiter, apart from rounding.
//
// n is limited to 20 ms and to the frames mixed up to now. The frames are valid until the next iteration. Call Stems
// between two calls of Render, on the same goroutine. It allocates.
func (e Engine) Stems(n int) iter.Seq2[Stem, []pcm.Frame] {
	m := e.mixer
	return func(yield func(Stem, []pcm.Frame) bool) {
		if m.stems == nil {
			return
		}
		now := m.Now()
		dst := make([]pcm.Frame, max(min(int64(n), m.hop, now), 0))
		for s := m.stems.First(); s != nil; s = s.Next() {
			s.CopyTo(dst, now)
			if !yield(Stem(s.Name), dst) {
				return
			}
		}
	}
}

// Expect declares stems, in addition to the stems of requested starts, for Expected to return. A test can then
// distinguish a name that was not played from a name that does not exist. Without Config.Stems it has no effect.
// Control side.
func (e Engine) Expect(stems ...Stem) {
	m := e.mixer
	if m.stems == nil {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.expected == nil {
		m.expected = map[Stem]bool{}
	}
	for _, s := range stems {
		m.expected[s] = true
	}
}

// Expected returns the stems passed to Expect, in no order. Control side.
func (e Engine) Expected() []Stem {
	m := e.mixer
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return slices.Collect(maps.Keys(m.expected))
}

// Stem returns the stem of the voice of the event. Without Config.Stems, the result has the sound and its file, but
// no Name. For an event without a sound it is zero.
func (e *Event) Stem() Stem {
	switch {
	case e.stem != nil:
		return Stem(e.stem.Name)
	case e.Sound != nil:
		return Stem{Sound: e.Sound.Name(), File: e.Sound.File()}
	}
	return Stem{}
}

// Play returns Options.Play of the voice of the event. Without Config.Stems it is 0.
func (e *Event) Play() uint64 { return e.play }

// mixVoicesForStems mixes the next n frames of each voice in alive separately. It adds each voice to the mix of its bus
// and to its stem. The sends of a voice reach only the mix of their buses. The mix of a bus has the same bits as if all
// voices were mixed in one call of mixUntilPanic. Voices that end or panic are added to a.endings. Audio side.
func (a *audio) mixVoicesForStems(alive []realVoice, n int64) {
	for i := range alive {
		s := alive[i].Voice
		detour := a.graph.BeginVoice(int(s.bus))
		a.mixUntilPanic(alive[i:i+1], n)
		a.graph.AddVoice(int(s.bus), detour, s.record.extra.Load().stem, n)
	}
}

// setStem copies the stem and the Options.Play of the start r to the event e. Without Config.Stems e is unchanged.
func (a *audio) setStem(e *audioEvent, r *record) {
	if a.stems != nil { // otherwise unused, and reading it would miss the cache
		extra := r.extra.Load()
		e.Stem, e.Play = extra.stem, r.play.Load()
	}
}
