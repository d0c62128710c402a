package mixer

import (
	"math"
	"sync/atomic"

	"voicepool/voice"
)

// A frame of a game sets many voices, often many times between two blocks. So a set of now
// is a wish, which stands beside the voice or the bus. The next one replaces it, and one
// command says that there are some. What is heard is as if every set had been a command:
// one that follows another kind of command is one. Where half of the ring is taken, the
// wishes act after all that is in the ring.

// The fields that take their time come first: so many of a voice, so many of a bus.
const (
	voiceMoves = setHighPass + 1
	busMoves   = setSolo + 1
)

// wish is where a field is to go. Sets of one frame come to at most two: the last one
// that takes no time, if it is not heard, and the last one after it. The control side
// writes it, the audio side reads it, neither waiting for the other.
type wish struct {
	version atomic.Uint32 // odd while it is written
	kind    atomic.Uint32 // wishJump, wishMove, and the shape of the last one behind them
	jump    atomic.Uint64 // float64 bits
	to      atomic.Uint64
	over    atomic.Int64 // frames
}

const (
	wishJump = 1 << iota
	wishMove
	wishShape = 2 // bits before the shape
)

// wishes are those of a voice or a bus.
type wishes struct {
	dirty *dirtyWord
	all   []wish
	sent  []uint64 // by field: the command that was sent for it last
	voice Handle   // or, where it is zero:
	bus   uint16
}

// set is the command that a wish stands for.
func (w *wishes) set(f settable, value float64, over int64, shape voice.Shape) command {
	c := command{kind: cmdSet, wished: true, frame: Now, target: TargetVoice(w.voice), over: over}
	if w.voice == (Handle{}) {
		c.target = Target{kind: busVoices, bus: w.bus}
	}
	c.change.put(f, value)
	c.change.Shape = shape
	return c
}

// send is the command that makes the audio side see it.
func (w *wishes) send(f settable) command {
	if w.voice == (Handle{}) {
		return command{kind: cmdWantBus, frame: Now, target: Target{kind: busVoices, bus: w.bus}, fields: 1 << f}
	}
	return command{kind: cmdWant, frame: Now, record: w.voice.id, fields: 1 << f}
}

// wished is a wish as it was read.
type wished struct {
	jumps, moves bool
	jump, to     float64
	over         int64
	shape        voice.Shape
}

// last returns where it ends.
func (w *wished) last() float64 {
	if w.moves {
		return w.to
	}
	return w.jump
}

// read reports whether w is all of one write.
func (x *wish) read() (w wished, ok bool) {
	v, kind := x.version.Load(), x.kind.Load()
	w = wished{
		jumps: kind&wishJump != 0, moves: kind&wishMove != 0, shape: voice.Shape(kind >> wishShape),
		jump: math.Float64frombits(x.jump.Load()), to: math.Float64frombits(x.to.Load()), over: x.over.Load(),
	}
	return w, v&1 == 0 && x.version.Load() == v
}

// write adds a set to what is wished, or, if that is not to count any more, begins anew. A
// store costs more than a look.
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

// wishAfter is where the bits of those wishes are in a word of dirty ones that act after
// the ring.
const wishAfter = 16

// dirtyWord has a bit for each field that is not applied yet.
type dirtyWord struct {
	atomic.Uint32
	after atomic.Uint64 // the command that those for after the ring follow
}

// mark notes that a wish acts after the ring. One of the same field goes with the last.
func (d *dirtyWord) mark(bit uint32, seq uint64) {
	if bit <<= wishAfter; d.Load()&bit == 0 {
		d.after.Store(seq)
		d.Or(bit)
	}
}

// dirtyFields returns those that are dirty, the ones for after the ring too. What they follow
// may have come while this block began: then they wait for the next one.
func (a *audio) dirtyFields(dirty *dirtyWord) wants {
	d := dirty.Load()
	if d>>wishAfter != 0 {
		if a.commands.Popped() < dirty.after.Load() {
			a.wantsWait.Store(true)
			return 0
		}
		dirty.And(^(d >> wishAfter << wishAfter)) // what is marked meanwhile stays
	}
	return wants(d | d>>wishAfter)
}

// wish notes a set of a field. The mutex is held.
func (m *Mixer) wish(w *wishes, f settable, value float64, over int64, shape voice.Shape) {
	bit, x, dirty := uint32(1)<<f, &w.all[f], w.dirty.Load()
	pending := dirty&bit != 0
	follows := pending && w.sent[f] <= m.otherSeq
	after := dirty&(bit<<wishAfter) != 0 // a command would come before the wish that it follows
	if follows && !after {
		if m.pushSet(w.set(f, value, over, shape)) {
			w.sent[f] = 0 // what comes now follows this one
			return
		}
		after = true
	}
	x.write(value, over, shape, !pending)
	switch was := w.dirty.Or(bit) & bit; {
	case pending && was == 0: // it has been applied meanwhile
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

// pushSet hands over a command of a set, unless half of the ring is taken: the rest is for
// what has no words of its own. The mutex is held.
func (m *Mixer) pushSet(c command) bool {
	if n := m.underWay.len(); n >= m.commandMax/2 && n < m.commandMax {
		return false
	}
	return m.push(c) == nil
}

// wishBus notes a set of a bus, of one field or several. The mutex is held.
func (m *Mixer) wishBus(bus uint16, c *Change, over int64) {
	b := &m.busWishes[bus]
	if c.Fields&fieldsFilter != 0 {
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

// busWish is what is wished of a bus. Both sides'.
type busWish struct {
	dirty dirtyWord
	moves [busMoves]wish
}

// wish notes a set of the voice of h, over some frames. The mutex is held.
func (h Handle) wish(r *record, f settable, value float64, over int64, shape voice.Shape) {
	m := h.mixer
	m.loops = m.loops || f == setRounds
	if f == setPitch || f == setSpeed || f == setRounds {
		var c Change
		c.put(f, value)
		m.retuneBy(r, &c, Now, over)
	}
	rare := m.own(r)
	if f.filters() {
		m.equip(r)
	}
	if f < voiceMoves {
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

// glide sets fields of the voice of h that may take their time.
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

// wishAll notes a set of several fields of the voice of h. The mutex is held.
func (h Handle) wishAll(r *record, c *Change, over int64) {
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		h.wish(r, f, c.get(f), over, c.Shape)
	}
}
