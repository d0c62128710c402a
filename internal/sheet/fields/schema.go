package fields

import (
	"encoding"
	"fmt"

	"voicepool/pcm"
)

// Schema is a JSON schema, draft 2020-12.
type Schema map[string]any

// Shape is implemented by types that have a JSON schema.
type Shape interface {
	// Schema returns the schema of the value, or nil if editors should not offer it.
	Schema(within Limits) Schema
}

// Schema returns s itself.
func (s Schema) Schema(Limits) Schema { return s }

// Deferred is a shape that is created only when its schema is needed, not when a file is parsed.
type Deferred func() Shape

// Schema calls d and returns the schema of its shape.
func (d Deferred) Schema(within Limits) Schema { return d().Schema(within) }

// name is the schema of a non-empty string.
var name = Schema{"type": "string", "minLength": 1}

// schema returns the schema of a number within the limits, where kind is "number" or "integer". If the unit is
// decibels, a text with the unit is valid, too.
func (l Limits) schema(kind string) Schema {
	out := Schema{"type": kind, "minimum": l.From, "maximum": l.To}
	if l.Unit == DecibelUnit {
		return either(out, Schema{"type": "string", "pattern": "^[-+0-9.eE]+ *[dD][bB]$"})
	}
	return out
}

// either returns a schema that accepts a value if any of the schemas in of does.
func either(of ...Schema) Schema { return Schema{"anyOf": of} }

// Mapping is the shape of a mapping with the given fields. The keys in Needs are required.
type Mapping struct {
	Fields   []Field
	Required []string
}

// Schema returns the schema of an object with only the keys of m.Fields. Fields without a schema are left out.
func (m Mapping) Schema(Limits) Schema {
	keys := Schema{}
	for i := range m.Fields {
		if s := m.Fields[i].schema(); s != nil {
			keys[m.Fields[i].Key] = s
		}
	}
	out := Schema{"type": "object", "properties": keys, "additionalProperties": false}
	if m.Required != nil {
		out["required"] = m.Required
	}
	return out
}

// Names is the shape of a mapping from names to values of a shape, or null.
type Names struct{ Of any }

// Schema returns the schema of an object with any property names, each with a value of the shape n.Of, within the
// limits, or null.
func (n Names) Schema(within Limits) Schema {
	one := (&Field{To: n.Of, Within: within}).schema()
	return Schema{"type": "object", "additionalProperties": either(one, Schema{"type": "null"})}
}

// Ranged is the shape of a number in a range.
type Ranged struct {
	Of     any
	Within Limits
}

// Schema returns the schema of r.Of within r.Within; the argument is ignored.
func (r Ranged) Schema(Limits) Schema { return (&Field{To: r.Of, Within: r.Within}).schema() }

// List is the shape of a list with Least to Most items. Most 0 means no limit.
type List struct {
	Of       any
	Min, Max int
}

// Schema returns the schema of an array of l.Min to l.Max items of the shape l.Of; within limits each item.
func (l List) Schema(within Limits) Schema {
	out := Schema{"type": "array", "items": (&Field{To: l.Of, Within: within}).schema(), "minItems": l.Min}
	if l.Max > 0 {
		out["maxItems"] = l.Max
	}
	return out
}

// Either is the shape of a value with one of several shapes.
type Either []any

// Schema returns a schema that accepts a value if it has any of the shapes; within limits each.
func (e Either) Schema(within Limits) Schema {
	var all []Schema
	for _, of := range e {
		all = append(all, (&Field{To: of, Within: within}).schema())
	}
	return either(all...)
}

// schema returns the schema of f.Shape, or of f.To if Like is nil. The result is nil if editors should not offer the
// key. It panics on a type without a schema.
func (f *Field) schema() Schema {
	to := f.To
	if f.Shape != nil {
		to = f.Shape
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
	panic(fmt.Sprintf("fields: no schema for %q", f.Key))
}
