package mixer

import (
	"voicepool/effect"
	"voicepool/pcm"
	"voicepool/voice"
)

// MaxEffects is the maximum number of effects of a bus.
const MaxEffects = 16

// effectRack holds the effects of a bus in order.
type effectRack struct {
	all  []*effect.Processor
	keys []int // by effect: index of its key bus; -1: its own bus
}

// newRack creates the effects of a bus from described, in the same order. Each key, the bus that controls a
// compressor, must be the name of a bus. rate is in Hz.
func (s *shared) newRack(described []effect.Effect, rate int) effectRack {
	r := effectRack{all: make([]*effect.Processor, len(described)), keys: make([]int, len(described))}
	for i := range described {
		r.all[i], r.keys[i] = described[i].NewProcessor(rate, int(s.hop)), -1
		if key := described[i].Key; key != "" {
			r.keys[i] = s.tree.find(key)
		}
	}
	return r
}

// tail returns for how many frames at most the effects in series sound after their input has ended. This is the sum of
// their tails.
func (r *effectRack) tail() (frames int64) {
	for _, p := range r.all {
		frames += p.Tail()
	}
	return frames
}

// computeTails sets the tail of every bus. The tail is the longest time, in frames, that a sound stays audible after
// it has ended on that bus. It is the sum of the tails of effects and filters along the longest path to the output,
// through parents and sends. A gain or send that is closed at the given frame of the mix ends its path. computeTails
// also stores until which frame the result is valid.
func (a *audio) computeTails(frame int64) {
	a.tailsComputedAt, a.tailsValidUntil = frame, never
	for at := len(a.mixOrder) - 1; at >= 0; at-- {
		i := a.mixOrder[at]
		b := &a.buses[i]
		own := b.rack.tail() + b.filterTail
		if b.tail = own; a.tree[i].above >= 0 && b.opens(frame) {
			b.tail += a.buses[a.tree[i].above].tail
		}
		a.scheduleTails(frame, &b.gain)
		a.scheduleTails(frame, &b.mute)
		for j := range b.sends {
			s := &b.sends[j]
			if s.opens(frame) && (s.pre || b.opens(frame)) {
				b.tail = max(b.tail, own+a.buses[s.bus].tail)
			}
			a.scheduleTails(frame, &s.gain)
		}
	}
}

// computeTailsAt calls computeTails unless the stored tails of the buses are valid for the given frame of the mix.
func (a *audio) computeTailsAt(frame int64) {
	if frame < a.tailsComputedAt || frame >= a.tailsValidUntil {
		a.computeTails(frame)
	}
}

// scheduleTails limits how long the stored tails of buses are valid: until the end of the fade m. It has no effect if
// m ends at or before the given frame of the mix.
func (a *audio) scheduleTails(frame int64, m *voice.Move) {
	if end := m.End(); end > frame {
		a.tailsValidUntil = min(a.tailsValidUntil, end)
	}
}

// opens reports whether the gain and the mute of the bus let sound through at the given frame of the mix. A fade
// counts with the larger of its current and target value.
func (b *bus) opens(frame int64) bool {
	return b.gain.MaxGain(frame) > 0 && max(b.mute.At(frame), b.mute.To) > 0
}

// opens reports whether the gain of the send lets sound through at the given frame of the mix. A fade counts with the
// larger of its current and target value.
func (s *send) opens(frame int64) bool { return s.gain.MaxGain(frame) > 0 }

// extendTailAfter records in a.buses[index] how long sound may last when a gain on the path of this bus opens or
// closes. The parameter frame is the frame of the mix where the gain does so. Sound from before that frame may still be
// in effects behind the gain. The parameter was is the tail of the bus before the change, in frames. extendTailAfter
// recomputes the tails of all buses. If the bus has input and a tail, it updates Stats.
func (a *audio) extendTailAfter(index int, frame, was int64) {
	a.computeTails(a.now)
	b := &a.buses[index]
	ringing := max(was, b.tail)
	if ringing == 0 {
		return
	}
	b.closedAt, b.tailUntil = max(b.closedAt, frame), max(b.tailUntil, frame+ringing) // for voices that start before frame
	a.closedAt = max(a.closedAt, frame)
	if a.hasInput(index) {
		a.noteTailUntil(frame + ringing)
	}
}

// extendTailFor records in Stats how long effects may sound after the voice s. It matters only if s began before a
// gain on its path opened or closed. The recorded end is then at least the end that extendTailAfter found for that
// gain.
func (a *audio) extendTailFor(s *slot) {
	if s.began >= a.closedAt {
		return
	}
	for i := range a.buses {
		if b := &a.buses[i]; s.began < b.closedAt && a.tree.passesThrough(int(s.bus), i) {
			a.noteTailUntil(b.tailUntil)
		}
	}
}

// noteTailUntil records in Stats.RingsUntil that effects may sound until the given frame of the mix. During Mixer.Skip
// it also records the frame in Stats.SilentFrom. A frame before the recorded one has no effect.
func (a *audio) noteTailUntil(frame int64) {
	a.stats.RingsUntil = max(a.stats.RingsUntil, frame)
	if a.skipping {
		a.noteSilentFrom(frame)
	}
}

// hasInput reports whether a.buses[index] has input or may still get input. Input comes from a voice, a tail, an effect
// or a filter on that bus or on a bus below it. Virtual and paused voices count, inserts and sends do not.
func (a *audio) hasInput(index int) bool {
	for i := range a.buses {
		if b := &a.buses[i]; a.tree.passesThrough(i, index) && (b.tailEnd > a.now || !b.rack.idle(a.now) || b.filter.HasTail()) {
			return true
		}
	}
	for i, place := a.nextInOrder(0); i >= 0; i, place = a.nextInOrder(place) {
		if a.tree.passesThrough(int(a.voiceTable.at(i).bus), index) {
			return true
		}
	}
	return false
}

// idle reports whether all effects of the rack have died away at the given frame of the mix. From then on silent input
// gives silent output.
func (r *effectRack) idle(frame int64) bool {
	for _, p := range r.all {
		if !p.Idle(frame) {
			return false
		}
	}
	return true
}

// keyHadOutput reports whether the key bus of any effect in r had output in the frames just mixed. A key bus is
// another bus that controls a compressor. An effect without a key does not count.
func (a *audio) keyHadOutput(r *effectRack) bool {
	for _, k := range r.keys {
		if k >= 0 && a.buses[k].hadOutput {
			return true
		}
	}
	return false
}

// runEffects runs the effects of a.buses[index] in place on its next n frames. Without input, they run only while an
// effect has a tail or a bus that controls a compressor has output. An effect that computes invalid samples becomes
// silent and is reset. This counts in Stats.Faults and emits EventFault. If an effect has a tail after these frames,
// a.hasTail is set.
func (a *audio) runEffects(index int, n int64) {
	b := &a.buses[index]
	if len(b.rack.all) == 0 || !b.used && b.rack.idle(a.now) && !a.keyHadOutput(&b.rack) {
		return
	}
	block := b.block(n)
	for i, p := range b.rack.all {
		var key []pcm.Frame
		if k := b.rack.keys[i]; k >= 0 {
			key = a.buses[k].lastOutput[:n]
		}
		if p.Process(block, key, a.now) {
			continue
		}
		a.stats.Faults++
		a.emit(&audioEvent{Frame: a.now, Kind: EventFault, Slot: -1, Bus: uint16(index)})
	}
	a.hasTail = a.hasTail || !b.rack.idle(a.now+n)
}

// audible is the amplitude that counts as heard in the tail of an effect: -90 dBFS.
const audible = 3.1623e-5

// noteTailFrom records in Stats how long effects may still sound if the last input of a.buses[bus] ends at the given
// frame of the mix. It counts the effects and filters on all paths from this bus to the output. Without such effects
// it has no effect.
func (a *audio) noteTailFrom(frame int64, bus int) {
	a.computeTailsAt(frame)
	if ringing := a.buses[bus].tail; ringing > 0 {
		a.noteTailUntil(frame + ringing)
	}
}

// updateSilentFrom moves Stats.SilentFrom behind the last of the frames just mixed that is louder than -90 dBFS on any
// output. It has no effect unless a.hasTail is set, which means that an effect or filter has a tail.
func (a *audio) updateSilentFrom() {
	if !a.hasTail {
		return
	}
	for k := range a.outputs.all {
		block := a.outputs.all[k].into
		for i := len(block) - 1; i >= 0; i-- {
			if f := &block[i]; f[0] > audible || f[0] < -audible || f[1] > audible || f[1] < -audible {
				a.noteSilentFrom(a.now + int64(i) + 1)
				break
			}
		}
	}
}

// setEffect executes c, a cmdEffect: it fades parameters of one effect of a.buses[index] within c.fadeFrames frames, at
// least 10 ms. A parameter with more than two choices changes at once. It also updates the tails of the buses and the
// response of the bus. If an effect of the bus still sounds, Stats records for how long.
func (a *audio) setEffect(index int, c *command) {
	r := &a.buses[index].rack
	p := r.all[c.payload.effect.index]
	for _, v := range c.payload.effect.moves {
		p.Set(a.now, v.place, v.to, c.fadeFrames)
	}
	a.computeTails(a.now)
	a.invalidateResponse(index)
	a.refreshBuses()
	if !r.idle(a.now) {
		a.noteTailFrom(a.now, index)
	}
}
