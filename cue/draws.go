package cue

import (
	"voicepool/bank/rules"
	"voicepool/internal/chance"
	"voicepool/internal/fields"
	"voicepool/internal/yaml"
)

// nanoseconds returns a time in them: chance draws no finer ones.
func nanoseconds(t rules.Time) int64 { return t.Frames(1e9) }

// drawn returns when a repetition is due that comes so many nanoseconds after the first.
func (c *Cue) drawn(since int64) rules.Time { return plus(c.At, rules.FrameTime(since, 1e9)) }

// gap returns the nanoseconds from a repetition to the next, and whether there is a next one.
func (c *Cue) gap(d chance.Draw, since int64) (next int64, more bool) {
	next = since + d.Between(nanoseconds(c.Every), nanoseconds(c.EveryMost), chance.Every)
	return next, c.span == 0 || next < c.span
}

// acts reports whether chance has a repetition act.
func (c *Cue) acts(d chance.Draw) bool { return c.Chance == 0 || d.Happens(c.Chance, chance.Acts) }

// everyOf is a place for the time from one repetition to the next, or the least and the most.
type everyOf struct {
	*draft
	least, most *rules.Time
}

// Read reads a time or two.
func (e everyOf) Read(_ *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	if p.Value.Kind != yaml.List {
		return e.every(p, e.least)
	}
	if len(p.Value.Items) != 2 {
		e.Fail(p.Value.Place, "every takes a time, or two, [least, most], not a list of %d", len(p.Value.Items))
		return false
	}
	least, most := *p, *p
	least.Value, most.Value = p.Value.Items[0], p.Value.Items[1]
	if !e.every(&least, e.least) || !e.every(&most, e.most) {
		return false
	}
	if c := e.least.Compare(*e.most); c > 0 || e.most.Compare(rules.FrameTime(1<<62, 1e9)) > 0 {
		e.Fail(p.Value.Place, "every: two times are [least, most], at most 146 years; here they are %v and %v", *e.least, *e.most)
		return false
	} else if c == 0 {
		*e.most = rules.Time{}
	}
	return true
}

// Text returns nothing: what is recorded has been drawn.
func (e everyOf) Text() (string, bool) { return "", false }

// Schema returns a time or two.
func (e everyOf) Schema(within fields.Limits) fields.Schema {
	return fields.Either{e.least, fields.List{Of: e.least, Least: 2, Most: 2}}.Schema(within)
}

// spans works out how often a cue acts at most whose repetitions chance draws.
func (d *draft) spans(every, until *yaml.Pair) {
	if until != nil {
		d.span = nanoseconds(d.until) - nanoseconds(d.At)
	}
	if until == nil && d.Times-1 > uint64(1<<62/nanoseconds(d.EveryMost)) || d.span < 0 {
		d.Fail(every.Place, "every: the last repetition would come after more than 146 years")
		d.Times = 1
	}
}
