package busmix

import (
	"slices"

	"voicepool/effect"
	"voicepool/internal/move"
	"voicepool/pcm"
)

// MaxEffects is the maximum number of effects of a bus.
const MaxEffects = 16

// Chain is the effects of a bus in their order, with the buffers that they need. After Graph.SetEffects the audio side
// owns it.
type Chain struct {
	processors []*effect.Processor
	keys       []int         // by effect: the index of its key bus; -1: its own bus
	outputs    [][]pcm.Frame // by effect: a buffer for the output of its key bus; nil: its own bus
	order      []int         // the mixing order of all buses with these keys; nil: of the tree
	before     *Chain        // the previous chain, until end; may be nil
	old        []pcm.Frame   // the block after the previous chain; nil without one
	end        int64         // the end of the crossfade
}

// NewChain returns the chain of the given effects, which must have kinds. rate is the sample rate in Hz and hop the
// maximum length of a block in frames. keys holds the index of the key bus of each effect, or -1 for its own bus. order
// is the mixing order of all buses, where each comes after its keys. Control side.
func NewChain(effects []effect.Effect, keys, order []int, rate int, hop int64) *Chain {
	c := newChain(effects, keys, rate, hop)
	c.order, c.old = order, make([]pcm.Frame, hop)
	return c
}

// newChain is NewChain for the first chain of a bus, which needs no crossfade.
func newChain(effects []effect.Effect, keys []int, rate int, hop int64) *Chain {
	c := &Chain{processors: make([]*effect.Processor, len(effects)), keys: keys, outputs: make([][]pcm.Frame, len(effects))}
	for i := range effects {
		if c.processors[i] = effects[i].NewProcessor(rate, int(hop)); keys[i] >= 0 {
			c.outputs[i] = make([]pcm.Frame, hop)
		}
	}
	return c
}

// Processors returns the processors of the effects, in order. The control side may read their published values.
func (c *Chain) Processors() []*effect.Processor { return c.processors }

// Filters reports whether any effect is an equalizer, so that responses are not flat. Control side.
func (c *Chain) Filters() bool {
	return slices.ContainsFunc(c.processors, func(p *effect.Processor) bool { e := p.Effect(); return e.Filters() })
}

// isEmpty reports whether the chain has no effects and no crossfade is under way.
func (c *Chain) isEmpty() bool { return len(c.processors) == 0 && c.before == nil }

// idle reports whether all effects of the chain have died away at the given frame of the mix. From then on silent
// input gives silent output.
func (c *Chain) idle(frame int64) bool {
	for _, p := range c.processors {
		if !p.Idle(frame) {
			return false
		}
	}
	return true
}

// tail returns for how many frames at most the effects of the chain sound after their input has ended. This is the sum
// of their tails.
func (c *Chain) tail() (frames int64) {
	for _, p := range c.processors {
		frames += p.Tail()
	}
	return frames
}

// newest returns the chain that waits for the end of a crossfade, or the present chain of the bus.
func (b *Bus) newest() *Chain {
	if b.nextChain != nil {
		return b.nextChain
	}
	return b.chain
}

// SetEffects replaces the effects of the bus with the given index by c at the given frame of the mix, with a crossfade
// of 20 ms. Both chains run until its end; then tails of the old effects are cut off. If a crossfade is under way, c
// waits for its end. Only the last chain that waits is used. The mixing order of c takes over at once, so it must
// also suit the chains that c replaces. The result is the frame until which tails on the bus may last, or 0. The caller
// then calls Refresh.
func (g *Graph) SetEffects(index int, c *Chain, frame int64) (tailUntil int64) {
	b := &g.Buses[index]
	g.keepOutputs(c)
	g.order = c.order
	if b.chain.before != nil && frame < b.chain.end {
		b.nextChain = c
	} else {
		b.crossfadeEffects(c, frame, g.hop)
	}
	return g.effectsChanged(index, frame)
}

// keepOutputs gives each key bus of c a buffer for its last output, unless it has one.
func (g *Graph) keepOutputs(c *Chain) {
	for i, key := range c.keys {
		if key >= 0 && g.Buses[key].lastOutput == nil {
			g.Buses[key].lastOutput = c.outputs[i]
		}
	}
}

// crossfadeEffects begins a crossfade from the present effects of the bus to c. It begins at the given frame of the mix
// and lasts fade frames. No crossfade may be under way. b.nextChain, the chain that waits, is cleared.
func (b *Bus) crossfadeEffects(c *Chain, frame, fade int64) {
	b.chain.before = nil
	c.before, c.end = b.chain, frame+fade
	b.chain, b.nextChain = c, nil
}

// EffectValue is a new value of a parameter of an effect.
type EffectValue struct {
	Index int // of the parameter in its kind
	Value float64
}

// SetEffect fades parameters of one effect of the bus with the given index, from the given frame of the mix on, within
// over frames, at least 10 ms. The effect has the given name and kind; without such an effect, no value changes.
// A parameter with more than two choices changes at once. The result is the frame until which tails on the bus may
// last, or 0. The caller then calls Refresh.
func (g *Graph) SetEffect(index int, name string, kind *effect.Kind, values []EffectValue, frame, over int64) (tailUntil int64) {
	for _, p := range g.Buses[index].newest().processors {
		if e := p.Effect(); e.Name() == name && e.Kind() == kind {
			for _, v := range values {
				p.Set(frame, v.Index, v.Value, over)
			}
		}
	}
	return g.effectsChanged(index, frame)
}

// effectsChanged recomputes what depends on the effects of the bus with the given index, after a change at the given
// frame of the mix. The result is the frame until which tails on the bus may last, or 0.
func (g *Graph) effectsChanged(index int, frame int64) (tailUntil int64) {
	g.computeTails(frame)
	b := &g.Buses[index]
	b.responseStale = true
	if !b.effectsIdle(frame) {
		tailUntil = g.TailUntil(index, frame)
	}
	return tailUntil
}

// runEffects runs the effects of the bus with the given index. They change n frames in place, from the given frame of
// the mix on. Without input, they run only while an effect has a tail or a key bus had output. A key bus is another bus
// that controls a compressor of this bus. During a crossfade both chains run, and their results are mixed. If an effect
// has a tail after these frames, g.hasTail is set.
func (g *Graph) runEffects(index int, frame, n int64) {
	b := &g.Buses[index]
	for done := int64(0); done < n; {
		if b.chain.before != nil && frame+done >= b.chain.end {
			b.chain.before = nil
			g.tailsValidUntil = min(g.tailsValidUntil, frame+done)
			if b.nextChain != nil {
				b.crossfadeEffects(b.nextChain, frame+done, g.hop)
			}
		}
		c, at, length := b.chain, done, n-done
		if c.before != nil {
			length = min(length, c.end-frame-done)
		}
		done += length
		if c.isEmpty() || !b.used && b.effectsIdle(frame+at) && !g.keyHadOutput(b) {
			continue
		}
		block := b.Block(n)[at:done]
		if c.before != nil {
			copy(c.old, block)
			g.runChain(index, c.before, c.old[:length], frame+at, at)
		}
		g.runChain(index, c, block, frame+at, at)
		if c.before != nil {
			crossfade(block, c.old[:length], c.end-frame-at, g.hop)
		}
	}
	g.hasTail = g.hasTail || !b.effectsIdle(frame+n)
}

// runChain runs the effects of c, a chain of the bus with the given index, on block in place. The parameter frame is
// the first frame of the block, and offset is its place in the frames that are mixed now. An effect that computes
// invalid samples becomes silent and is reset, and the bus counts as failed.
func (g *Graph) runChain(index int, c *Chain, block []pcm.Frame, frame, offset int64) {
	for i, p := range c.processors {
		var key []pcm.Frame
		if k := c.keys[i]; k >= 0 {
			key = g.Buses[k].lastOutput[offset:][:len(block)]
		}
		if !p.Process(block, key, frame) {
			g.addFault(index)
		}
	}
}

// keyHadOutput reports whether the key bus of any effect of b had output in the frames just mixed. A key bus is another
// bus that controls a compressor. An effect without a key does not count.
func (g *Graph) keyHadOutput(b *Bus) bool {
	for c := b.chain; c != nil; c = c.before {
		for _, k := range c.keys {
			if k >= 0 && g.Buses[k].hadOutput {
				return true
			}
		}
	}
	return false
}

// effectsIdle reports whether all effects of the bus have died away at the given frame of the mix, the previous
// chain included. From then on silent input gives silent output.
func (b *Bus) effectsIdle(frame int64) bool {
	return b.chain.idle(frame) && (b.chain.before == nil || b.chain.before.idle(frame))
}

// effectTail returns for how many frames at most the effects of the bus sound after their input has ended. A chain that
// waits for a crossfade counts, too, and so does the previous chain, unless its crossfade is over at the given frame of
// the mix.
func (b *Bus) effectTail(frame int64) (frames int64) {
	frames = max(b.chain.tail(), b.newest().tail())
	if b.chain.before != nil && frame < b.chain.end {
		frames = max(frames, b.chain.before.tail())
	}
	return frames
}

// opens reports whether the gain, the mute and the volume of the bus let sound through at the given frame of the mix. A
// fade counts with the larger of its current and target value.
func (b *Bus) opens(frame int64) bool {
	return b.Gain.MaxGain(frame) > 0 && max(b.Mute.At(frame), b.Mute.To) > 0 && b.maxVolume(frame) > 0
}

// computeTails sets the tail of every bus. The tail is the longest time, in frames, that a sound stays audible after
// it has ended on that bus. It is the sum of the tails of effects and filters along the longest path to the output,
// through parents and sends. A gain or send that is closed at the given frame of the mix ends its path. computeTails
// also stores until which frame the result is valid.
func (g *Graph) computeTails(frame int64) {
	g.tailsComputedAt, g.tailsValidUntil = frame, never
	for at := len(g.order) - 1; at >= 0; at-- {
		i := g.order[at]
		b, above := &g.Buses[i], g.tree.Nodes[i].Above
		own := b.effectTail(frame) + b.filterTail
		if b.chain.before != nil && b.chain.end > frame {
			g.tailsValidUntil = min(g.tailsValidUntil, b.chain.end)
		}
		if b.tail = own; above >= 0 && b.opens(frame) {
			b.tail += g.Buses[above].tail
		}
		g.limitTails(frame, &b.Gain)
		g.limitTails(frame, &b.Mute)
		g.limitTails(frame, &b.Volume)
		for j := range b.sends {
			s := &b.sends[j]
			if s.Opens(frame) && (s.Pre || b.opens(frame)) {
				b.tail = max(b.tail, own+g.Buses[s.Bus].tail)
			}
			g.limitTails(frame, &s.Gain)
		}
	}
}

// computeTailsAt calls computeTails unless the stored tails of the buses are valid for the given frame of the mix.
func (g *Graph) computeTailsAt(frame int64) {
	if frame < g.tailsComputedAt || frame >= g.tailsValidUntil {
		g.computeTails(frame)
	}
}

// limitTails limits how long the stored tails of buses are valid: until the end of the fade m. It has no effect if m
// ends at or before the given frame of the mix.
func (g *Graph) limitTails(frame int64, m *move.Move) {
	if end := m.End(); end > frame {
		g.tailsValidUntil = min(g.tailsValidUntil, end)
	}
}

// TailUntil returns the frame until which effects and filters may sound if the last input of the bus with index bus
// ends at the given frame of the mix. It counts all paths from this bus to the output. It is 0 without effects and
// filters.
func (g *Graph) TailUntil(bus int, frame int64) (until int64) {
	g.computeTailsAt(frame)
	if tail := g.Buses[bus].tail; tail > 0 {
		until = frame + tail
	}
	return until
}

// VoiceTail returns the frame until which effects and filters may sound after a voice. The voice is on the bus with
// index bus, has the given sends, began at the frame began and ends at the frame end. It is 0 without effects and
// filters.
func (g *Graph) VoiceTail(bus int, sends []Send, began, end int64) (until int64) {
	until = g.TailUntil(bus, end)
	if began < g.closedAt { // a gain on its path has opened or closed since then
		for i := range g.Buses {
			if b := &g.Buses[i]; began < b.closedAt && g.tree.PassesThrough(bus, i) {
				until = max(until, b.tailUntil)
			}
		}
	}
	for i := range sends {
		if to := &sends[i]; to.Opens(end) {
			until = max(until, g.TailUntil(to.Bus, end))
		}
	}
	return until
}

// extendTail records how long sound may last when a gain on the path of the bus with the given index opens or closes at
// the frame at. Sound from before that frame may still be in effects behind the gain. The parameter was is the tail of
// the bus before the change, in frames, and the parameter frame is the present frame of the mix. extendTail recomputes
// the tails of all buses. If the bus has input and a tail, the result is the frame until which it may last; otherwise
// 0.
func (g *Graph) extendTail(index int, frame, at, was int64) (until int64) {
	g.computeTails(frame)
	b := &g.Buses[index]
	ringing := max(was, b.tail)
	if ringing == 0 {
		return 0
	}
	b.closedAt, b.tailUntil = max(b.closedAt, at), max(b.tailUntil, at+ringing) // for voices that start before the frame at
	g.closedAt = max(g.closedAt, at)
	if g.hasInput(index, frame) {
		until = at + ringing
	}
	return until
}

// hasInput reports whether the bus with the given index has input or may still get input. Input comes from a voice, a
// tail, an effect or a filter on that bus or on a bus below it. All voices of AddPlaying count, inserts and sends do
// not.
func (g *Graph) hasInput(index int, frame int64) bool {
	voices := g.Buses[index].playing
	for i := range g.Buses {
		if !g.tree.PassesThrough(i, index) {
			if g.tree.Nodes[i].Above < 0 && g.tree.Below(i, index) { // another output, below the master
				voices -= g.Buses[i].playing
			}
			continue
		}
		if b := &g.Buses[i]; b.tailEnd > frame || !b.effectsIdle(frame) || b.filter.HasTail() {
			return true
		}
	}
	return voices > 0
}
