package mixer

import "voicepool/pool"

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
	note := func(field wants, value float64) {
		f.fields |= 1 << field
		f.values[field] = value
	}
	set := func(field Fields) bool { return c.kind == cmdSet && c.change.Fields&field != 0 }
	if set(FieldGain) {
		note(wantGain, float64(c.change.Gain))
	}
	if set(FieldPan) {
		note(wantPan, c.change.Pan)
	}
	if set(FieldPitch) {
		note(wantPitch, float64(c.change.Pitch))
	}
	if set(FieldSpeed) {
		note(wantSpeed, c.change.Speed)
	}
	if set(FieldPriority) {
		note(wantPriority, float64(c.change.Priority))
	}
	if set(FieldProtect) {
		note(wantProtect, truth(c.change.Protect))
	}
	if set(FieldRounds) {
		note(wantRounds, float64(c.change.Rounds))
	}
	switch {
	case c.kind == cmdPause:
		note(wantPause, 1)
	case c.kind == cmdResume:
		note(wantPause, 0)
	case c.kind == cmdSeek && c.feed == nil:
		note(wantSeek, float64(c.over))
	case c.kind == cmdSeek:
		r.feed.Drop()
		r.feed, c.taken = c.feed, true
		r.options.FadeIn = max(r.options.FadeIn, a.smooth)
	}
}

// forget drops what was foreseen of fields that the record wants otherwise since.
func (r *record) forget(id pool.Handle, fields wants) {
	if r.foreseen.id == id {
		r.foreseen.fields &^= fields
	}
}
