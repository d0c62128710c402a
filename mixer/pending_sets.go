package mixer

import (
	"math"

	"voicepool/internal/ring"
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

// command returns a command with the same effect as a pending set of property f: it fades f to value, in the unit of
// the property, within fadeFrames frames along a shape.
func (w *pendingSets) command(f property, value float64, fadeFrames int64, shape voice.Shape) command {
	c := command{kind: cmdSet, continuesPending: true, frame: Now, target: TargetVoice(w.voice), fadeFrames: fadeFrames}
	if w.voice == (Handle{}) {
		c.target = Target{kind: busVoices, bus: w.bus}
	}
	c.change.put(f, value)
	c.change.Shape = shape
	return c
}

// readCommand returns the command that makes the audio side read and apply the pending set of property f, with the
// value that is stored when the command is executed.
func (w *pendingSets) readCommand(f property) command {
	if w.voice == (Handle{}) {
		return command{kind: cmdPendingBus, frame: Now, target: Target{kind: busVoices, bus: w.bus}, props: 1 << f}
	}
	return command{kind: cmdPending, frame: Now, record: w.voice.id, props: 1 << f}
}

// pendingProps returns the properties whose pending sets are marked in dirty. It clears the marks of sets that must
// wait for the commands sent before them; see pendingset.DirtyBits.Drain. If such a command has not been received yet,
// it returns 0, and all sets wait for the next block.
func (a *audio) pendingProps(dirty *pendingset.DirtyBits) propertySet {
	bits, ok := dirty.Drain(ring.Popped(a.commands))
	if !ok {
		a.setsDeferred.Store(true)
	}
	return propertySet(bits)
}

// storeSet stores in w a pending set of property f to value, in the unit of the property, within fadeFrames frames
// along shape. A set that is pending already is replaced. storeSet sends a command if the audio side would otherwise
// not read the set in time; without room in the ring buffer the set waits for the next block. The caller holds the
// mutex.
func (m *Mixer) storeSet(w *pendingSets, f property, value float64, fadeFrames int64, shape voice.Shape) {
	bit, x, dirty := uint32(1)<<f, &w.sets[f], w.dirty.Load()
	pending := dirty&bit != 0
	follows := pending && w.sentSeq[f] <= m.otherSeq
	after := pendingset.AfterRing(dirty, bit) // a command would overtake the pending set
	if follows && !after {
		if m.pushSet(w.command(f, value, fadeFrames, shape)) {
			w.sentSeq[f] = 0 // the next set follows this command
			return
		}
		after = true
	}
	x.Write(value, fadeFrames, shape, !pending)
	switch was := w.dirty.Or(bit) & bit; {
	case pending && was == 0: // the audio side has applied it
		x.Write(value, fadeFrames, shape, true)
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

// pushSet sends c, a command for a set, and reports whether it did. It does not send while half of the ring buffer or
// more is in use, because the rest is reserved for commands that cannot be pending sets. A full ring buffer counts as
// a busy call. The caller holds the mutex.
func (m *Mixer) pushSet(c command) bool {
	if n := m.inFlight.Len(); n >= m.capacity.Max/2 && n < m.capacity.Max {
		return false
	}
	return m.push(c) == nil
}

// storeBusSets stores pending sets of the properties in c for the bus at index bus, within fadeFrames frames, and
// records a new gain for Bus.Gain. For a cutoff it makes scores include filters. The caller holds the mutex.
func (m *Mixer) storeBusSets(bus uint16, c *Change, fadeFrames int64) {
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
		m.storeSet(&w, f, c.get(f), fadeFrames, c.Shape)
	}
}

// busPending holds the pending sets of a bus. Both sides use it.
type busPending struct {
	dirty pendingset.DirtyBits
	sets  [numBusFades]pendingset.Set
}

// storeSet stores a pending set of property f of the voice h, whose record is r, to value, in the unit of the
// property. If the property can fade, it fades within fadeFrames frames along shape. It also allocates filters and
// requests mip levels that the voice then needs. The caller holds the mutex.
func (h Handle) storeSet(r *record, f property, value float64, fadeFrames int64, shape voice.Shape) {
	m := h.mixer
	m.mayLoop = m.mayLoop || f == propRounds
	if f == propPitch || f == propSpeed || f == propRounds {
		var c Change
		c.put(f, value)
		m.notePitchSet(r, &c, Now, fadeFrames)
	}
	extra := m.extraOf(r)
	if f.isCutoff() {
		m.allocateFilters(r)
	}
	if f < numVoiceFades {
		m.storeSet(&pendingSets{dirty: &r.dirty, sets: extra.pending[:], sentSeq: extra.pendingSeq[:], voice: h}, f, value, fadeFrames, shape)
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

// fadeProperties fades the properties in c of the voice h within fadeFrames frames. It stores pending sets, or, with
// Config.Lead, sends a command. It returns ErrGone if the voice is over, and ErrBusy if the command cannot be sent.
// It does not check c. It locks the mutex.
func (h Handle) fadeProperties(c *Change, fadeFrames int64) error {
	r, unlock := h.lockAlive()
	if r == nil {
		return ErrGone
	}
	defer unlock()
	if m := h.mixer; m.clock.lead > 0 {
		return m.push(command{kind: cmdSet, frame: Now, target: TargetVoice(h), change: *c, fadeFrames: fadeFrames})
	}
	h.storeSets(r, c, fadeFrames)
	return nil
}

// storeSets stores pending sets of the properties in c for the voice h, whose record is r, within fadeFrames frames.
// The caller holds the mutex.
func (h Handle) storeSets(r *record, c *Change, fadeFrames int64) {
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		h.storeSet(r, f, c.get(f), fadeFrames, c.Shape)
	}
}
