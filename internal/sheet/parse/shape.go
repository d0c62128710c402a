package parse

import (
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/sounds"
)

// shortShapes maps alternative names of shapes to shapes.
var shortShapes = map[string]sounds.Shape{"db": sounds.InDecibels, "linear": sounds.InAmplitude}

// shape is a destination for the shape of a fade.
type shape struct{ fields.Value }

// Shape returns a destination that parses the shape of a fade into *to, by its name or a short one such as db.
func Shape(to *sounds.Shape) fields.Value {
	return shape{fields.Choice(to, sounds.InDecibels, sounds.InAmplitude, sounds.RaisedCosine, sounds.ConstantPower)}
}

// Read parses the value of p, the name or short name of a shape, and reports whether it is valid. If not, it records
// an error.
func (s shape) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	if long, some := shortShapes[p.Value.Text]; some && p.Value.Kind == yaml.Scalar {
		named, value := *p, *p.Value
		value.Text, named.Value = long.String(), &value
		p = &named
	}
	return s.Value.Read(r, p, within)
}

// Schema returns an enum of the names and the short names.
func (s shape) Schema(within fields.Limits) fields.Schema {
	return fields.Either{s.Value, fields.Schema{"enum": fields.Sorted(shortShapes)}}.Schema(within)
}
