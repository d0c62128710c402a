package mixer

import (
	"iter"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"voicepool/internal/dsp"
	"voicepool/pcm"
)

// stems holds the contributions of sounds to the mix. The control side adds a stem before it sends the
// first start of a sound. The audio side fills it.
type stems struct {
	first atomic.Pointer[stem]
	ring  int64       // length of the tail rings in frames
	alone []pcm.Frame // buffer for a single voice
}

// Stem identifies a part of the mix: all starts with the same name, sound and file.
type Stem struct {
	Name  string // Options.Name; may be empty
	Sound string // voice.Sound.Name
	File  string // voice.Sound.File, because two files may have the same name
}

// stem holds the contribution of one Stem.
type stem struct {
	Stem
	next  *stem
	buses []atomic.Pointer[busBuffers] // by bus; nil: no voice was heard through it
	out   []pcm.Frame                  // a ring of one hop, indexed by frame number
}

// stemOf returns the stem that the key of identifies. If the stem does not exist, it creates the stem and makes it
// visible to the audio side. It also allocates the buffers of the stem for a bus and all buses above that bus; bus is
// the index of the bus. The caller holds m.mutex.
func (m *Mixer) stemOf(of Stem, bus uint16) *stem {
	s := m.stems.first.Load()
	for s != nil && s.Stem != of {
		s = s.next
	}
	if s == nil {
		kept := Stem{strings.Clone(of.Name), strings.Clone(of.Sound), strings.Clone(of.File)} // see Group.self
		s = &stem{Stem: kept, next: m.stems.first.Load(), buses: make([]atomic.Pointer[busBuffers], len(m.tree)), out: make([]pcm.Frame, m.hop)}
		defer m.stems.first.Store(s)
	}
	for i := int(bus); i >= 0; i = m.tree[i].above {
		if s.buses[i].Load() == nil {
			added := newBusBuffers(m.hop, m.stems.ring)
			s.buses[i].Store(&added)
		}
	}
	return s
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

// Expect declares stems, in addition to the stems of requested starts, for Expected to return. A test can then
// distinguish a name that was not played from a name that does not exist. Without Config.Stems it has no effect.
// Control side.
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

// Expected returns the stems passed to Expect, in no order. Control side.
func (m *Mixer) Expected() []Stem {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return slices.Collect(maps.Keys(m.expected))
}

// Stem returns the stem of the voice of the event. Without Config.Stems, the result has the sound and its file, but
// no Name. For an event without a sound it is zero.
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

// mixVoicesForStems mixes the next n frames of each voice in alive separately. It adds each voice to the mix of its bus
// and to its stem. The sends of a voice reach only the mix of their buses. The mix of a bus has the same bits as if all
// voices were mixed in one call of mixUntilPanic. Voices that end or panic are added to a.endings. Audio side.
func (a *audio) mixVoicesForStems(alive []realVoice, n int64) {
	for i := range alive {
		s := alive[i].slot
		b := &a.buses[s.bus]
		mixed, used := b.mixed, b.used
		b.mixed, b.used = a.stems.alone, false
		a.mixUntilPanic(alive[i:i+1], n)
		sounds := b.used
		b.mixed, b.used = mixed, used
		if sounds {
			dsp.Sum(b.block(n), a.stems.alone)
			dsp.Sum(s.record.extra.Load().stem.buses[s.bus].Load().block(n), a.stems.alone)
		}
	}
}

// beginStems prepares all stems for the next n frames, before the buses are mixed. It clears their outputs for these
// frames. In each bus buffer of a stem it adds the tails of ended voices and applies the fade of a solo. Audio side.
func (a *audio) beginStems(n int64) {
	for s := a.stems.first.Load(); s != nil; s = s.next {
		at := a.now % a.hop
		clear(s.out[at : at+n])
		for i := range s.buses {
			if p := s.buses[i].Load(); p != nil {
				p.consumeTails(a.now, n)
				a.buses[i].applySoloFade(p, a.now, n)
			}
		}
	}
}

// clearOutputs fills the outputs of all stems with silence.
func (st *stems) clearOutputs() {
	for s := st.first.Load(); s != nil; s = s.next {
		clear(s.out)
	}
}

// applyStems moves the parts of all stems on a bus one step up; bus is the index of the bus. Each part gets the gains
// of the bus. It is added to the part of its stem on the bus above or, at the top, to the output of the stem. This is
// for the frames from..to of a stretch of n frames that begins at a.now. If to is n, applyStems then marks the parts
// on this bus as unused. Audio side.
func (a *audio) applyStems(bus int, from, to, n int64) {
	b := &a.buses[bus]
	for s := a.stems.first.Load(); s != nil; s = s.next {
		p := s.buses[bus].Load()
		if p == nil || !p.used {
			continue
		}
		sum := s.out[a.now%a.hop:]
		if above := a.tree[bus].above; above >= 0 {
			sum = s.buses[above].Load().block(n)
		}
		b.apply(sum[from:to], p.mixed[from:to], a.now+from)
		p.used = to < n
	}
}

// setStem copies the stem and the Options.Play of the start r to the event e. Without Config.Stems e is unchanged.
func (a *audio) setStem(e *audioEvent, r *record) {
	if a.stems != nil { // otherwise unused, and reading it would miss the cache
		extra := r.extra.Load()
		e.Stem, e.Play = extra.stem, r.play.Load()
	}
}
