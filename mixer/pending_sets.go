package mixer

import (
	"math"

	"voicepool/mixer/internal/pendingset"
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

// pendingSets are the pending sets of a voice or a bus.
type pendingSets struct {
	dirty   *pendingset.DirtyBits
	sets    []pendingset.Set
	sentSeq []uint64 // by property: the sequence number of the last command for it
	voice   Handle   // of the voice, or zero for a bus
	bus     uint16
}

// command returns the command that sets property f to value, in its unit, within over frames along a shape, instead
// of a pending set.
func (w *pendingSets) command(f property, value float64, over int64, shape voice.Shape) command {
	c := command{kind: cmdSet, continuesPending: true, frame: Now, target: TargetVoice(w.voice), fadeFrames: over}
	if w.voice == (Handle{}) {
		c.target = Target{kind: busVoices, bus: w.bus}
	}
	c.change.put(f, value)
	c.change.Shape = shape
	return c
}

// readCommand returns the command that makes the audio side apply the pending set of property f.
func (w *pendingSets) readCommand(f property) command {
	if w.voice == (Handle{}) {
		return command{kind: cmdPendingBus, frame: Now, target: Target{kind: busVoices, bus: w.bus}, props: 1 << f}
	}
	return command{kind: cmdPending, frame: Now, record: w.voice.id, props: 1 << f}
}

// pendingProps returns the properties with a pending set in dirty, including sets after the ring buffer, whose marks
// it clears. If a command that these follow arrived during this block, it returns 0, and they wait for the next
// block.
func (a *audio) pendingProps(dirty *pendingset.DirtyBits) propertySet {
	bits, ok := dirty.Take(a.commands.Popped())
	if !ok {
		a.setsDeferred.Store(true)
	}
	return propertySet(bits)
}

// storeSet stores a pending set of property f, in w, to value, in its unit, within over frames along a shape. It
// sends a command if the audio side would otherwise not read it in time. The mutex is held.
func (m *Mixer) storeSet(w *pendingSets, f property, value float64, over int64, shape voice.Shape) {
	bit, x, dirty := uint32(1)<<f, &w.sets[f], w.dirty.Load()
	pending := dirty&bit != 0
	follows := pending && w.sentSeq[f] <= m.otherSeq
	after := pendingset.AfterRing(dirty, bit) // a command would overtake the pending set
	if follows && !after {
		if m.pushSet(w.command(f, value, over, shape)) {
			w.sentSeq[f] = 0 // the next set follows this command
			return
		}
		after = true
	}
	x.Write(value, over, shape, !pending)
	switch was := w.dirty.Or(bit) & bit; {
	case pending && was == 0: // the audio side has applied it
		x.Write(value, over, shape, true)
	case pending && !follows:
		return
	}
	if after || !m.pushSet(w.readCommand(f)) {
		w.dirty.MarkAfterRing(bit, m.seq)
		m.setsDeferred.Store(true)
		return
	}
	w.sentSeq[f] = m.seq
}

// pushSet sends a command for a set and reports whether it was sent. It is not sent while half of the ring buffer or
// more is in use, because the rest is reserved for commands that cannot be pending sets. The mutex is held.
func (m *Mixer) pushSet(c command) bool {
	if n := m.inFlight.Len(); n >= m.capacity.Max/2 && n < m.capacity.Max {
		return false
	}
	return m.push(c) == nil
}

// storeBusSets stores pending sets of the properties in c of the bus with an index, within over frames. The mutex is
// held.
func (m *Mixer) storeBusSets(bus uint16, c *Change, over int64) {
	b := &m.busPendings[bus]
	if c.Fields&cutoffFields != 0 {
		m.enableSpectral()
	}
	if c.Fields&FieldGain != 0 {
		m.busGains.record(scheduledGain{frame: Now, bus: bus, gain: c.Gain}, m.next())
	}
	w := pendingSets{dirty: &b.dirty, sets: b.sets[:], sentSeq: m.busPendingSeq[bus][:], bus: bus}
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		m.storeSet(&w, f, c.get(f), over, c.Shape)
	}
}

// busPending holds the pending sets of a bus. Both sides use it.
type busPending struct {
	dirty pendingset.DirtyBits
	sets  [numBusFades]pendingset.Set
}

// storeSet stores a pending set of property f of the voice with record r to value, in its unit, within over frames
// along a shape if it can fade. The mutex is held.
func (h Handle) storeSet(r *record, f property, value float64, over int64, shape voice.Shape) {
	m := h.mixer
	m.mayLoop = m.mayLoop || f == propRounds
	if f == propPitch || f == propSpeed || f == propRounds {
		var c Change
		c.put(f, value)
		m.notePitchSet(r, &c, Now, over)
	}
	extra := m.extraOf(r)
	if f.isCutoff() {
		m.allocateFilters(r)
	}
	if f < numVoiceFades {
		m.storeSet(&pendingSets{dirty: &r.dirty, sets: extra.pending[:], sentSeq: extra.pendingSeq[:], voice: h}, f, value, over, shape)
		return
	}
	extra.pendingValues[f].Store(math.Float64bits(value))
	if r.dirty.Or(1<<f)&(1<<f) != 0 && extra.pendingSeq[f] > m.otherSeq {
		return
	}
	if !m.pushSet(command{kind: cmdPending, frame: Now, record: h.id, props: 1 << f}) {
		m.setsDeferred.Store(true)
		return
	}
	extra.pendingSeq[f] = m.seq
}

// fadeProperties sets the properties in c of a voice within over frames: as pending sets, or as a command with
// Config.Lead. It returns ErrGone or, with Lead, ErrBusy. It takes the mutex.
func (h Handle) fadeProperties(c *Change, over int64) error {
	r, unlock := h.lockAlive()
	if r == nil {
		return ErrGone
	}
	defer unlock()
	if m := h.mixer; m.clock.lead > 0 {
		return m.push(command{kind: cmdSet, frame: Now, target: TargetVoice(h), change: *c, fadeFrames: over})
	}
	h.storeSets(r, c, over)
	return nil
}

// storeSets stores pending sets of the properties in c of the voice with record r, within over frames. The mutex is
// held.
func (h Handle) storeSets(r *record, c *Change, over int64) {
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		h.storeSet(r, f, c.get(f), over, c.Shape)
	}
}
