package parse

import (
	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
)

// Every is a destination for the interval between repetitions, or its range.
type Every struct{ Min, Max *rules.Time }

// minInterval is the shortest interval, a nanosecond. It limits the number of repetitions per frame.
var minInterval = rules.FrameTime(1, 1e9)

// Read parses the value of p, a time or a pair [least, most], into *e.Min and *e.Max and reports whether it is
// valid. If not, it records an error. A single time leaves *e.Max unchanged; a pair of equal times sets it to 0.
func (e Every) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	if p.Value.Kind != yaml.List {
		return parseInterval(r, p, e.Min)
	}
	if len(p.Value.Items) != 2 {
		r.Fail(p.Value.Position, "every takes a time, or two, [least, most], not a list of %d", len(p.Value.Items))
		return false
	}
	low, high := *p, *p
	low.Value, high.Value = p.Value.Items[0], p.Value.Items[1]
	if !parseInterval(r, &low, e.Min) || !parseInterval(r, &high, e.Max) {
		return false
	}
	c := e.Min.Compare(*e.Max)
	if c > 0 || e.Max.Compare(rules.FrameTime(1<<62, 1e9)) > 0 {
		r.Fail(p.Value.Position, "every: two times are [least, most], at most 146 years; here they are %v and %v",
			*e.Min, *e.Max)
		return false
	}
	if c == 0 {
		*e.Max = rules.Time{}
	}
	return true
}

// parseInterval parses the value of p, an interval of at least 1 ns, into *to and reports whether it is valid. If not,
// it records an error in r; *to may have changed.
func parseInterval(r *fields.Reader, p *yaml.Pair, to *rules.Time) bool {
	ok := r.Value(p, &fields.Field{To: to})
	switch {
	case ok && to.IsZero():
		r.Fail(p.Value.Position, "every: the time from one repetition to the next must be more than 0")
	case ok && to.Compare(minInterval) < 0:
		r.Fail(p.Value.Position, "every: %v is less than the least time from one repetition to the next, 1ns", *to)
	default:
		return ok
	}
	return false
}

// Text returns "" and false, because recorded cues do not repeat.
func (e Every) Text() (string, bool) { return "", false }

// Schema returns the schema of a time or a pair of times.
func (e Every) Schema(within fields.Limits) fields.Schema {
	return fields.Either{e.Min, fields.List{Of: e.Min, Min: 2, Max: 2}}.Schema(within)
}
