package mixer

import (
	"math"
	"sync/atomic"

	"voicepool/voice"
)

// A game sets properties of many voices, often several times between two blocks. So a set of now is a
// pending set that is stored beside the voice or the bus. The next set of the property replaces it. One
// command makes the audio side read it. The result is the same as if each set were a command. A set that
// follows a command of another kind is sent as a command. If half of the ring buffer is in use, pending
// sets are applied after all commands in the ring buffer.

// The numbers of properties that can fade; they come first. Of a voice and of a bus.
const (
	numVoiceFades = propHighPass + 1
	numBusFades   = propSolo + 1
)

// wish is the pending set of one property. Sets at one frame reduce to two: the last one without a fade,
// and the last fade after it. It is a seqlock: the control side writes it, the audio side reads it, and
// neither waits.
type wish struct {
	version atomic.Uint32 // odd during a write
	kind    atomic.Uint32 // wishJump, wishMove, and above them the shape of the last set
	jump    atomic.Uint64 // float64 bits
	to      atomic.Uint64
	over    atomic.Int64 // frames
}

const (
	wishJump = 1 << iota
	wishMove
	wishShape = 2 // shift of the shape
)

// wishes are the pending sets of a voice or a bus.
type wishes struct {
	dirty *dirtyWord
	all   []wish
	sent  []uint64 // by property: the sequence number of the last command for it
	voice Handle   // of the voice, or zero for a bus
	bus   uint16
}

// set returns the command equivalent to a pending set.
func (w *wishes) set(f property, value float64, over int64, shape voice.Shape) command {
	c := command{kind: cmdSet, wished: true, frame: Now, target: TargetVoice(w.voice), over: over}
	if w.voice == (Handle{}) {
		c.target = Target{kind: busVoices, bus: w.bus}
	}
	c.change.put(f, value)
	c.change.Shape = shape
	return c
}

// send returns the command that makes the audio side read the pending set.
func (w *wishes) send(f property) command {
	if w.voice == (Handle{}) {
		return command{kind: cmdWantBus, frame: Now, target: Target{kind: busVoices, bus: w.bus}, fields: 1 << f}
	}
	return command{kind: cmdWant, frame: Now, record: w.voice.id, fields: 1 << f}
}

// wished is a copy of a wish.
type wished struct {
	jumps, moves bool
	jump, to     float64
	over         int64
	shape        voice.Shape
}

// last returns the final value.
func (w *wished) last() float64 {
	if w.moves {
		return w.to
	}
	return w.jump
}

// read returns a copy of the pending set; ok is false if a write came in between.
func (x *wish) read() (w wished, ok bool) {
	v, kind := x.version.Load(), x.kind.Load()
	w = wished{
		jumps: kind&wishJump != 0, moves: kind&wishMove != 0, shape: voice.Shape(kind >> wishShape),
		jump: math.Float64frombits(x.jump.Load()), to: math.Float64frombits(x.to.Load()), over: x.over.Load(),
	}
	return w, v&1 == 0 && x.version.Load() == v
}

// write adds a set to the pending set, or replaces it if anew is true.
func (x *wish) write(value float64, over int64, shape voice.Shape, anew bool) {
	was := x.kind.Load()
	kind, to := uint32(wishJump), &x.jump
	if over > 0 {
		if kind, to = wishMove, &x.to; !anew {
			kind |= was & wishJump
		}
	}
	kind |= uint32(shape) << wishShape
	version := x.version.Load()
	x.version.Store(version + 1)
	to.Store(math.Float64bits(value))
	if over > 0 && x.over.Load() != over {
		x.over.Store(over)
	}
	if kind != was {
		x.kind.Store(kind)
	}
	x.version.Store(version + 2)
}

// wishAfter is the shift of the bits for pending sets that are applied after the ring buffer.
const wishAfter = 16

// dirtyWord has a bit for each property with a pending set.
type dirtyWord struct {
	atomic.Uint32
	after atomic.Uint64 // the sequence number of the command that the pending sets after the ring buffer follow
}

// mark makes a pending set apply after the ring buffer. Further sets of the property replace it.
func (d *dirtyWord) mark(bit uint32, seq uint64) {
	if bit <<= wishAfter; d.Load()&bit == 0 {
		d.after.Store(seq)
		d.Or(bit)
	}
}

// dirtyFields returns the properties with a pending set, including those after the ring buffer. If a
// command that these follow arrived during this block, they wait for the next block.
func (a *audio) dirtyFields(dirty *dirtyWord) propertySet {
	d := dirty.Load()
	if d>>wishAfter != 0 {
		if a.commands.Popped() < dirty.after.Load() {
			a.wantsWait.Store(true)
			return 0
		}
		dirty.And(^(d >> wishAfter << wishAfter)) // later marks are kept
	}
	return propertySet(d | d>>wishAfter)
}

// wish stores a pending set of a property. The mutex is held.
func (m *Mixer) wish(w *wishes, f property, value float64, over int64, shape voice.Shape) {
	bit, x, dirty := uint32(1)<<f, &w.all[f], w.dirty.Load()
	pending := dirty&bit != 0
	follows := pending && w.sent[f] <= m.otherSeq
	after := dirty&(bit<<wishAfter) != 0 // a command would overtake the pending set
	if follows && !after {
		if m.pushSet(w.set(f, value, over, shape)) {
			w.sent[f] = 0 // the next set follows this command
			return
		}
		after = true
	}
	x.write(value, over, shape, !pending)
	switch was := w.dirty.Or(bit) & bit; {
	case pending && was == 0: // the audio side has applied it
		x.write(value, over, shape, true)
	case pending && !follows:
		return
	}
	if after || !m.pushSet(w.send(f)) {
		w.dirty.mark(bit, m.seq)
		m.wantsWait.Store(true)
		return
	}
	w.sent[f] = m.seq
}

// pushSet sends a command for a set, unless half of the ring buffer is in use. The rest is reserved for
// commands that cannot be pending sets. The mutex is held.
func (m *Mixer) pushSet(c command) bool {
	if n := m.underWay.len(); n >= m.commandMax/2 && n < m.commandMax {
		return false
	}
	return m.push(c) == nil
}

// wishBus stores pending sets of the properties of a bus. The mutex is held.
func (m *Mixer) wishBus(bus uint16, c *Change, over int64) {
	b := &m.busWishes[bus]
	if c.Fields&cutoffFields != 0 {
		m.hearSpectra()
	}
	if c.Fields&FieldGain != 0 {
		m.gains.set(laterGain{frame: Now, bus: bus, gain: c.Gain}, m.next())
	}
	w := wishes{dirty: &b.dirty, all: b.moves[:], sent: m.busSent[bus][:], bus: bus}
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		m.wish(&w, f, c.get(f), over, c.Shape)
	}
}

// busWish holds the pending sets of a bus. Both sides use it.
type busWish struct {
	dirty dirtyWord
	moves [numBusFades]wish
}

// wish stores a pending set of a property of a voice. The mutex is held.
func (h Handle) wish(r *record, f property, value float64, over int64, shape voice.Shape) {
	m := h.mixer
	m.loops = m.loops || f == propRounds
	if f == propPitch || f == propSpeed || f == propRounds {
		var c Change
		c.put(f, value)
		m.retuneBy(r, &c, Now, over)
	}
	rare := m.own(r)
	if f.isCutoff() {
		m.equip(r)
	}
	if f < numVoiceFades {
		m.wish(&wishes{dirty: &r.dirty, all: rare.moves[:], sent: rare.wantSeq[:], voice: h}, f, value, over, shape)
		return
	}
	rare.want[f].Store(math.Float64bits(value))
	if r.dirty.Or(1<<f)&(1<<f) != 0 && rare.wantSeq[f] > m.otherSeq {
		return
	}
	if !m.pushSet(command{kind: cmdWant, frame: Now, record: h.id, fields: 1 << f}) {
		m.wantsWait.Store(true)
		return
	}
	rare.wantSeq[f] = m.seq
}

// glide sets properties of a voice that can fade.
func (h Handle) glide(c *Change, over int64) error {
	r, unlock := h.living()
	if r == nil {
		return ErrGone
	}
	defer unlock()
	if m := h.mixer; m.lead.frames > 0 {
		return m.push(command{kind: cmdSet, frame: Now, target: TargetVoice(h), change: *c, over: over})
	}
	h.wishAll(r, c, over)
	return nil
}

// wishAll stores pending sets of several properties of a voice. The mutex is held.
func (h Handle) wishAll(r *record, c *Change, over int64) {
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		h.wish(r, f, c.get(f), over, c.Shape)
	}
}
