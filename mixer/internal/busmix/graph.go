// Package busmix mixes the buses of a mixer. A bus sums its voices, the tails of stolen voices and the buses below it.
// The sum passes through effects, an insert, filters and gains. It then feeds the bus above, the destinations of its
// sends, or an output with its DC guard and limiter.
//
// Each block takes three calls:
//
//	n := g.Begin(dst, frame)                   // selects the buffers
//	dsp.Sum(g.Buses[bus].Block(n), voice)      // for each voice
//	mixed := g.Mix(dst, frame, n)              // effects, gains, sends, outputs
//
// The package does not handle voices. The caller counts them by AddPlaying, decides when a duck lowers its bus, and
// sets properties at the frame where they change. Results that concern statistics and events are returned: how long
// tails may last, and which buses failed.
//
// Everything belongs to the audio side of the mixer: one goroutine at a time calls it, and it does not allocate, lock
// or call out, except for Insert.Process. New, NewStems, Stems.Add, NewResponses, NewInsert and SendBuffers.Prepare
// allocate and belong to the control side.
package busmix

import (
	"math/bits"

	"voicepool/effect"
	"voicepool/internal/dsp"
	"voicepool/internal/move"
	"voicepool/mixer/internal/bustree"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
)

const never = 1<<63 - 1

// Config describes the buses and outputs of a Graph.
type Config struct {
	Rate   int   // frames per second
	Hop    int64 // the maximum length of a block in frames
	Smooth int64 // the minimum length of an audible fade in frames
	Tail   int64 // the maximum length in frames of the tail of a stolen voice

	Buses []BusConfig // by index in the tree

	Pairs                        []int // by output: the index of its pair of channels; empty: one output, on the first pair
	Fold                         bool  // mixes all outputs into one
	NoLimiter, DCGuard, SoftClip bool

	Meters []*master.Meter // by bus; may be nil
	Stems  *Stems          // may be nil
}

// BusConfig describes a bus.
type BusConfig struct {
	Gain, Pan, Pitch  float64 // decibels, -1..+1, semitones
	Voices            int     // the maximum number of voices on it and below it; 0: no limit
	Mute, Solo        bool
	Duck              *DuckRules // may be nil
	Insert            Insert     // may be nil
	Effects           []effect.Effect
	LowPass, HighPass float64 // cutoffs in Hz; 0: off
	Sends             []Send
}

// Graph is the state of all buses and outputs.
type Graph struct {
	Buses  []Bus    // by index in the tree
	Faults []uint16 // the buses that failed in the last Mix, in mixing order: one entry for each failed effect, insert or filter

	outputs
	tree        *bustree.Tree
	order       []int // all indices of buses in mixing order
	stems       *Stems
	hop, smooth int64
	sendFades   []*move.Move // the factors of a send; scratch space
	meterBuffer []pcm.Frame  // buffer for buses with a meter; nil without meters
	hasTail     bool         // an effect or filter has a tail in the present block

	closedAt        int64 // the maximum of Bus.closedAt
	tailsComputedAt int64 // the frame of the last computeTails
	tailsValidUntil int64 // the first frame that needs another computeTails; never: not before a change
}

// ShapesSpectrum reports whether any bus has a cutoff, a send or an equalizer, so that responses are not flat.
func (c *Config) ShapesSpectrum() bool {
	for i := range c.Buses {
		b := &c.Buses[i]
		if len(b.Sends) > 0 || b.LowPass != 0 || b.HighPass != 0 {
			return true
		}
		for j := range b.Effects {
			if b.Effects[j].Filters() {
				return true
			}
		}
	}
	return false
}

// New creates the buses of tree from c, whose values must be valid.
func New(tree *bustree.Tree, c *Config) *Graph {
	g := &Graph{
		Buses: make([]Bus, len(c.Buses)), tree: tree, order: tree.MixOrder, stems: c.Stems, hop: c.Hop, smooth: c.Smooth, outputs: newOutputs(tree, c),
		sendFades: make([]*move.Move, 0, 2*len(c.Buses)+3),
	}
	faults := 0
	for i := range c.Buses {
		d := &c.Buses[i]
		g.Buses[i].init(d, c, tree.Nodes[i].Keys)
		if c.Meters != nil && i > 0 && (c.Fold || tree.Nodes[i].Above >= 0) {
			g.Buses[i].meter = c.Meters[i]
		}
		faults += 4*MaxEffects + 4 // the chains of two crossfades in one block, a filter, and an insert with the two that it may replace
	}
	for i := range tree.Nodes {
		for _, to := range tree.Nodes[i].Sends {
			g.Buses[to].receivesSends = true
		}
		g.keepOutputs(g.Buses[i].chain)
	}
	g.Faults = make([]uint16, 0, faults)
	if c.Meters != nil {
		g.meterBuffer = make([]pcm.Frame, c.Hop)
	}
	g.computeTails(0)
	return g
}

// tailRingLen returns the length in frames of the ring buffer of a bus, which holds tails: the last few milliseconds of
// stolen voices. The length is the smallest power of two that holds hop frames and tail frames together.
func tailRingLen(hop, tail int64) int64 { return int64(1) << bits.Len64(uint64(hop+tail-1)) }

// Begin starts a block of the mix: it selects the buffer of each output and clears it. dst holds one pcm.Frame per pair
// of channels for each frame of the mix, and at most Config.Hop frames of the mix. With one pair of channels, dst
// itself is the buffer. The parameter frame is the number of the first frame of the block. The result n is the length
// of the block in frames of the mix.
func (g *Graph) Begin(dst []pcm.Frame, frame int64) (n int64) {
	n = g.beginBlock(dst)
	for k := range g.outputs.all {
		g.mixIntoOutput(&g.outputs.all[k], frame)
	}
	return n
}

// Mixed is the result of Graph.Mix.
type Mixed struct {
	Silent     bool  // the block is silent, and no effect, filter, guard or limiter has a tail
	SilentFrom int64 // tails are heard before this frame of the mix; 0: no tail was heard
	Faults     int64 // the number of invalid frames that became silence
}

// Mix mixes all buses into dst, which Begin has prepared. The voices must have been added to Bus.Block. The parameter
// frame is the first frame of the block, and n is its length. Afterwards the blocks of the buses are empty. Mix
// replaces g.Faults.
func (g *Graph) Mix(dst []pcm.Frame, frame, n int64) (m Mixed) {
	g.hasTail, g.Faults = false, g.Faults[:0]
	g.mixBuses(frame, n)
	if g.hasTail {
		m.SilentFrom = g.lastAudible(frame)
	}
	m.Silent = !g.hasTail
	for k := range g.outputs.all {
		g.outputs.all[k].finish(frame, g.softClip, &m)
	}
	g.interleave(dst)
	return m
}

// mixIntoOutput makes the master bus of o mix directly into the buffer of o, until mixBuses has run. A separate buffer
// would miss the cache when many mixers take turns. It does so only if this bus alone feeds o and passes its input on
// unchanged, and stems are off. Otherwise it has no effect. The parameter frame is the present frame of the mix.
func (g *Graph) mixIntoOutput(o *output, frame int64) {
	if o.root < 0 {
		return
	}
	b := &g.Buses[o.root]
	if b.intoOutput = g.stems == nil && b.isTransparent(frame); b.intoOutput {
		b.mixed, b.ownMixed = o.into, b.mixed
	}
}

// mixBuses mixes the next n frames of all buses into the buffers of the outputs. Each bus comes before the bus that it
// feeds. On each bus it adds the tails of stolen voices, then applies effects, insert, filter and gains, and feeds
// sends and meters. It starts the release of ducks at the frame where it is due. The parameter frame is the first
// frame.
func (g *Graph) mixBuses(frame, n int64) {
	for i := range g.Buses {
		b := &g.Buses[i]
		b.consumeTails(frame, n)
		b.applySoloFade(&b.buffers, frame, n)
		if b.bypassed != nil {
			dsp.Sum(b.Block(n), b.bypassed[:n])
			b.bypassed = nil
		}
	}
	if g.stems != nil {
		g.beginStems(frame, n)
	}
	for _, i := range g.order {
		b := &g.Buses[i]
		g.runEffects(i, frame, n)
		g.runInserts(i, frame, n)
		g.filterBus(i, frame, n)
		releaseOffset := b.Duck.releaseAfter(frame, n)
		if b.hadOutput = b.used; !b.used {
			if releaseOffset < n {
				b.Duck.release(frame + releaseOffset)
			}
			if b.meter != nil {
				b.meter.Skip(n)
			}
			clear(b.lastOutput[:min(n, int64(len(b.lastOutput)))])
			if b.intoOutput {
				b.intoOutput, b.mixed = false, b.ownMixed
			}
			continue
		}
		b.used = false
		if b.intoOutput {
			b.intoOutput, b.mixed = false, b.ownMixed
			g.outputOf(i).silent = false
			continue
		}
		var sum []pcm.Frame
		if above := g.tree.Nodes[i].Above; above >= 0 {
			sum = g.Buses[above].Block(n)
		} else {
			o := g.outputOf(i)
			sum, o.silent = o.into, false
		}
		out := sum
		alone := b.separateOutput(g.meterBuffer)
		if alone != nil {
			out = alone[:n]
			clear(out)
		}
		b.apply(out[:releaseOffset], b.mixed[:releaseOffset], frame)
		if g.stems != nil {
			g.applyStems(i, 0, releaseOffset, frame, n)
		}
		if releaseOffset < n {
			b.Duck.release(frame + releaseOffset)
			b.apply(out[releaseOffset:], b.mixed[releaseOffset:n], frame+releaseOffset)
			if g.stems != nil {
				g.applyStems(i, releaseOffset, n, frame, n)
			}
		}
		if alone != nil {
			if b.meter != nil {
				b.meter.Feed(out)
			}
			dsp.Sum(sum, out)
			g.sendOn(i, b.mixed, out, frame, n)
		}
	}
}

// addFault records in g.Faults that an effect, the insert or the filter of the bus with the given index has failed.
func (g *Graph) addFault(index int) { g.Faults = append(g.Faults, uint16(index)) }

// AddPlaying adds the parameter playing, 1 or -1, to the number of voices of the bus with index bus and of all its
// parents up to the master.
func (g *Graph) AddPlaying(bus, playing int) {
	for i := bus; i >= 0; i = g.tree.Nodes[i].Parent {
		g.Buses[i].playing += playing
	}
}

// HasVoices reports whether there are voices on the bus with index bus or below it.
func (g *Graph) HasVoices(bus int) bool { return g.Buses[bus].playing > 0 }

// FullBus returns the index of the lowest bus at its limit of voices, among the bus with index bus and its parents; -1
// if a further voice exceeds no limit.
func (g *Graph) FullBus(bus int) int {
	for i := bus; i >= 0; i = g.tree.Nodes[i].Parent {
		if b := &g.Buses[i]; b.limit > 0 && b.playing >= b.limit {
			return i
		}
	}
	return -1
}

// HasPitch reports whether the pitch of the bus with index bus, or of any of its parents up to the master, is not 0
// semitones. It is also true if the last change of such a pitch began at another value than 0, even if the fade to 0 is
// over.
func (g *Graph) HasPitch(bus int) bool {
	for i := bus; i >= 0; i = g.tree.Nodes[i].Parent {
		if p := &g.Buses[i].Pitch; p.From != 0 || p.To != 0 {
			return true
		}
	}
	return false
}

// PitchOf returns the sum of the pitches of the bus with index bus and of its parents, in semitones. The sum is one
// move: it begins at the given frame of the mix and ends with the last fade of these pitches.
func (g *Graph) PitchOf(bus int, frame int64) move.Move {
	sum := move.Move{Start: frame}
	for i := bus; i >= 0; i = g.tree.Nodes[i].Parent {
		p := &g.Buses[i].Pitch
		sum.From += p.At(frame)
		sum.To += p.To
		sum.Frames = max(sum.Frames, p.End()-frame)
	}
	return sum
}

// MayHaveOutput reports whether the bus with the given index may have output at a frame of the mix. sounding reports by
// bus whether voices on it sound. If own is true, only voices and tails directly on the bus count. Otherwise buses
// below it, effects, inserts, filters and received sends count, too.
func (g *Graph) MayHaveOutput(index int, own bool, sounding []bool, frame int64) bool {
	for i := range g.Buses {
		if i != index && (own || !g.tree.PassesThrough(i, index)) {
			continue
		}
		b := &g.Buses[i]
		if b.tailEnd > frame || sounding[i] || !own && (b.insert != nil || !b.chain.isEmpty() || b.receivesSends || b.filter.HasTail()) {
			return true
		}
	}
	return false
}

// SkippableFrames returns how many of the next n frames need not be mixed, if no voice plays and no command is
// executed. The parameter frame is the first of them. The result covers complete hops, up to the next release of a
// duck. It is 0 if a meter, effect, filter, limiter or guard still has a tail, or if a bus has an insert. It is also 0
// if n is less than a hop, if frame is not the start of a hop, or while a duck lowers a bus and its release is not
// scheduled. Fades of buses do not matter.
func (g *Graph) SkippableFrames(frame, n int64) int64 {
	if n < g.hop || frame%g.hop != 0 {
		return 0
	}
	for i := range g.Buses {
		b := &g.Buses[i]
		if !b.staysSilent(frame) || b.meter != nil && !b.meter.Rests() {
			return 0
		}
		switch {
		case !b.Duck.down:
		case b.Duck.releaseAt == never:
			return 0
		default:
			n = min(n, max(b.Duck.releaseAt-frame, 0))
		}
	}
	for k := range g.outputs.all {
		if !g.outputs.all[k].rests() {
			return 0
		}
	}
	return n - n%g.hop
}

// StaysSilent reports whether all buses stay silent without voices, from the given frame of the mix on. A bus with an
// insert counts as not silent, because the insert may generate sound.
func (g *Graph) StaysSilent(frame int64) bool {
	for i := range g.Buses {
		if !g.Buses[i].staysSilent(frame) {
			return false
		}
	}
	return true
}

// Skip advances the state of all buses and outputs by n frames of silence, without mixing. The parameter frame is the
// first of these frames. n is at most the result of SkippableFrames.
func (g *Graph) Skip(frame, n int64) {
	for i := range g.Buses {
		b := &g.Buses[i]
		b.filter.Skip(n, frame)
		if b.meter != nil {
			b.meter.Leap(n)
		}
	}
	for k := range g.outputs.all {
		o := &g.outputs.all[k]
		if o.dc != nil {
			o.dc.Leap(n)
		}
		if o.meter != nil {
			o.meter.Leap(n)
		}
	}
	if g.stems != nil {
		g.stems.clearOutputs()
	}
}
