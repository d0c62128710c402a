package fields

import (
	"encoding"
	"fmt"

	"voicepool/pcm"
)

// Schema is a JSON schema, of draft 2020-12.
type Schema map[string]any

// Shape is what knows the schema of a value.
type Shape interface {
	// Schema returns the schema of the value; nil: editors must not offer it.
	Schema(within Limits) Schema
}

// Schema returns itself: a schema is a shape of its own.
func (s Schema) Schema(Limits) Schema { return s }

// Deferred makes a shape where a schema is wanted: reading a file makes none.
type Deferred func() Shape

// Schema returns the schema of the shape.
func (d Deferred) Schema(within Limits) Schema { return d().Schema(within) }

// name is the schema of a text that is not empty.
var name = Schema{"type": "string", "minLength": 1}

func (l Limits) schema(kind string) Schema {
	out := Schema{"type": kind, "minimum": l.From, "maximum": l.To}
	if l.Unit == DecibelUnit {
		return either(out, Schema{"type": "string", "pattern": "^[-+0-9.eE]+ *[dD][bB]$"})
	}
	return out
}

func either(of ...Schema) Schema { return Schema{"anyOf": of} }

// Mapping is the shape of a mapping that has some fields, of which some must be there.
type Mapping struct {
	Fields []Field
	Needs  []string
}

// Schema returns an object that has no other fields.
func (m Mapping) Schema(Limits) Schema {
	keys := Schema{}
	for i := range m.Fields {
		if s := m.Fields[i].schema(); s != nil {
			keys[m.Fields[i].Key] = s
		}
	}
	out := Schema{"type": "object", "properties": keys, "additionalProperties": false}
	if m.Needs != nil {
		out["required"] = m.Needs
	}
	return out
}

// Names is the shape of a mapping from names to what is of another shape, or nothing.
type Names struct{ Of any }

// Schema returns an object of any fields.
func (n Names) Schema(within Limits) Schema {
	one := (&Field{To: n.Of, Within: within}).schema()
	return Schema{"type": "object", "additionalProperties": either(one, Schema{"type": "null"})}
}

// Ranged is the shape of a number that has a range.
type Ranged struct {
	Of     any
	Within Limits
}

// Schema returns that of the number.
func (r Ranged) Schema(Limits) Schema { return (&Field{To: r.Of, Within: r.Within}).schema() }

// List is the shape of a list of at most so many; 0: of any number.
type List struct {
	Of          any
	Least, Most int
}

// Schema returns an array.
func (l List) Schema(within Limits) Schema {
	out := Schema{"type": "array", "items": (&Field{To: l.Of, Within: within}).schema(), "minItems": l.Least}
	if l.Most > 0 {
		out["maxItems"] = l.Most
	}
	return out
}

// Either is the shape of what is of one of several.
type Either []any

// Schema returns any of them.
func (e Either) Schema(within Limits) Schema {
	var all []Schema
	for _, of := range e {
		all = append(all, (&Field{To: of, Within: within}).schema())
	}
	return either(all...)
}

// schema returns that of a field's value.
func (f *Field) schema() Schema {
	to := f.To
	if f.Like != nil {
		to = f.Like
	}
	switch to := to.(type) {
	case *float64, *pcm.Decibels, *pcm.Semitones, *pcm.LUFS:
		return f.Within.schema("number")
	case *int:
		return f.Within.schema("integer")
	case *bool:
		return Schema{"type": "boolean"}
	case *string:
		return name
	case Shape:
		return to.Schema(f.Within)
	case encoding.TextUnmarshaler: // a time
		return either(Schema{"type": "number", "minimum": 0}, name)
	}
	panic(fmt.Sprintf("fields: nothing knows what %q looks like", f.Key))
}
