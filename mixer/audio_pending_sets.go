package mixer

import (
	"math"

	"voicepool/internal/property"
	"voicepool/internal/ring"
	"voicepool/mixer/internal/pendingset"
	"voicepool/pool"
	"voicepool/sounds"
)

// applyDeferred applies the stops, property changes and positions that did not fit into the ring buffer of commands.
// All commands in the ring buffer must have been received before. A change that the control side is writing right now
// waits for the next block.
func (a *audio) applyDeferred() {
	if a.stopsDeferred.Load() && a.stopsDeferred.Swap(false) { // a swap is more expensive
		for _, r := range a.allRecords() {
			if !a.applyDeferredStop(r) {
				a.stopsDeferred.Store(true)
			}
		}
	}
	if a.setsDeferred.Load() && a.setsDeferred.Swap(false) {
		for _, r := range a.allRecords() {
			switch id, fields := pool.Handle(r.id.Load()), a.pendingProps(&r.dirty); {
			case fields == 0:
			case r.playing == id:
				a.applyPending(r, id, fields)
			case !r.status.State().Over():
				a.storeOverrides(r, id, fields)
			}
		}
		for i := range a.busPendings {
			a.applyBusPending(i, a.pendingProps(&a.busPendings[i].dirty))
		}
	}
	if a.positionsDeferred.Load() && a.positionsDeferred.Swap(false) {
		a.positions.applyPositions()
	}
}

// applyPending applies the pending changes of the properties in props to the voice of a start. id is the handle of the
// start, and r is its record. If the start has not begun, the changes become its initial values; of several changes of
// a property the last counts. If the start is over, applyPending has no effect.
func (a *audio) applyPending(r *record, id pool.Handle, props propertySet) {
	switch {
	case r.playing == id:
		a.applyProperties(r, props, nil)
	case r.status.State().Over() || pool.Handle(r.id.Load()) != id:
	default:
		if overrides := r.overrides(id); overrides != nil { // the later set counts
			overrides.props &^= props
		}
		a.storeOverrides(r, id, props)
	}
}

// storeOverrides makes a start that has not begun begin with the final values of its pending changes. id is the handle
// of the start, and r is its record. Only properties in props that can fade are handled; the others stay pending. A
// change that the control side is writing right now waits for the next block.
func (a *audio) storeOverrides(r *record, id pool.Handle, props propertySet) {
	extra := r.extra.Load() // not nil: a pending set exists
	for f := range property.NumVoiceFades {
		if props&(1<<f) == 0 {
			continue
		}
		r.dirty.And(^uint32(1 << f))
		if w, ok := extra.pending[f].Read(); ok {
			extra.overrides.set(id, f, w.FinalValue())
		} else {
			a.deferSet(&r.dirty, f)
		}
	}
}

// deferSet leaves the pending change of property f for the next block, because the control side is writing it right
// now. dirty holds one bit for each property of the voice or bus with a pending change. deferSet sets the bit of f and
// a.setsDeferred.
func (a *audio) deferSet(dirty *pendingset.DirtyBits, f property.ID) {
	dirty.Or(1 << f)
	a.setsDeferred.Store(true)
}

// applyProperties changes properties of the living voice of r at the present frame and updates its scores. A property
// in overrides gets the value there. Each other property in props gets its pending change: a new value, a fade, or
// both. If the voice has sounded, a new value before a fade is left out. A change that the control side is writing
// right now waits for the next block. overrides may be nil; r.extra must be set. If protection was changed and the pool
// is over its limit, voices may be stolen.
func (a *audio) applyProperties(r *record, props propertySet, overrides *startOverrides) {
	if overrides == nil {
		overrides = &startOverrides{}
	}
	extra := r.extra.Load() // not nil: overrides or a pending set exist
	i := r.status.Index()
	audible := a.mutable(i).sounded
	done := props
	if a.setsDeferred.Load() { // pending sets that did not fit are applied later
		done &^= overrides.props
	}
	r.dirty.And(^uint32(done))
	set := command{kind: cmdSet}
	var fades [property.NumVoiceFades]pendingset.Snapshot
	for f := range property.NumChange {
		switch bit := propertySet(1) << f; {
		case overrides.props&bit != 0:
			set.change.put(f, overrides.values[f])
		case props&bit == 0:
		case f >= property.NumVoiceFades:
			set.change.put(f, math.Float64frombits(extra.pendingValues[f].Load()))
		default:
			p, ok := extra.pending[f].Read()
			if !ok {
				a.deferSet(&r.dirty, f)
				continue
			}
			if fades[f] = p; p.HasJump && !(p.HasFade && audible) {
				if set.change.put(f, p.Jump); f == property.Gain {
					set.change.Shape = p.Shape
				}
			}
		}
	}
	if set.change.Fields != 0 {
		a.applyToVoice(i, &set)
	} else {
		a.scores.rescore(i)
	}
	for f := range property.NumVoiceFades {
		if p := &fades[f]; p.HasFade {
			fade := command{kind: cmdSet, fadeFrames: p.Over, change: Change{Shape: p.Shape}}
			fade.change.put(f, p.Target)
			a.applyToVoice(i, &fade)
		}
	}
	for f := property.Seek; f < property.NumPending; f++ {
		x, ok := math.Float64frombits(extra.pendingValues[f].Load()), props&(1<<f) != 0
		if overrides.props&(1<<f) != 0 {
			x, ok = overrides.values[f], true
		}
		if ok {
			c := setCommand(Handle{}, f, x)
			a.applyToVoice(i, &c)
		}
	}
	if set.change.Fields&FieldProtect != 0 {
		a.size.shrink()
	}
}

// applyBusPending applies the pending changes of the properties in props to the bus with the given index: a new value,
// a fade, or both. If the bus may have output, a new value before a fade is left out. A change that the control side is
// writing right now waits for the next block.
func (a *audio) applyBusPending(index int, props propertySet) {
	b := &a.busPendings[index]
	audible := props != 0 && a.graph.mayHaveOutput(index)
	for f := range property.NumBusFades {
		if props&(1<<f) == 0 {
			continue
		}
		b.dirty.And(^uint32(1 << f))
		p, ok := b.sets[f].Read()
		if !ok {
			a.deferSet(&b.dirty, f)
			continue
		}
		if p.HasJump && !(p.HasFade && audible) {
			a.applyBusSet(index, f, p.Jump, 0, p.Shape)
		}
		if p.HasFade {
			a.applyBusSet(index, f, p.Target, p.Over, p.Shape)
		}
	}
}

// applyBusSet fades property f of the bus with the given index to x, in the unit of the property, within fadeFrames
// frames along shape. The fade begins at the present frame. The change is recorded in the journal.
func (a *audio) applyBusSet(index int, f property.ID, x float64, fadeFrames int64, shape sounds.Shape) {
	c := command{kind: cmdSet, target: Target{kind: busVoices, bus: uint16(index)}, fadeFrames: fadeFrames, change: Change{Shape: shape}}
	c.change.put(f, x)
	a.journalCommand(&c)
	a.graph.set(index, &c)
}

// applyDeferredStop executes the deferred stop of r, if there is one and it is due. A deferred stop did not fit into
// the ring buffer of commands. The result is false if the stop must be tried again in the next block. This happens if
// its frame is later, its start may not have arrived, or the control side is writing it. Otherwise the result is true.
// A start that has not begun is cancelled by its own stop, but not by a StopAll. With Config.Lead, a StopAll also
// spares a voice that began after its frame.
func (a *audio) applyDeferredStop(r *record) bool {
	extra := r.extra.Load()
	if extra == nil {
		return true
	}
	s := &extra.pendingStop
	stop, version, ok := s.Read()
	switch {
	case s.Executed(version):
		return true
	case !ok || a.now < stop.Frame:
		return false
	case r.playing == stop.ID:
		i := r.status.Index()
		if stop.AfterSeq == 0 || stop.Frame == 0 || a.mutable(i).began <= stop.Frame {
			a.applyToVoice(i, &command{kind: cmdStop, fadeFrames: stop.Over})
		}
	case stop.AfterSeq == 0 && pool.Handle(r.id.Load()) == stop.ID:
		a.successors.cancelStart(r, stop.ID)
	case ring.Popped(a.commands) < stop.AfterSeq: // the start may not have arrived yet
		return false
	}
	s.SetExecuted(version)
	return true
}

// startOverrides holds the properties that commands have set on a start that has not begun. It is separate
// from the pending sets, which the control side may be writing. The later of both counts.
type startOverrides struct {
	id     pool.Handle // of the start that it is for
	props  propertySet
	values [property.NumPending]float64
}

// set stores value as the initial value of a property of the start with the handle id. The parameter field is the
// property; value is in its unit, and 1 or 0 for booleans. If f holds values of another start, they are dropped first.
func (f *startOverrides) set(id pool.Handle, field property.ID, value float64) {
	if f.id != id {
		*f = startOverrides{id: id}
	}
	f.props |= 1 << field
	f.values[field] = value
}

// overrideStart applies c to the start of r, which has not begun, by changing the initial values of the start. Fades
// are left out: the start begins with their final values. A seek of a stream replaces and drops the stream buffer of
// the start. If the start takes over the stream buffer c.feed, c.bufferOwned is set. r.extra must be set.
func (a *audio) overrideStart(r *record, c *command) {
	overrides, id := &r.extra.Load().overrides, c.target.id // allocated by pushReserved
	switch {
	case c.kind == cmdSend:
		a.moveSend(r, c, 0)
		for i := range r.sends { // the journal records the initial gains
			if extra := r.extra.Load(); extra.sends[i].Bus == c.payload.send.bus {
				extra.sent[i].Gain = c.payload.send.gain
			}
		}
	case c.kind == cmdPosition:
		if r.isSpatial {
			r.spatial.Source.Spot = c.payload.spot
		}
	case c.kind == cmdSet && c.feed != nil:
		r.setNewRounds(c.feed)
		c.bufferOwned = true
	case c.kind == cmdSet:
		for fields := c.change.Fields; fields != 0; fields &= fields - 1 {
			f := fields.first()
			overrides.set(id, f, c.change.get(f))
		}
	case c.kind == cmdPause || c.kind == cmdResume:
		overrides.set(id, property.Paused, boolFloat(c.kind == cmdPause))
	case c.kind == cmdSeek && c.feed == nil:
		overrides.set(id, property.Seek, float64(c.position))
	case c.kind == cmdSeek:
		r.options.Buffer.Drop()
		r.options.Buffer, c.bufferOwned = c.feed, true
		r.options.FadeIn = max(r.options.FadeIn, a.smooth)
	}
}
