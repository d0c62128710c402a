package mixer

import (
	"voicepool/effect"
	"voicepool/pcm"
	"voicepool/voice"
)

// MaxEffects is the maximum number of effects of a bus.
const MaxEffects = 16

// rack holds the effects of a bus in order.
type rack struct {
	all  []*effect.Processor
	keys []int // by effect: index of its key bus; -1: its own bus
}

// newRack creates the effects of a bus from their descriptions.
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

// tail returns the maximum tail of all effects in series.
func (r *rack) tail() (frames int64) {
	for _, p := range r.all {
		frames += p.Tail()
	}
	return frames
}

// measure computes, for each bus, the maximum tail of sound that arrives from a frame on, including the
// buses down to the output and sends. Closed gains and sends end a path.
func (a *audio) measure(frame int64) {
	a.measuredAt, a.measured = frame, never
	for at := len(a.up) - 1; at >= 0; at-- {
		i := a.up[at]
		b := &a.buses[i]
		own := b.rack.tail() + b.rings
		if b.ringing = own; a.tree[i].above >= 0 && b.opens(frame) {
			b.ringing += a.buses[a.tree[i].above].ringing
		}
		a.remeasure(frame, &b.gain)
		a.remeasure(frame, &b.mute)
		for j := range b.sends {
			s := &b.sends[j]
			if s.opens(frame) && (s.pre || b.opens(frame)) {
				b.ringing = max(b.ringing, own+a.buses[s.bus].ringing)
			}
			a.remeasure(frame, &s.gain)
		}
	}
}

// measureAt makes the ringing times valid for a frame.
func (a *audio) measureAt(frame int64) {
	if frame < a.measuredAt || frame >= a.measured {
		a.measure(frame)
	}
}

// remeasure schedules the next measure for the end of a fade.
func (a *audio) remeasure(frame int64, m *voice.Move) {
	if end := m.End(); end > frame {
		a.measured = min(a.measured, end)
	}
}

// opens reports whether the gains of a bus let sound through from a frame on.
func (b *bus) opens(frame int64) bool {
	return b.gain.MaxGain(frame) > 0 && max(b.mute.At(frame), b.mute.To) > 0
}

// opens reports whether a send lets sound through from a frame on.
func (s *send) opens(frame int64) bool { return s.gain.MaxGain(frame) > 0 }

// ringPast extends the tail of the effects after a bus when a gain on its path opens or closes at a
// frame: sound that passed before the frame still rings. was is the ringing time of the bus before the
// change, in frames.
func (a *audio) ringPast(index int, frame, was int64) {
	a.measure(a.now)
	b := &a.buses[index]
	ringing := max(was, b.ringing)
	if ringing == 0 {
		return
	}
	b.closedAt, b.rangUntil = max(b.closedAt, frame), max(b.rangUntil, frame+ringing) // for voices that start before frame
	a.closedAt = max(a.closedAt, frame)
	if a.sounds(index) {
		a.ringUntil(frame + ringing)
	}
}

// ringBefore extends the tail for a voice that began before a gain on its path opened or closed. The
// effects ring at least as long as ringPast found for that gain.
func (a *audio) ringBefore(s *slot) {
	if s.began >= a.closedAt {
		return
	}
	for i := range a.buses {
		if b := &a.buses[i]; s.began < b.closedAt && a.tree.through(int(s.bus), i) {
			a.ringUntil(b.rangUntil)
		}
	}
}

// ringUntil records that effects ring until a frame.
func (a *audio) ringUntil(frame int64) {
	a.stats.RingsUntil = max(a.stats.RingsUntil, frame)
	if a.skips {
		a.silentFrom(frame)
	}
}

// sounds reports whether a voice, a tail, an effect or a filter feeds a bus.
func (a *audio) sounds(index int) bool {
	for i := range a.buses {
		if b := &a.buses[i]; a.tree.through(i, index) && (b.tailsEnd > a.now || !b.rack.idle(a.now) || b.filter.HasTail()) {
			return true
		}
	}
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		if a.tree.through(int(a.voiceTable.at(i).bus), index) {
			return true
		}
	}
	return false
}

// idle reports whether silence at the input gives silence at the output.
func (r *rack) idle(frame int64) bool {
	for _, p := range r.all {
		if !p.Idle(frame) {
			return false
		}
	}
	return true
}

// listens reports whether the key bus of an effect had output in this block.
func (a *audio) listens(r *rack) bool {
	for _, k := range r.keys {
		if k >= 0 && a.buses[k].gave {
			return true
		}
	}
	return false
}

// effects runs the effects of a bus. They also run without input while they have a tail.
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

// audible is the amplitude that counts as heard in the tail of an effect: -90 dBFS.
const audible = 3.1623e-5

// ringFrom records the tail of the effects after the input of a bus ends at a frame.
func (a *audio) ringFrom(frame int64, bus int) {
	a.measureAt(frame)
	if ringing := a.buses[bus].ringing; ringing > 0 {
		a.ringUntil(frame + ringing)
	}
}

// hearRing updates SilentFrom while effects ring.
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

// setEffect fades parameters of an effect.
func (a *audio) setEffect(index int, c *command) {
	r := &a.buses[index].rack
	p := r.all[c.part.effect.place]
	for _, v := range c.part.effect.moves {
		p.Set(a.now, v.place, v.to, c.over)
	}
	a.measure(a.now)
	a.invalidateResponse(index)
	a.refresh()
	if !r.idle(a.now) {
		a.ringFrom(a.now, index)
	}
}
