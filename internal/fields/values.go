package fields

import (
	"fmt"
	"strconv"

	"voicepool/internal/yaml"
	"voicepool/mixer"
)

// Span is a number, or a range of them.
type Span struct{ From, To float64 }

// Read reads a value or a range [from, to].
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
		r.Fail(p.Value.Place, "a range of %s is [least, most]; here the least is more", p.Key)
		return false
	}
	*s = span
	return true
}

// Text returns the number; one that is written is not left to chance.
func (s *Span) Text() (string, bool) { return Shortest(s.From), s.From != 0 }

// Schema returns a number or two.
func (s *Span) Schema(within Limits) Schema {
	one := within.schema("number")
	return either(one, Schema{"type": "array", "items": one, "minItems": 2, "maxItems": 2})
}

// choice is one of some values, by its name.
type choice[T interface {
	comparable
	fmt.Stringer
}] struct {
	to     *T
	values []T
}

// Choice is a place for one of some values.
func Choice[T interface {
	comparable
	fmt.Stringer
}](to *T, values ...T) Value {
	return &choice[T]{to, values}
}

// Read reads one of some values by its name.
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
		hint = fmt.Sprintf("; it takes one of %s", Join(names))
	}
	r.Fail(p.Value.Place, "%s: there is no %s%s", p.Key, yaml.Quote(text), hint)
	return false
}

// Text returns the name of the value.
func (c *choice[T]) Text() (string, bool) {
	var zero T
	return Quoted((*c.to).String()), *c.to != zero
}

// Schema returns the names.
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

// Optional is a place for a value that may be missing, which is read as one of place is.
func Optional[T any](to **T, place func(*T) any) Value { return optional[T]{to, place} }

// Read reads the value.
func (o optional[T]) Read(r *Reader, p *yaml.Pair, within Limits) bool {
	value := new(T)
	ok := r.Value(p, &Field{To: o.place(value), Within: within})
	if ok {
		*o.to = value
	}
	return ok
}

// Text returns the value, if there is one.
func (o optional[T]) Text() (text string, some bool) {
	if *o.to == nil {
		return "", false
	}
	text, _ = (&Field{To: o.place(*o.to)}).text()
	return text, true
}

// Schema returns that of the value.
func (o optional[T]) Schema(within Limits) Schema {
	return (&Field{To: o.place(new(T)), Within: within}).schema()
}

// Refused is a key that is known and not taken. It says why: "is called ...".
type Refused string

// Read says so.
func (n Refused) Read(r *Reader, p *yaml.Pair, _ Limits) bool {
	r.Fail(p.Place, "%s %s", p.Key, string(n))
	return false
}

// Text returns nothing: it is not written.
func (n Refused) Text() (string, bool) { return "", false }

// Schema returns nothing: editors do not offer it.
func (n Refused) Schema(Limits) Schema { return nil }

// Name is a place for the name of something that exists.
type Name struct {
	To    *string
	What  string          // "bus"
	Known map[string]bool // not needed to write it
}

// Read reads the name.
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

// Text returns the name.
func (n Name) Text() (string, bool) { return Quoted(*n.To), *n.To != "" }

// Schema returns a name.
func (n Name) Schema(Limits) Schema { return name }

// Loop is a place for whether something loops, and how often.
type Loop struct {
	On     *bool // nil: it is a set, which says how often a voice goes back still, and Rounds is as of mixer.Change
	Rounds *int
}

// Read reads true, false, or how often a loop is played.
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
		n = min(n+1, mixer.MaxRounds) // the round under way is one of them
	}
	*l.Rounds = int(n)
	return true
}

// Text returns the number of rounds, true or false.
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

// Schema returns true, false or a number of rounds.
func (l Loop) Schema(Limits) Schema {
	return either(Schema{"type": "boolean"}, Limits{From: 1, To: mixer.MaxRounds}.schema("integer"))
}
