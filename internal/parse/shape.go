package parse

import (
	"voicepool/internal/fields"
	"voicepool/internal/yaml"
	"voicepool/voice"
)

// shortShapes are the names of shapes that people write besides their own.
var shortShapes = map[string]voice.Shape{"db": voice.InDecibels, "linear": voice.InAmplitude}

// shape is a place for the shape of a gain's way.
type shape struct{ fields.Value }

// Shape is a place for the shape of a gain's way.
func Shape(to *voice.Shape) fields.Value {
	return shape{fields.Choice(to, voice.InDecibels, voice.InAmplitude, voice.RaisedCosine, voice.ConstantPower)}
}

// Read reads the name of a shape, by either of its names.
func (s shape) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	if long, some := shortShapes[p.Value.Text]; some && p.Value.Kind == yaml.Scalar {
		named, value := *p, *p.Value
		value.Text, named.Value = long.String(), &value
		p = &named
	}
	return s.Value.Read(r, p, within)
}

// Schema returns all names.
func (s shape) Schema(within fields.Limits) fields.Schema {
	return fields.Either{s.Value, fields.Schema{"enum": fields.Sorted(shortShapes)}}.Schema(within)
}
