package mixer

import (
	"math"

	"voicepool/pool"
)

// receiveWords reads what stands in the records because the ring was full. By
// now all that was sent before has arrived.
func (a *audio) receiveWords() {
	if a.stopsWait.Load() && a.stopsWait.Swap(false) { // a swap costs more
		for _, r := range a.allRecords {
			if !a.takeStop(r) {
				a.stopsWait.Store(true)
			}
		}
	}
	if a.wantsWait.Load() && a.wantsWait.Swap(false) {
		for _, r := range a.allRecords {
			if r.live != 0 {
				a.applyWants(r, r.live, wants(r.dirty.Load()))
			}
		}
	}
	if a.placesWait.Load() && a.placesWait.Swap(false) {
		a.movePlaces()
	}
}

// applyWants moves a voice to what its record wants, once it has started.
func (a *audio) applyWants(r *record, id pool.Handle, fields wants) {
	if r.live == id {
		a.moveTo(r, fields, &foreseen{})
	} else if r.foreseen.id == id { // what was asked for later counts
		r.foreseen.fields &^= fields
	}
}

// moveTo moves a voice to what was foreseen of it, else to what its record wants.
func (a *audio) moveTo(r *record, fields wants, ahead *foreseen) {
	i := int(r.slot.Load())
	done := fields
	if a.wantsWait.Load() { // what the ring had no place for comes yet
		done &^= ahead.fields
	}
	r.dirty.And(^uint32(done))
	want := func(f settable) (float64, bool) { // once: the control side may be writing
		if ahead.fields&(1<<f) != 0 {
			return ahead.values[f], true
		}
		return math.Float64frombits(r.want[f].Load()), fields&(1<<f) != 0
	}
	set := command{kind: cmdSet}
	for f := range numChanges {
		if x, ok := want(f); ok {
			set.change.put(f, x)
		}
	}
	if set.change.Fields != 0 {
		a.act(i, &set)
	} else {
		a.rescore(i)
	}
	for f := setSeek; f < numWants; f++ {
		if x, ok := want(f); ok {
			c := wanted(Handle{}, f, x)
			a.act(i, &c)
		}
	}
	if set.change.Fields&FieldProtect != 0 {
		a.shrink()
	}
}

// takeStop carries out the stop of a record, and reports whether none waits any more.
func (a *audio) takeStop(r *record) bool {
	s := &r.stopping
	version := s.version.Load()
	if version == s.done.Load() {
		return true
	}
	id, at, over, after := pool.Handle(s.id.Load()), s.at.Load(), s.over.Load(), s.after.Load()
	switch {
	case version&1 != 0 || s.version.Load() != version: // it is being written
		return false
	case a.now < at:
		return false
	case r.live == id:
		i := int(r.slot.Load())
		if after == 0 || at == 0 || a.at(i).began <= at {
			a.act(i, &command{kind: cmdStop, over: over})
		}
	case after == 0 && pool.Handle(r.id.Load()) == id:
		a.cancel(r, id)
	case a.commands.Popped() < after: // the start may be one that has not arrived
		return false
	}
	s.done.Store(version)
	return true
}

// foreseen is what commands have made of a start that has not come yet. It is
// apart from what the record wants, which the control side may be writing: of
// the two, what was asked for later counts.
type foreseen struct {
	id     pool.Handle // of the start that it is for
	fields wants
	values [numWants]float64
}

// foresee notes a change of a start that has not come yet: it starts so.
func (a *audio) foresee(r *record, c *command) {
	f := &r.foreseen
	if id := c.target.voice.id; f.id != id {
		*f = foreseen{id: id}
	}
	note := func(field settable, value float64) {
		f.fields |= 1 << field
		f.values[field] = value
	}
	switch {
	case c.kind == cmdSet:
		for fields := c.change.Fields; fields != 0; fields &= fields - 1 {
			f := fields.first()
			note(f, c.change.get(f))
		}
	case c.kind == cmdPause || c.kind == cmdResume:
		note(setPause, truth(c.kind == cmdPause))
	case c.kind == cmdSeek && c.feed == nil:
		note(setSeek, float64(c.place))
	case c.kind == cmdSeek:
		r.feed.Drop()
		r.feed, c.taken = c.feed, true
		r.options.FadeIn = max(r.options.FadeIn, a.smooth)
	}
}
