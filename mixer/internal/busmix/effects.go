package busmix

import (
	"voicepool/internal/move"
	"voicepool/pcm"
)

// EffectValue is a new value of a parameter of an effect.
type EffectValue struct {
	Index int // of the parameter in its kind
	Value float64
}

// SetEffect fades parameters of one effect of the bus with the given index, from the given frame of the mix on, within
// over frames, at least 10 ms. The parameter effect is the place of the effect on its bus. A parameter with more than
// two choices changes at once. The result is the frame until which tails on the bus may last, or 0. The caller then
// calls Refresh.
func (g *Graph) SetEffect(index, effect int, values []EffectValue, frame, over int64) (tailUntil int64) {
	b := &g.Buses[index]
	p := b.effects[effect]
	for _, v := range values {
		p.Set(frame, v.Index, v.Value, over)
	}
	g.computeTails(frame)
	b.responseStale = true
	if !b.effectsIdle(frame) {
		tailUntil = g.TailUntil(index, frame)
	}
	return tailUntil
}

// runEffects runs the effects of the bus with the given index. They change n frames in place, from the given frame of
// the mix on. Without input, they run only while an effect has a tail or a key bus had output. A key bus is another bus
// that controls a compressor of this bus. An effect that computes invalid samples becomes silent and is reset, and the
// bus counts as failed. If an effect has a tail after these frames, g.hasTail is set.
func (g *Graph) runEffects(index int, frame, n int64) {
	b := &g.Buses[index]
	if len(b.effects) == 0 || !b.used && b.effectsIdle(frame) && !g.keyHadOutput(b) {
		return
	}
	block := b.Block(n)
	for i, p := range b.effects {
		var key []pcm.Frame
		if k := b.keys[i]; k >= 0 {
			key = g.Buses[k].lastOutput[:n]
		}
		if !p.Process(block, key, frame) {
			g.addFault(index)
		}
	}
	g.hasTail = g.hasTail || !b.effectsIdle(frame+n)
}

// keyHadOutput reports whether the key bus of any effect of b had output in the frames just mixed. A key bus is another
// bus that controls a compressor. An effect without a key does not count.
func (g *Graph) keyHadOutput(b *Bus) bool {
	for _, k := range b.keys {
		if k >= 0 && g.Buses[k].hadOutput {
			return true
		}
	}
	return false
}

// effectsIdle reports whether all effects of the bus have died away at the given frame of the mix. From then on silent
// input gives silent output.
func (b *Bus) effectsIdle(frame int64) bool {
	for _, p := range b.effects {
		if !p.Idle(frame) {
			return false
		}
	}
	return true
}

// effectTail returns for how many frames at most the effects of the bus sound after their input has ended. This is the
// sum of their tails.
func (b *Bus) effectTail() (frames int64) {
	for _, p := range b.effects {
		frames += p.Tail()
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
	for at := len(g.tree.MixOrder) - 1; at >= 0; at-- {
		i := g.tree.MixOrder[at]
		b, above := &g.Buses[i], g.tree.Nodes[i].Above
		own := b.effectTail() + b.filterTail
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
