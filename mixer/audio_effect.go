package mixer

import (
	"voicepool/effect"
	"voicepool/pcm"
)

// MaxEffects is how many effects a bus may have.
const MaxEffects = 16

// rack is the effects of a bus, in order.
type rack struct {
	all  []*effect.Processor
	keys []int // the bus that each listens to, an index; -1: its own
}

// newRack makes the effects of a bus as they are described.
func (s *shared) newRack(described []effect.Effect, rate int) rack {
	r := rack{all: make([]*effect.Processor, len(described)), keys: make([]int, len(described))}
	for i := range described {
		r.all[i], r.keys[i] = described[i].NewProcessor(rate, int(s.hop)), -1
		if key := described[i].Key; key != "" {
			r.keys[i] = s.tree.find(key)
		}
	}
	return r
}

// tail returns how long the effects ring at most, one after the other.
func (r *rack) tail() (frames int64) {
	for _, p := range r.all {
		frames += p.Tail()
	}
	return frames
}

// measure works out how long what comes to each bus rings at most, on its way to the output too.
func (a *audio) measure() {
	for at := len(a.up) - 1; at >= 0; at-- {
		i := a.up[at]
		b := &a.buses[i]
		own := b.rack.tail() + b.rings
		if b.ringing = own; a.tree[i].above >= 0 {
			b.ringing += a.buses[a.tree[i].above].ringing
		}
		for j := range b.sends {
			b.ringing = max(b.ringing, own+a.buses[b.sends[j].bus].ringing)
		}
	}
}

// idle reports whether silence in gives silence out.
func (r *rack) idle(frame int64) bool {
	for _, p := range r.all {
		if !p.Idle(frame) {
			return false
		}
	}
	return true
}

// listens reports whether an effect hears another bus in this block.
func (a *audio) listens(r *rack) bool {
	for _, k := range r.keys {
		if k >= 0 && a.buses[k].gave {
			return true
		}
	}
	return false
}

// effects takes the block of a bus through its effects. What rings goes on when nothing comes in.
func (a *audio) effects(index int, n int64) {
	b := &a.buses[index]
	if len(b.rack.all) == 0 || !b.used && b.rack.idle(a.now) && !a.listens(&b.rack) {
		return
	}
	block := b.block(n)
	for i, p := range b.rack.all {
		var key []pcm.Frame
		if k := b.rack.keys[i]; k >= 0 {
			key = a.buses[k].given[:n]
		}
		if p.Process(block, key, a.now) {
			continue
		}
		a.stats.Faults++
		a.emit(&Event{Frame: a.now, Kind: EventFault, Slot: -1, Bus: Bus{index: uint16(index)}})
	}
	a.rings = a.rings || !b.rack.idle(a.now+n)
}

// audible is what counts as heard of what rings: -90 dBFS.
const audible = 3.1623e-5

// ringFrom notes that nothing comes to a bus from a frame on, but what comes later.
func (a *audio) ringFrom(frame int64, bus int) {
	ringing := a.buses[bus].ringing
	if ringing == 0 {
		return
	}
	a.stats.RingsUntil = max(a.stats.RingsUntil, frame+ringing)
	if a.skips {
		a.silentFrom(frame + ringing)
	}
}

// hearRing notes until when the outputs are heard while effects ring.
func (a *audio) hearRing() {
	if !a.rings {
		return
	}
	for k := range a.outputs.all {
		block := a.outputs.all[k].into
		for i := len(block) - 1; i >= 0; i-- {
			if f := &block[i]; f[0] > audible || f[0] < -audible || f[1] > audible || f[1] < -audible {
				a.silentFrom(a.now + int64(i) + 1)
				break
			}
		}
	}
}

// setEffect moves values of an effect.
func (a *audio) setEffect(index int, c *command) {
	r := &a.buses[index].rack
	p := r.all[c.part.effect.place]
	for _, v := range c.part.effect.moves {
		p.Set(a.now, v.place, v.to, c.over)
	}
	a.measure()
	a.filtersMove(index)
	a.refresh()
	if !r.idle(a.now) {
		a.ringFrom(a.now, index)
	}
}
