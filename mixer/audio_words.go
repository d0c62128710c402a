package mixer

import (
	"math"

	"voicepool/pool"
	"voicepool/voice"
)

// receiveWords applies the stops, sets and positions that did not fit into the ring buffer. All commands
// sent before them have arrived.
func (a *audio) receiveWords() {
	if a.stopsWait.Load() && a.stopsWait.Swap(false) { // a swap is more expensive
		for _, r := range a.allRecords() {
			if !a.takeStop(r) {
				a.stopsWait.Store(true)
			}
		}
	}
	if a.wantsWait.Load() && a.wantsWait.Swap(false) {
		for _, r := range a.allRecords() {
			switch id, fields := pool.Handle(r.id.Load()), a.dirtyFields(&r.dirty); {
			case fields == 0:
			case r.live == id:
				a.applyWants(r, id, fields)
			case !r.stands.state().Over():
				a.foreseeWishes(r, id, fields)
			}
		}
		for i := range a.busWishes {
			a.applyBusWants(i, a.dirtyFields(&a.busWishes[i].dirty))
		}
	}
	if a.placesWait.Load() && a.placesWait.Swap(false) {
		a.movePlaces()
	}
}

// applyWants applies pending sets to a voice, or keeps them for a start that has not begun.
func (a *audio) applyWants(r *record, id pool.Handle, fields propertySet) {
	switch {
	case r.live == id:
		a.moveTo(r, fields, nil)
	case r.stands.state().Over() || pool.Handle(r.id.Load()) != id:
	default:
		if ahead := r.ahead(id); ahead != nil { // the later set counts
			ahead.fields &^= fields
		}
		a.foreseeWishes(r, id, fields)
	}
}

// foreseeWishes makes a pending start begin with the final values of its pending sets.
func (a *audio) foreseeWishes(r *record, id pool.Handle, fields propertySet) {
	rare := r.rare.Load() // not nil: a pending set exists
	for f := range numVoiceFades {
		if fields&(1<<f) == 0 {
			continue
		}
		r.dirty.And(^uint32(1 << f))
		if w, ok := rare.moves[f].read(); ok {
			rare.foreseen.note(id, f, w.last())
		} else {
			a.wishLater(&r.dirty, f)
		}
	}
}

// wishLater defers a pending set that is being written to the next block.
func (a *audio) wishLater(dirty *dirtyWord, f property) {
	dirty.Or(1 << f)
	a.wantsWait.Store(true)
}

// moveTo sets properties of a voice: from ahead if it has the property, otherwise from the pending sets.
func (a *audio) moveTo(r *record, fields propertySet, ahead *foreseen) {
	if ahead == nil {
		ahead = &foreseen{}
	}
	rare := r.rare.Load() // not nil: ahead or a pending set exists
	i := r.stands.index()
	heard := a.at(i).sounded
	done := fields
	if a.wantsWait.Load() { // pending sets that did not fit are applied later
		done &^= ahead.fields
	}
	r.dirty.And(^uint32(done))
	set := command{kind: cmdSet}
	var moves [numVoiceFades]wished
	for f := range numChangeProps {
		switch bit := propertySet(1) << f; {
		case ahead.fields&bit != 0:
			set.change.put(f, ahead.values[f])
		case fields&bit == 0:
		case f >= numVoiceFades:
			set.change.put(f, math.Float64frombits(rare.want[f].Load()))
		default:
			w, ok := rare.moves[f].read()
			if !ok {
				a.wishLater(&r.dirty, f)
				continue
			}
			if moves[f] = w; w.jumps && !(w.moves && heard) {
				if set.change.put(f, w.jump); f == propGain {
					set.change.Shape = w.shape
				}
			}
		}
	}
	if set.change.Fields != 0 {
		a.act(i, &set)
	} else {
		a.rescore(i)
	}
	for f := range numVoiceFades {
		if w := &moves[f]; w.moves {
			move := command{kind: cmdSet, over: w.over, change: Change{Shape: w.shape}}
			move.change.put(f, w.to)
			a.act(i, &move)
		}
	}
	for f := propSeek; f < numProps; f++ {
		x, ok := math.Float64frombits(rare.want[f].Load()), fields&(1<<f) != 0
		if ahead.fields&(1<<f) != 0 {
			x, ok = ahead.values[f], true
		}
		if ok {
			c := setCommand(Handle{}, f, x)
			a.act(i, &c)
		}
	}
	if set.change.Fields&FieldProtect != 0 {
		a.shrink()
	}
}

// applyBusWants applies pending sets to a bus.
func (a *audio) applyBusWants(index int, fields propertySet) {
	b := &a.busWishes[index]
	heard := fields != 0 && a.heard(index, false)
	for f := range numBusFades {
		if fields&(1<<f) == 0 {
			continue
		}
		b.dirty.And(^uint32(1 << f))
		w, ok := b.moves[f].read()
		if !ok {
			a.wishLater(&b.dirty, f)
			continue
		}
		if w.jumps && !(w.moves && heard) {
			a.moveBus(index, f, w.jump, 0, w.shape)
		}
		if w.moves {
			a.moveBus(index, f, w.to, w.over, w.shape)
		}
	}
}

func (a *audio) moveBus(index int, f property, x float64, over int64, shape voice.Shape) {
	c := command{kind: cmdSet, target: Target{kind: busVoices, bus: uint16(index)}, over: over, change: Change{Shape: shape}}
	c.change.put(f, x)
	a.noteCommand(&c)
	a.setBus(index, &c)
}

// takeStop executes the pending stop of a record, and reports whether no stop remains.
func (a *audio) takeStop(r *record) bool {
	rare := r.rare.Load()
	if rare == nil {
		return true
	}
	s := &rare.stopping
	version := s.version.Load()
	if version == s.done.Load() {
		return true
	}
	id, at, over, after := pool.Handle(s.id.Load()), s.at.Load(), s.over.Load(), s.after.Load()
	switch {
	case version&1 != 0 || s.version.Load() != version: // a write is in progress
		return false
	case a.now < at:
		return false
	case r.live == id:
		i := r.stands.index()
		if after == 0 || at == 0 || a.at(i).began <= at {
			a.act(i, &command{kind: cmdStop, over: over})
		}
	case after == 0 && pool.Handle(r.id.Load()) == id:
		a.cancel(r, id)
	case a.commands.Popped() < after: // the start may not have arrived yet
		return false
	}
	s.done.Store(version)
	return true
}

// foreseen holds the properties that commands have set on a start that has not begun. It is separate from
// the pending sets, which the control side may be writing. The later of both counts.
type foreseen struct {
	id     pool.Handle // of the start that it is for
	fields propertySet
	values [numProps]float64
}

// note sets the initial value of a property of a start.
func (f *foreseen) note(id pool.Handle, field property, value float64) {
	if f.id != id {
		*f = foreseen{id: id}
	}
	f.fields |= 1 << field
	f.values[field] = value
}

// foresee applies a command to a start that has not begun.
func (a *audio) foresee(r *record, c *command) {
	ahead, id := &r.rare.Load().foreseen, c.target.id // allocated by put
	switch {
	case c.kind == cmdSend:
		a.moveSend(r, c, 0)
		for i := range r.sends { // the journal records the initial gains
			if rare := r.rare.Load(); rare.sends[i].bus == c.part.send.bus {
				rare.sent[i].Gain = c.part.send.gain
			}
		}
	case c.kind == cmdPut:
		if r.placed {
			r.where.source.Spot = c.part.spot
		}
	case c.kind == cmdSet && c.feed != nil:
		r.turnsTo(c.feed)
		c.taken = true
	case c.kind == cmdSet:
		for fields := c.change.Fields; fields != 0; fields &= fields - 1 {
			f := fields.first()
			ahead.note(id, f, c.change.get(f))
		}
	case c.kind == cmdPause || c.kind == cmdResume:
		ahead.note(id, propPaused, boolFloat(c.kind == cmdPause))
	case c.kind == cmdSeek && c.feed == nil:
		ahead.note(id, propSeek, float64(c.place))
	case c.kind == cmdSeek:
		r.options.Buffer.Drop()
		r.options.Buffer, c.taken = c.feed, true
		r.options.FadeIn = max(r.options.FadeIn, a.smooth)
	}
}
