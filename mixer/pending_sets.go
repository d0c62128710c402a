package mixer

import (
	"math"

	"voicepool/internal/property"
	"voicepool/internal/ring"
	"voicepool/mixer/internal/pendingset"
	"voicepool/pool"
	"voicepool/sounds"
)

// A game sets properties of many voices, often several times between two blocks. So a set of now is a
// pending set that is stored beside the voice or the bus. The next set of the property replaces it. One
// command makes the audio side read it. The result is the same as if each set were a command. A set that
// follows a command of another kind is sent as a command. If half of the ring buffer is in use, pending
// sets are applied after all commands in the ring buffer.

// pendingSets are the pending sets of a voice or a bus.
type pendingSets struct {
	dirty   *pendingset.DirtyBits
	sets    []pendingset.Set
	sentSeq []uint64 // by property: the sequence number of the last command for it
	voice   Handle   // of the voice, or zero for a bus
	bus     uint16
}

// command returns a cmdSet for the voice or bus of w, with the same effect as a pending set of property f. The
// command fades f to value, in the unit of the property, within fadeFrames frames along shape. It acts at Now. It is
// not sent.
func (w *pendingSets) command(f property.ID, value float64, fadeFrames int64, shape sounds.Shape) command {
	c := command{kind: cmdSet, continuesPending: true, frame: Now, target: TargetVoice(w.voice), fadeFrames: fadeFrames}
	if w.voice == (Handle{}) {
		c.target = Target{kind: busVoices, bus: w.bus}
	}
	c.change.put(f, value)
	c.change.Shape = shape
	return c
}

// readCommand returns the command that makes the audio side apply the pending set of property f of the voice or bus
// of w. The set may still be replaced until the command is executed: only the last value counts. It is not sent.
func (w *pendingSets) readCommand(f property.ID) command {
	if w.voice == (Handle{}) {
		return command{kind: cmdPendingBus, frame: Now, target: Target{kind: busVoices, bus: w.bus}, props: 1 << f}
	}
	return command{kind: cmdPending, frame: Now, record: w.voice.id, props: 1 << f}
}

// pendingProps returns the properties of a voice or bus whose pending sets are ready to be applied. dirty has a mark
// for each pending set. Some pending sets must wait for the commands that were sent before them. If such a command
// has not been received yet, the result is empty, and all pending sets wait for the next block. Otherwise
// pendingProps clears these marks of waiting. It leaves the marks of the pending sets themselves.
func (a *audio) pendingProps(dirty *pendingset.DirtyBits) propertySet {
	bits, ok := dirty.Drain(ring.Popped(a.commands))
	if !ok {
		a.setsDeferred.Store(true)
	}
	return propertySet(bits)
}

// storeSet changes property f of a voice or bus to value, in the unit of the property, within fadeFrames frames along
// shape. w holds the pending sets of the voice or bus: values that the audio side reads later. storeSet stores value
// there and replaces an earlier pending set of f. It then sends a command that makes the audio side read the value,
// unless such a command is under way.
//
// There are three exceptions. If other commands were sent since the earlier pending set, that set must act before them.
// So storeSet leaves it and sends value as a command of its own. During a hold it does so, too, because the audio side
// may read a pending set before the release. If the ring buffer of commands has no room, value waits as a pending set
// for the next block. So no set is lost. storeSet updates w.sentSeq. The caller holds m.mutex.
func (m *Mixer) storeSet(w *pendingSets, f property.ID, value float64, fadeFrames int64, shape sounds.Shape) {
	bit, x, dirty := uint32(1)<<f, &w.sets[f], w.dirty.Load()
	pending := dirty&bit != 0
	follows := pending && w.sentSeq[f] <= m.otherSeq
	after := pendingset.AfterRing(dirty, bit) // a command would overtake the pending set
	if (follows || m.holders > 0) && !after {
		if m.pushSet(w.command(f, value, fadeFrames, shape)) {
			w.sentSeq[f] = 0 // the next set follows this command
			return
		}
		if after = true; !pending {
			m.waitForRelease(w, bit)
		}
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

// waitForRelease makes a new pending set of w wait for the release of a hold. bit is 1 shifted by the number of the
// property. If no command is held yet, waitForRelease sends one without effect. Without a hold, or without room for
// this command, the set does not wait. The caller holds m.mutex.
func (m *Mixer) waitForRelease(w *pendingSets, bit uint32) {
	if m.holders > 0 && len(m.held) == 0 && m.inFlight.Len() < m.capacity.Max {
		c := w.readCommand(0)
		c.props = 0
		m.pushReserved(&c)
	}
	if len(m.held) > 0 {
		w.dirty.MarkAfterRing(bit, m.seq)
	}
}

// pushSet sends c, a command for a set of a property, and reports whether it was sent. It does not send c while at
// least half of the maximum number of commands is under way. The caller then keeps the set as a pending set, to be sent
// or read later. The other half is reserved for commands that cannot be kept in this way. If the maximum is reached,
// pushSet counts a busy call. The caller holds m.mutex.
func (m *Mixer) pushSet(c command) bool {
	if n := m.inFlight.Len(); n >= m.capacity.Max/2 && n < m.capacity.Max {
		return false
	}
	return m.push(c) == nil
}

// storeBusSets changes the properties in c of a bus within fadeFrames frames. bus is the index of the bus. storeBusSets
// stores a pending set for each property, for the audio side to read. It records a new gain or volume for Bus.Gain and
// Bus.Volume. For a filter it makes scores include filters. c was checked. The caller holds m.mutex.
func (m *Mixer) storeBusSets(bus uint16, c *Change, fadeFrames int64) {
	b := &m.busPendings[bus]
	if c.Fields&filterFields != 0 {
		m.enableSpectral()
	}
	m.recordGains(nil, Now, bus, c)
	w := pendingSets{dirty: &b.dirty, sets: b.sets[:], sentSeq: m.busPendingSeq[bus][:], bus: bus}
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		m.storeSet(&w, f, c.get(f), fadeFrames, c.Shape)
	}
}

// busPending holds the pending sets of a bus. Both sides use it.
type busPending struct {
	dirty pendingset.DirtyBits
	sets  [property.NumBusFades]pendingset.Set
}

// storeSet changes property f of the voice h to value, in the unit of the property. r is the record of h. A property
// that can fade does so within fadeFrames frames along shape; other properties change at once. storeSet stores a
// pending set, which the audio side reads before the next block. It also allocates a filter, and requests
// the band-limited versions of the sound for a new pitch. The caller holds the mutex.
func (h Handle) storeSet(r *record, f property.ID, value float64, fadeFrames int64, shape sounds.Shape) {
	m := h.mixer
	m.mayLoop = m.mayLoop || f == property.Rounds
	if f == property.Pitch || f == property.Speed || f == property.Rounds {
		var c Change
		c.put(f, value)
		m.pitches.notePitchSet(r, &c, Now, Now, fadeFrames)
	}
	extra := m.extraOf(r)
	if f.IsFilter() {
		m.allocateFilters(r)
	}
	w := pendingSets{dirty: &r.dirty, sets: extra.pending[:], sentSeq: extra.pendingSeq[:], voice: h}
	if f < property.NumVoiceFades {
		m.storeSet(&w, f, value, fadeFrames, shape)
		return
	}
	pending, resumes := r.dirty.Load()&(1<<f) != 0, f == property.Paused && value == 0 // a resume must undo a pending pause
	if m.holders > 0 && pending && !resumes {
		c := setCommand(h, f, value)
		c.continuesPending = true
		if m.pushSet(c) {
			extra.pendingSeq[f] = 0 // the next set follows this command
			return
		}
	}
	extra.pendingValues[f].Store(math.Float64bits(value))
	if r.dirty.Or(1<<f)&(1<<f) != 0 && extra.pendingSeq[f] > m.otherSeq {
		return
	}
	if !m.pushSet(w.readCommand(f)) {
		if !pending {
			m.waitForRelease(&w, 1<<f)
		}
		m.setsDeferred.Store(true)
		return
	}
	extra.pendingSeq[f] = m.seq
}

// fadeProperties changes the properties in c of the voice h within fadeFrames frames. It does not check c. It stores
// pending sets, which the audio side reads before the next block. With Config.Lead it sends a command instead. The
// error is ErrGone if the voice is over or, with Config.Lead, ErrBusy. It locks the mutex.
func (h Handle) fadeProperties(c *Change, fadeFrames int64) error {
	r, unlock := h.lockAlive()
	if r == nil {
		return ErrGone
	}
	defer unlock()
	if m := h.mixer; m.clock.Lead > 0 {
		return m.push(command{kind: cmdSet, frame: Now, target: TargetVoice(h), change: *c, fadeFrames: fadeFrames})
	}
	h.storeSets(r, c, fadeFrames)
	return nil
}

// storeSets changes each property in c of the voice h, whose record is r, within fadeFrames frames; see
// Handle.storeSet. The caller holds the mutex.
func (h Handle) storeSets(r *record, c *Change, fadeFrames int64) {
	for fields := c.Fields; fields != 0; fields &= fields - 1 {
		f := fields.first()
		h.storeSet(r, f, c.get(f), fadeFrames, c.Shape)
	}
}

// stopFrame returns the frame for a stop that does not fit into the ring buffer of commands. 0 means at once. With
// Config.Lead it is a frame of the call clock, because starts that were requested earlier may still be under way. The
// caller holds m.mutex.
func (m *Mixer) stopFrame() int64 {
	if m.clock.Lead == 0 {
		return 0
	}
	return m.clock.Frame(m.Now())
}

// deferStopAll stops all starts that are not over, with a fade of fadeFrames frames. Use it if the ring buffer has no
// room for the command. It stores a pending stop in the record of each start. The audio side executes these stops from
// its next block on or, with Config.Lead, from the frame of the call clock on. The caller holds m.mutex.
func (m *Mixer) deferStopAll(fadeFrames int64) {
	at := m.stopFrame()
	for _, r := range m.allRecords() {
		if m.alive(r) {
			m.extraOf(r).pendingStop.Add(pendingset.Stop{ID: pool.Handle(r.id.Load()), Frame: at, Over: fadeFrames, AfterSeq: m.seq})
		}
	}
	m.deferStops()
}
