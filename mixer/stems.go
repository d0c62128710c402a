package mixer

import (
	"iter"
	"sync/atomic"

	"voicepool/pcm"
)

// sums is what is added up for a bus before its gains: the voices of a stretch, and the
// tails of those that gave way.
type sums struct {
	mixed []pcm.Frame // one hop
	used  bool        // mixed has something in it

	tails     []pcm.Frame // a ring by frame number
	tailsMask int64
	tailsEnd  int64 // from this frame on it is silent
}

func newSums(hop, ring int64) sums {
	return sums{mixed: make([]pcm.Frame, hop), tails: make([]pcm.Frame, ring), tailsMask: ring - 1}
}

// stems are what sounds put into the mix, each apart. The control side adds one before
// the first start of a sound is sent; the audio side fills them.
type stems struct {
	first atomic.Pointer[stem]
	ring  int64       // frames of tails
	alone []pcm.Frame // where a voice is mixed by itself
}

// stem is the part of the mix that is one sound's.
type stem struct {
	name  string
	next  *stem
	buses []atomic.Pointer[sums] // by bus; nil: no voice was ever heard through it
	out   []pcm.Frame            // a ring by frame number, one hop
}

// stemOf returns the stem of a sound that is to be heard on a bus, made where there is
// none. The mutex is held.
func (m *Mixer) stemOf(name string, bus uint16) *stem {
	s := m.stems.first.Load()
	for s != nil && s.name != name {
		s = s.next
	}
	if s == nil {
		s = &stem{name: name, next: m.stems.first.Load(), buses: make([]atomic.Pointer[sums], len(m.tree)), out: make([]pcm.Frame, m.hop)}
		defer m.stems.first.Store(s)
	}
	for i := int(bus); i >= 0; i = m.tree[i].parent {
		if s.buses[i].Load() == nil {
			added := newSums(m.hop, m.stems.ring)
			s.buses[i].Store(&added)
		}
	}
	return s
}

// Stems returns what each sound put into the last n frames, by the name of the sound: its
// voices alone, with their tails, through all gains, pans, places and ducks. It needs
// Config.Stems, without which there are none. Stems come before inserts, the DC guard and
// the limiter: without inserts they add up to what the limiter gets, but for rounding.
//
// n is at most 20 ms, or less is returned. The frames are valid until the next iteration.
// Call it on the goroutine that renders, between two calls of Render. It allocates.
func (m *Mixer) Stems(n int) iter.Seq2[string, []pcm.Frame] {
	return func(yield func(string, []pcm.Frame) bool) {
		if m.stems == nil {
			return
		}
		now := m.Now()
		dst := make([]pcm.Frame, max(min(int64(n), m.hop, now), 0))
		for s := m.stems.first.Load(); s != nil; s = s.next {
			for i := range dst {
				dst[i] = s.out[(now-int64(len(dst))+int64(i))%m.hop]
			}
			if !yield(s.name, dst) {
				return
			}
		}
	}
}
