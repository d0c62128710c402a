package busmix

import (
	"strings"
	"sync/atomic"

	"voicepool/internal/dsp"
	"voicepool/mixer/internal/bustree"
	"voicepool/pcm"
)

// Stems holds the contributions of sounds to the mix. The control side adds a stem before it sends the first start of a
// sound. The audio side fills it.
type Stems struct {
	first     atomic.Pointer[Stem]
	tree      *bustree.Tree
	hop, ring int64       // the lengths of a hop and of the tail rings in frames
	alone     []pcm.Frame // buffer for a single voice
}

// StemName identifies a part of the mix: all starts with the same name, sound and file.
type StemName struct {
	Name  string // may be empty
	Sound string
	File  string // because two files may have the same name
}

// Stem holds the contribution of one StemName.
type Stem struct {
	Name  StemName
	next  *Stem
	buses []atomic.Pointer[buffers] // by bus; nil: no voice was heard through it
	out   []pcm.Frame               // a ring of one hop, indexed by frame number
}

// NewStems returns the stems of a mix without any sound. hop and tail are as in Config. Control side.
func NewStems(tree *bustree.Tree, hop, tail int64) *Stems {
	return &Stems{tree: tree, hop: hop, ring: tailRingLen(hop, tail), alone: make([]pcm.Frame, hop)}
}

// Add returns the stem called name. If the stem does not exist, Add creates it and makes it visible to the audio side.
// It also allocates the buffers of the stem for the bus with index bus and all buses that it is mixed into. Control
// side. One goroutine at a time calls it.
func (st *Stems) Add(name StemName, bus int) *Stem {
	s := st.First()
	for s != nil && s.Name != name {
		s = s.next
	}
	if s == nil {
		kept := StemName{strings.Clone(name.Name), strings.Clone(name.Sound), strings.Clone(name.File)} // so that name does not escape
		s = &Stem{Name: kept, next: st.First(), buses: make([]atomic.Pointer[buffers], len(st.tree.Nodes)), out: make([]pcm.Frame, st.hop)}
		defer st.first.Store(s)
	}
	for i := bus; i >= 0; i = st.tree.Nodes[i].Above {
		if s.buses[i].Load() == nil {
			added := newBuffers(st.hop, st.ring)
			s.buses[i].Store(&added)
		}
	}
	return s
}

// First returns the stem that was added last; nil without stems. Both sides may call it.
func (st *Stems) First() *Stem { return st.first.Load() }

// Next returns the stem that was added before s; nil if s was the first one. Both sides may call it.
func (s *Stem) Next() *Stem { return s.next }

// CopyTo copies the last len(dst) frames of the contribution of the stem, before the given frame of the mix, to dst.
// dst is at most a hop long. Call it between two blocks, on the goroutine of the audio side.
func (s *Stem) CopyTo(dst []pcm.Frame, frame int64) {
	for i := range dst {
		dst[i] = s.out[(frame-int64(len(dst))+int64(i))%int64(len(s.out))]
	}
}

// AddTail adds the tail of a voice of the stem on the bus with index bus, as Bus.AddTail does. Audio side.
func (s *Stem) AddTail(bus int, tail []pcm.Frame, frame int64) {
	s.buses[bus].Load().AddTail(tail, frame)
}

// BeginVoice replaces the buffer that Block of the bus with index bus returns by a silent buffer for a single voice.
// The caller then mixes the voice into Block, and passes the Detour to AddVoice, which puts back the buffer of the bus.
// Calls do not nest. The graph must have stems, see Config.Stems.
func (g *Graph) BeginVoice(bus int) Detour { return g.Buses[bus].Redirect(g.stems.alone) }

// AddVoice ends BeginVoice for the bus with index bus; d is the result of BeginVoice. It puts back the buffer of the
// bus. If Block was called since BeginVoice, it then adds the n frames of the voice to the bus and to the stem s.
// Stems.Add must have returned s for this bus. The sum of the bus has the same bits as if the voice had been added to
// it directly.
func (g *Graph) AddVoice(bus int, d Detour, s *Stem, n int64) {
	if b := &g.Buses[bus]; b.Restore(d) {
		dsp.Sum(b.Block(n), g.stems.alone)
		dsp.Sum(s.buses[bus].Load().Block(n), g.stems.alone)
	}
}

// beginStems prepares all stems for n frames from the given frame of the mix on, before the buses are mixed. It clears
// their outputs for these frames. In each bus buffer of a stem it adds the tails of ended voices and applies the fade
// of a solo.
func (g *Graph) beginStems(frame, n int64) {
	for s := g.stems.First(); s != nil; s = s.next {
		at := frame % g.hop
		clear(s.out[at : at+n])
		for i := range s.buses {
			if p := s.buses[i].Load(); p != nil {
				p.consumeTails(frame, n)
				g.Buses[i].applySoloFade(p, frame, n)
			}
		}
	}
}

// clearOutputs fills the outputs of all stems with silence.
func (st *Stems) clearOutputs() {
	for s := st.First(); s != nil; s = s.next {
		clear(s.out)
	}
}

// applyStems moves the parts of all stems on a bus one step up; bus is the index of the bus. Each part gets the gains
// of the bus. It is added to the part of its stem on the bus above or, at the top, to the output of the stem. This is
// for the frames from..to of a block of n frames that begins at the given frame of the mix. If to is n, applyStems then
// marks the parts on this bus as unused.
func (g *Graph) applyStems(bus int, from, to, frame, n int64) {
	b := &g.Buses[bus]
	for s := g.stems.First(); s != nil; s = s.next {
		p := s.buses[bus].Load()
		if p == nil || !p.used {
			continue
		}
		sum := s.out[frame%g.hop:]
		if above := g.tree.Nodes[bus].Above; above >= 0 {
			sum = s.buses[above].Load().Block(n)
		}
		b.apply(sum[from:to], p.mixed[from:to], frame+from)
		p.used = to < n
	}
}
