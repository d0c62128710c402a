package fields

import (
	"fmt"
	"strconv"

	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// Span is a number or a range of numbers.
type Span struct{ From, To float64 }

// Read parses a number or a range [from, to] and reports whether it is valid. A number sets both ends.
func (s *Span) Read(r *Reader, p *yaml.Pair, within Limits) bool {
	if p.Value.Kind != yaml.List {
		ok := r.number(p, &s.From, within)
		s.To = s.From
		return ok
	}
	if len(p.Value.Items) != 2 {
		r.Fail(p.Value.Place, "a range of %s is [least, most], not a list of %d", p.Key, len(p.Value.Items))
		return false
	}
	least, most := *p, *p
	least.Value, most.Value = p.Value.Items[0], p.Value.Items[1]
	var span Span
	if !r.number(&least, &span.From, within) || !r.number(&most, &span.To, within) {
		return false
	}
	if span.From > span.To {
		r.Fail(p.Value.Place, "a range of %s is [least, most]; here the first is larger", p.Key)
		return false
	}
	*s = span
	return true
}

// Text returns From, and whether it is not 0. A written value is never random.
func (s *Span) Text() (string, bool) { return Shortest(s.From), s.From != 0 }

// Schema returns the schema of a number or a pair of numbers.
func (s *Span) Schema(within Limits) Schema {
	one := within.schema("number")
	return either(one, Schema{"type": "array", "items": one, "minItems": 2, "maxItems": 2})
}

// choice is one of several values, written by name.
type choice[T interface {
	comparable
	fmt.Stringer
}] struct {
	to     *T
	values []T
}

// Choice returns a destination for one of several values.
func Choice[T interface {
	comparable
	fmt.Stringer
}](to *T, values ...T) Value {
	return &choice[T]{to, values}
}

// Read parses the name of a value and reports whether it is valid.
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
	hint := r.Suggest(text, func() []string { return names })
	if hint == "" {
		hint = fmt.Sprintf("; want one of %s", Join(names))
	}
	r.Fail(p.Value.Place, "%s: there is no %s%s", p.Key, yaml.Quote(text), hint)
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
	to    **T
	place func(*T) any
}

// Optional returns a destination for an optional value. A valid value sets *to; otherwise *to stays unchanged.
// place returns the destination that parses into its argument.
func Optional[T any](to **T, place func(*T) any) Value { return optional[T]{to, place} }

// Read parses the value, stores it if it is valid, and reports whether it is.
func (o optional[T]) Read(r *Reader, p *yaml.Pair, within Limits) bool {
	value := new(T)
	ok := r.Value(p, &Field{To: o.place(value), Within: within})
	if ok {
		*o.to = value
	}
	return ok
}

// Text returns the value and true, or "" and false if the value is missing.
func (o optional[T]) Text() (text string, some bool) {
	if *o.to == nil {
		return "", false
	}
	text, _ = (&Field{To: o.place(*o.to)}).text()
	return text, true
}

// Schema returns the schema of the value.
func (o optional[T]) Schema(within Limits) Schema {
	return (&Field{To: o.place(new(T)), Within: within}).schema()
}

// Refused is a known key that is rejected. Its text is the reason: "is called ...".
type Refused string

// Read records the reason that the key is invalid, and always returns false.
func (n Refused) Read(r *Reader, p *yaml.Pair, _ Limits) bool {
	r.Fail(p.Place, "%s %s", p.Key, string(n))
	return false
}

// Text returns "" and false, because the key is never written.
func (n Refused) Text() (string, bool) { return "", false }

// Schema returns nil, so that editors do not offer the key.
func (n Refused) Schema(Limits) Schema { return nil }

// Name is a destination for the name of a known object.
type Name struct {
	To    *string
	What  string          // "bus"
	Known map[string]bool // not needed for writing
}

// Read parses a name and reports whether it is valid. A name that is not in n.Known is an error.
func (n Name) Read(r *Reader, p *yaml.Pair, _ Limits) bool {
	name := ""
	if !r.Word(p, &name) {
		return false
	}
	if !n.Known[name] {
		r.Fail(p.Value.Place, "%s: there is no %s %s%s", p.Key, n.What, yaml.Quote(name), r.Suggest(name, func() []string { return Sorted(n.Known) }))
		return false
	}
	*n.To = name
	return true
}

// Text returns the quoted name, and whether it is not empty.
func (n Name) Text() (string, bool) { return Quoted(*n.To), *n.To != "" }

// Schema returns the schema of a name.
func (n Name) Schema(Limits) Schema { return name }

// Loop is a destination for a loop flag or a number of rounds.
type Loop struct {
	On     *bool // nil for a set cue, with Rounds as in mixer.Change: the remaining rounds
	Rounds *int
}

// Read parses true, false, or a number of rounds, and reports whether it is valid. If l.On is nil, the number
// excludes the current round.
func (l Loop) Read(r *Reader, p *yaml.Pair, _ Limits) bool {
	text := p.Value.Text
	n, counted := ParseWhole(text, 1, mixer.MaxRounds)
	switch {
	case p.Value.Quoted || !counted && text != "true" && text != "false":
		return r.Refuse(p, fmt.Sprintf("true, false, or how often the loop is played, from 1 to %d", mixer.MaxRounds))
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

// Text returns the number of rounds, true or false as a text, and whether the loop is on.
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
