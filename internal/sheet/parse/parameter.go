package parse

import (
	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
)

// parameterFields returns the fields of a parameter, which parse into p.
func parameterFields(p *rules.Parameter) []fields.Field {
	return []fields.Field{
		{Key: "from", To: &p.From, Within: Values},
		{Key: "to", To: &p.To, Within: Values},
		{Key: "at", To: &p.At, Within: Values},
		{Key: "gain", To: curve{&p.Gain}, Within: Decibels},
		{Key: "pitch", To: curve{&p.Pitch}, Within: Semitones},
		{Key: "lowpass", To: fields.RejectedKey("is not supported: a parameter moves gain and pitch")},
	}
}

// parseParameters parses the parameters of a sound from p and appends them to s.Parameters. It records errors, also for
// contradictory values such as points outside the range, and always returns true.
func (r *Reader) parseParameters(p *yaml.Pair, s *rules.Sound) bool {
	r.Named(p.Value, "parameters", func(p *yaml.Pair) {
		one := rules.Parameter{Name: p.Key}
		r.Read(p.Value, "a parameter", parameterFields(&one))
		if p.Value.Kind != yaml.Mapping {
			return
		}
		switch {
		case fields.Missing(p.Value, "from") || fields.Missing(p.Value, "to"):
			r.Fail(p.Position, "a parameter needs `from` and `to`, its range")
		case one.From >= one.To:
			r.Fail(p.Position, "the range of a parameter needs `from` below `to`")
		case fields.Missing(p.Value, "at"):
			one.At = one.From
		case one.At < one.From || one.At > one.To:
			r.Fail(fields.Find(p.Value, "at").Position, "at: %v is not in the range of the parameter, %v to %v", one.At, one.From, one.To)
		}
		for _, c := range []struct {
			key   string
			curve rules.Curve
		}{{"gain", one.Gain}, {"pitch", one.Pitch}} {
			for i, point := range c.curve {
				if point.X < one.From || point.X > one.To || i > 0 && point.X <= c.curve[i-1].X {
					r.Fail(fields.Find(p.Value, c.key).Position, "%s: the points of a curve go up from %v to %v; %v does not", c.key, one.From, one.To, point.X)
					break
				}
			}
		}
		s.Parameters = append(s.Parameters, one)
	})
	return true
}

// curve is a destination for the points of a curve.
type curve struct{ to *rules.Curve }

// Read parses the value of p, a list of points [x, y], appends them to *c.to and reports whether each is valid.
// within limits y. Read does not check the order of the points. At the first error, which it records, it stops.
func (c curve) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	if p.Value.Kind != yaml.List || len(p.Value.Items) == 0 {
		r.Fail(p.Value.Position, "%s takes a list of points, such as [[0, -12], [1, 0]]", p.Key)
		return false
	}
	for _, n := range p.Value.Items {
		if n.Kind != yaml.List || len(n.Items) != 2 {
			r.Fail(n.Position, "a point of %s is [value of the parameter, %s]", p.Key, p.Key)
			return false
		}
		var at rules.Point
		x, y := *p, *p
		x.Value, y.Value = n.Items[0], n.Items[1]
		if !r.Value(&x, &fields.Field{To: &at.X, Within: Values}) || !r.Value(&y, &fields.Field{To: &at.Y, Within: within}) {
			return false
		}
		*c.to = append(*c.to, at)
	}
	return true
}

// Text returns "" and false, because recorders do not write curves.
func (c curve) Text() (string, bool) { return "", false }

// Schema returns the schema of a list of pairs of numbers.
func (c curve) Schema(fields.Limits) fields.Schema {
	number := fields.Schema{"type": "number"}
	return fields.List{Of: fields.List{Of: number, Min: 2, Max: 2}, Min: 1}.Schema(fields.Limits{})
}
