package mixer

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"voicepool/pcm"
)

// stems are what sounds put into the mix, each apart. The control side adds one before
// the first start of a sound is sent; the audio side fills them.
type stems struct {
	first atomic.Pointer[stem]
	ring  int64       // frames of tails
	alone []pcm.Frame // where a voice is mixed by itself
}

// Stem names a part of the mix: what all starts of a name and a sound put into it.
type Stem struct {
	Name  string // Options.Name; empty: the starts have none
	Sound string // voice.Sound.Name
	File  string // voice.Sound.File: two files may be called the same
}

// stem is the part of the mix that is one Stem's.
type stem struct {
	Stem
	next  *stem
	buses []atomic.Pointer[sums] // by bus; nil: no voice was ever heard through it
	out   []pcm.Frame            // a ring by frame number, one hop
}

// stemOf returns the stem of starts that are to be heard on a bus, made where there is
// none. The mutex is held.
func (m *Mixer) stemOf(of Stem, bus uint16) *stem {
	s := m.stems.first.Load()
	for s != nil && s.Stem != of {
		s = s.next
	}
	if s == nil {
		kept := Stem{strings.Clone(of.Name), strings.Clone(of.Sound), strings.Clone(of.File)} // see Group.self
		s = &stem{Stem: kept, next: m.stems.first.Load(), buses: make([]atomic.Pointer[sums], len(m.tree)), out: make([]pcm.Frame, m.hop)}
		defer m.stems.first.Store(s)
	}
	for i := int(bus); i >= 0; i = m.tree[i].above {
		if s.buses[i].Load() == nil {
			added := newSums(m.hop, m.stems.ring)
			s.buses[i].Store(&added)
		}
	}
	return s
}

// Stems returns what each name and sound put into the last n frames: their voices alone,
// with their tails, through all gains, pans, places and ducks, on all outputs together. It needs Config.Stems,
// without which there are none. Stems come before effects, inserts, filters of buses, the DC guard and the limiter:
// without those they add up to what the limiter gets, but for rounding.
//
// n is at most 20 ms, or less is returned. The frames are valid until the next iteration.
// Call it on the goroutine that renders, between two calls of Render. It allocates.
func (m *Mixer) Stems(n int) iter.Seq2[Stem, []pcm.Frame] {
	return func(yield func(Stem, []pcm.Frame) bool) {
		if m.stems == nil {
			return
		}
		now := m.Now()
		dst := make([]pcm.Frame, max(min(int64(n), m.hop, now), 0))
		for s := m.stems.first.Load(); s != nil; s = s.next {
			for i := range dst {
				dst[i] = s.out[(now-int64(len(dst))+int64(i))%m.hop]
			}
			if !yield(s.Stem, dst) {
				return
			}
		}
	}
}

// Expect says which stems there may be, besides those of which a start was asked for: a
// test can tell a name that was not played from one that nothing has. Without Config.Stems
// it does nothing. Control side.
func (m *Mixer) Expect(stems ...Stem) {
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

// Expected returns all that Expect was told, in no order. Control side.
func (m *Mixer) Expected() []Stem {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return slices.Collect(maps.Keys(m.expected))
}

// Stem returns the stem that the voice of the event is part of, or would be. Without
// Config.Stems it has no Name; of an event without a sound it is zero.
func (e *Event) Stem() Stem {
	switch {
	case e.stem != nil:
		return e.stem.Stem
	case e.Sound != nil:
		return Stem{Sound: e.Sound.Name(), File: e.Sound.File()}
	}
	return Stem{}
}

// Play returns Options.Play of the voice of the event. Without Config.Stems it is 0.
func (e *Event) Play() uint64 { return e.play }
