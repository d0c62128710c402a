package parse

import (
	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
)

// Every is a destination for the interval between repetitions, or its range.
type Every struct{ Least, Most *rules.Time }

// leastEvery is the shortest interval, a nanosecond. It limits the number of repetitions per frame.
var leastEvery = rules.FrameTime(1, 1e9)

// Read parses the value of p, a time or a pair [least, most], into *e.Least and *e.Most and reports whether it is
// valid. If not, it records an error. A single time leaves *e.Most unchanged; a pair of equal times sets it to 0.
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
	c := e.Least.Compare(*e.Most)
	if c > 0 || e.Most.Compare(rules.FrameTime(1<<62, 1e9)) > 0 {
		r.Fail(p.Value.Place, "every: two times are [least, most], at most 146 years; here they are %v and %v",
			*e.Least, *e.Most)
		return false
	}
	if c == 0 {
		*e.Most = rules.Time{}
	}
	return true
}

// every parses the value of p, an interval of at least 1 ns, into *to and reports whether it is valid. If not, it
// records an error in r; *to may have changed.
func every(r *fields.Reader, p *yaml.Pair, to *rules.Time) bool {
	ok := r.Value(p, &fields.Field{To: to})
	switch {
	case ok && to.IsZero():
		r.Fail(p.Value.Place, "every: the time from one repetition to the next must be more than 0")
	case ok && to.Compare(leastEvery) < 0:
		r.Fail(p.Value.Place, "every: %v is less than the least time from one repetition to the next, 1ns", *to)
	default:
		return ok
	}
	return false
}

// Text returns "" and false, because recorded cues do not repeat.
func (e Every) Text() (string, bool) { return "", false }

// Schema returns the schema of a time or a pair of times.
func (e Every) Schema(within fields.Limits) fields.Schema {
	return fields.Either{e.Least, fields.List{Of: e.Least, Least: 2, Most: 2}}.Schema(within)
}
