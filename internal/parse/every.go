package parse

import (
	"voicepool/bank/rules"
	"voicepool/internal/fields"
	"voicepool/internal/yaml"
)

// Every is a place for the time from one repetition to the next, or the least and the most.
type Every struct{ Least, Most *rules.Time }

// leastEvery is the shortest time from one repetition to the next, so that no frame has more of
// them than can be gone through: a nanosecond.
var leastEvery = rules.FrameTime(1, 1e9)

// Read reads a time or two.
func (e Every) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	if p.Value.Kind != yaml.List {
		return every(r, p, e.Least)
	}
	if len(p.Value.Items) != 2 {
		r.Fail(p.Value.Place, "every takes a time, or two, [least, most], not a list of %d", len(p.Value.Items))
		return false
	}
	least, most := *p, *p
	least.Value, most.Value = p.Value.Items[0], p.Value.Items[1]
	if !every(r, &least, e.Least) || !every(r, &most, e.Most) {
		return false
	}
	if c := e.Least.Compare(*e.Most); c > 0 || e.Most.Compare(rules.FrameTime(1<<62, 1e9)) > 0 {
		r.Fail(p.Value.Place, "every: two times are [least, most], at most 146 years; here they are %v and %v", *e.Least, *e.Most)
		return false
	} else if c == 0 {
		*e.Most = rules.Time{}
	}
	return true
}

// every reads a time from one repetition to the next.
func every(r *fields.Reader, p *yaml.Pair, to *rules.Time) bool {
	ok := r.Value(p, &fields.Field{To: to})
	switch {
	case ok && to.IsZero():
		r.Fail(p.Value.Place, "every: the time from one repetition to the next is more than 0")
	case ok && to.Compare(leastEvery) < 0:
		r.Fail(p.Value.Place, "every: %v is less than the least time from one repetition to the next, 1ns", *to)
	default:
		return ok
	}
	return false
}

// Text returns nothing: what is recorded has been drawn.
func (e Every) Text() (string, bool) { return "", false }

// Schema returns a time or two.
func (e Every) Schema(within fields.Limits) fields.Schema {
	return fields.Either{e.Least, fields.List{Of: e.Least, Least: 2, Most: 2}}.Schema(within)
}
