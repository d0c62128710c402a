package fields

import (
	"cmp"
	"fmt"
	"strconv"

	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// Span is a number or a range of numbers.
type Span struct{ From, To float64 }

// Read parses the value of p, a number or a range [from, to] within the limits, into s and reports whether it is
// valid. A number sets both ends. If the value is invalid, it records an error.
func (s *Span) Read(r *Reader, p *yaml.Pair, within Limits) bool {
	if p.Value.Kind != yaml.List {
		ok := r.number(p, &s.From, within)
		s.To = s.From
		return ok
	}
	if len(p.Value.Items) != 2 {
		r.Fail(p.Value.Position, "a range of %s is [least, most], not a list of %d", p.Key, len(p.Value.Items))
		return false
	}
	low, high := *p, *p
	low.Value, high.Value = p.Value.Items[0], p.Value.Items[1]
	var span Span
	if !r.number(&low, &span.From, within) || !r.number(&high, &span.To, within) {
		return false
	}
	if span.From > span.To {
		r.Fail(p.Value.Position, "a range of %s is [least, most]; here the first is larger", p.Key)
		return false
	}
	*s = span
	return true
}

// Text returns s.From, and whether it is not 0. It ignores s.To, because recorders write only drawn values.
func (s *Span) Text() (string, bool) { return Shortest(s.From), s.From != 0 }

// Schema returns the schema of a number or a pair of numbers, each within the limits.
func (s *Span) Schema(within Limits) Schema {
	one := within.schema("number")
	return either(one, Schema{"type": "array", "items": one, "minItems": 2, "maxItems": 2})
}

// choice is a destination for a value from a list, which files write by name.
type choice[T interface {
	comparable
	fmt.Stringer
}] struct {
	to     *T
	values []T
}

// Choice returns a Value that parses the name of an element of values, its String, into *to and writes it.
func Choice[T interface {
	comparable
	fmt.Stringer
}](to *T, values ...T) Value {
	return &choice[T]{to, values}
}

// Read parses the value of p, the name of an element of c.values, into *c.to and reports whether it is valid. If not,
// it records an error with a suggestion.
func (c *choice[T]) Read(r *Reader, p *yaml.Pair, _ Limits) bool {
	text, ok := r.Scalar(p, "a word")
	if !ok {
		return false
	}
	names := make([]string, len(c.values))
	for i, v := range c.values {
		if names[i] = v.String(); names[i] == text {
			*c.to = v
			return true
		}
	}
	hint := cmp.Or(r.Suggest(text, func() []string { return names }), fmt.Sprintf("; want one of %s", Join(names)))
	r.Fail(p.Value.Position, "%s: there is no %s%s", p.Key, yaml.Quote(text), hint)
	return false
}

// Text returns the quoted name of the value, and whether it is not the zero value.
func (c *choice[T]) Text() (string, bool) {
	var zero T
	return Quoted((*c.to).String()), *c.to != zero
}

// Schema returns an enum of the names.
func (c *choice[T]) Schema(Limits) Schema {
	names := make([]string, len(c.values))
	for i, v := range c.values {
		names[i] = v.String()
	}
	return Schema{"enum": names}
}

// optional is a value that may be missing.
type optional[T any] struct {
	to          **T
	destination func(*T) any
}

// Optional returns a Value for a setting that may be missing. A valid value sets *to to a new T; otherwise *to stays
// unchanged. destination(x) returns the destination, as for Field.To, that parses into x.
func Optional[T any](to **T, destination func(*T) any) Value { return optional[T]{to, destination} }

// Read parses the value of p into a new T, stores it in *o.to if it is valid, and reports whether it is.
func (o optional[T]) Read(r *Reader, p *yaml.Pair, within Limits) bool {
	value := new(T)
	ok := r.Value(p, &Field{To: o.destination(value), Within: within})
	if ok {
		*o.to = value
	}
	return ok
}

// Text returns the value in the format of a file and true, or "" and false if *o.to is nil.
func (o optional[T]) Text() (text string, some bool) {
	if *o.to == nil {
		return "", false
	}
	text, _ = (&Field{To: o.destination(*o.to)}).text()
	return text, true
}

// Schema returns the schema of the value.
func (o optional[T]) Schema(within Limits) Schema {
	return (&Field{To: o.destination(new(T)), Within: within}).schema()
}

// RejectedKey is a known key that is rejected. Its text is the reason: "is called ...".
type RejectedKey string

// Read records an error at p with the reason why the key is invalid, and always returns false.
func (n RejectedKey) Read(r *Reader, p *yaml.Pair, _ Limits) bool {
	r.Fail(p.Position, "%s %s", p.Key, string(n))
	return false
}

// Text returns "" and false, because the key is never written.
func (n RejectedKey) Text() (string, bool) { return "", false }

// Schema returns nil, so that editors do not offer the key.
func (n RejectedKey) Schema(Limits) Schema { return nil }

// Name is a destination for the name of a known object.
type Name struct {
	To    *string
	Kind  string          // "bus"
	Known map[string]bool // not needed for writing
}

// Read parses the value of p, a name in n.Known, into *n.To and reports whether it is valid. If not, it records an
// error with a suggestion and leaves *n.To unchanged.
func (n Name) Read(r *Reader, p *yaml.Pair, _ Limits) bool {
	name := ""
	if !r.Word(p, &name) {
		return false
	}
	if !n.Known[name] {
		r.Fail(p.Value.Position, "%s: there is no %s %s%s", p.Key, n.Kind, yaml.Quote(name), r.Suggest(name, func() []string { return Sorted(n.Known) }))
		return false
	}
	*n.To = name
	return true
}

// Text returns the quoted name, and whether it is not empty.
func (n Name) Text() (string, bool) { return Quoted(*n.To), *n.To != "" }

// Schema returns the schema of a non-empty string; it does not list the names.
func (n Name) Schema(Limits) Schema { return name }

// Loop is a destination for a loop flag or a number of rounds.
type Loop struct {
	On     *bool // nil for a set cue, with Rounds as in mixer.Change: the remaining rounds
	Rounds *int
}

// Read parses the value of p: true, false, or a number of rounds. It sets *l.On and *l.Rounds, and reports whether the
// value is valid. If not, it records an error and leaves both unchanged. If l.On is nil, the number in the file
// excludes the current round, and *l.Rounds includes it.
func (l Loop) Read(r *Reader, p *yaml.Pair, _ Limits) bool {
	text := p.Value.Text
	n, counted := ParseWhole(text, 1, mixer.MaxRounds)
	switch {
	case p.Value.Quoted || !counted && text != "true" && text != "false":
		return r.RejectValue(p, fmt.Sprintf("true, false, or how often the loop is played, from 1 to %d", mixer.MaxRounds))
	case l.On != nil:
		*l.On = text != "false"
	case text == "true":
		n = mixer.Forever
	default:
		n = min(n+1, mixer.MaxRounds) // the current round counts as well
	}
	*l.Rounds = int(n)
	return true
}

// Text returns the number of rounds, or true or false without a number, and whether the loop is on. If l.On is nil,
// the number excludes the current round.
func (l Loop) Text() (string, bool) {
	on, n := *l.Rounds != 1, *l.Rounds
	if l.On != nil {
		on = *l.On
	} else {
		n--
	}
	if on && n > 0 {
		return strconv.Itoa(n), true
	}
	return strconv.FormatBool(on), on
}

// Schema returns the schema of a boolean or a number of rounds.
func (l Loop) Schema(Limits) Schema {
	return either(Schema{"type": "boolean"}, Limits{From: 1, To: mixer.MaxRounds}.schema("integer"))
}
