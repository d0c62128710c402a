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
	note := func(field settable, value float64) {
		f.fields |= 1 << field
		f.values[field] = value
	}
	switch {
	case c.kind == cmdSet:
		for f := range numChanges {
			if x, ok := c.change.get(f); ok {
				note(f, x)
			}
		}
	case c.kind == cmdPause:
		note(setPause, 1)
	case c.kind == cmdResume:
		note(setPause, 0)
	case c.kind == cmdSeek && c.feed == nil:
		note(setSeek, float64(c.place))
	case c.kind == cmdSeek:
		r.feed.Drop()
		r.feed, c.taken = c.feed, true
		r.options.FadeIn = max(r.options.FadeIn, a.smooth)
	}
}
