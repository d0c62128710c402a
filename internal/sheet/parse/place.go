package parse

import (
	"fmt"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/pcm"
	"voicepool/space"
)

// Cone returns the fields of a cone, which parse into c.
func Cone(c *space.Cone) []fields.Field {
	angles := fields.Limits{From: 0, To: 360, Unit: " of degrees"}
	return []fields.Field{
		{Key: "inner", To: &c.Inner, Within: angles},
		{Key: "outer", To: &c.Outer, Within: angles},
		{Key: "gain", To: &c.OuterGain, Within: fields.Limits{From: Decibels.From, To: 0, Unit: Decibels.Unit}},
		{Key: "lowpass", To: Cutoff(&c.LowPass), Within: Cutoffs},
	}
}

// Air is the range of metres of air per unit of length.
var Air = fields.Limits{From: 0, To: 1000}

// Obstruction is the range of occlusion and obstruction.
var Obstruction = fields.Limits{From: 0, To: 1}

// Distance returns the fields of an attenuation that parse into a, except its curve and its table.
func Distance(a *space.Attenuation) []fields.Field {
	return []fields.Field{
		{Key: "min", To: &a.Min, Within: fields.Limits{From: 1e-6, To: 1e9}},
		{Key: "max", To: &a.Max, Within: fields.Limits{From: 1e-6, To: 1e10}},
		{Key: "rolloff", To: &a.Rolloff, Within: fields.Limits{From: 1e-6, To: 1000}},
	}
}

// BankOnlyKeys lists the keys of a sound that are invalid in a file with cues.
var BankOnlyKeys = []string{"then"}

// Vector is a destination for a point or direction, [x, y] or [x, y, z]. nil means not set.
type Vector struct{ To **space.Vector }

// coordinates is the range of a coordinate.
var coordinates = fields.Limits{From: -1e9, To: 1e9}

// Read parses the value of p, [x, y, z] or [x, y] with z = 0, into a new vector at *v.To and reports whether it is
// valid. If not, it records an error and leaves *v.To unchanged.
func (v Vector) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	if n := len(p.Value.Items); p.Value.Kind != yaml.List || n < 2 || n > 3 {
		r.Fail(p.Value.Position, "%s takes a list of x, y and z, or of x and y, such as [3, 0, -1]", p.Key)
		return false
	}
	var at space.Vector
	for i, n := range p.Value.Items {
		one := *p
		if one.Value = n; !r.Value(&one, &fields.Field{To: &at[i], Within: coordinates}) {
			return false
		}
	}
	*v.To = &at
	return true
}

// Text returns the numbers and true, or "" and false if the vector is nil.
func (v Vector) Text() (string, bool) {
	if *v.To == nil {
		return "", false
	}
	x := *v.To
	return fmt.Sprintf("[%s, %s, %s]", fields.Shortest(x[0]), fields.Shortest(x[1]), fields.Shortest(x[2])), true
}

// Schema returns the schema of two or three numbers.
func (v Vector) Schema(fields.Limits) fields.Schema {
	one := fields.Schema{"type": "number", "minimum": coordinates.From, "maximum": coordinates.To}
	return fields.Schema{"type": "array", "items": one, "minItems": 2, "maxItems": 3}
}

// Strength is the range of the panning strength of a listener.
var Strength = fields.Limits{From: 1e-6, To: 1}

// Doppler is the range of the factor of the Doppler shift.
var Doppler = fields.Limits{From: 0, To: 100}

// SpeedOfSound is the range of the speed of sound, in units of length per second.
var SpeedOfSound = fields.Limits{From: 0.001, To: 1e9}

// Width is the range of the width of a listener's view.
var Width = fields.Limits{From: 1e-6, To: 1e9}

// spatialFields returns the fields of a sound's spatial behaviour. Parsing a field stores its value in s.Emitter.
func (r *Reader) spatialFields(s *rules.Sound) []fields.Field {
	read := func(do func(p *yaml.Pair)) func(*yaml.Pair) bool {
		return func(p *yaml.Pair) bool { do(p); return true }
	}
	e := &s.Emitter
	distance := fields.Mapping{Fields: append([]fields.Field{
		{Key: "curve", Shape: fields.Schema{"enum": curveNames()}},
		{Key: "table", Shape: fields.Schema{"type": "array", "minItems": 2, "items": fields.Schema{"type": "array", "minItems": 2, "maxItems": 2}}},
	}, Distance(&space.Attenuation{})...)}
	return []fields.Field{
		{Key: "distance", To: read(func(p *yaml.Pair) { r.parseDistance(p, &e.Attenuation) }), Shape: distance},
		{Key: "send_distance", To: read(func(p *yaml.Pair) {
			if r.parseDistance(p, &e.SendAttenuation); e.SendAttenuation == (space.Attenuation{}) {
				e.SendAttenuation.Min = 1 // the usual attenuation; a zero value would mean the curve of the sound
			}
		}), Shape: distance},
		{Key: "air", To: &e.Air, Within: Air},
		{Key: "cone", To: read(func(p *yaml.Pair) {
			r.Read(p.Value, "a cone", Cone(&e.Cone))
			r.checkEmitter(p, space.Emitter{Cone: e.Cone})
		}), Shape: fields.Mapping{Fields: Cone(&e.Cone)}},
		{Key: "spread", To: &e.Spread, Within: fields.Limits{From: 0, To: 1}},
	}
}

// checkEmitter records an error at p if package space rejects the combination of values in e. It checks only while the
// file has no error yet.
func (r *Reader) checkEmitter(p *yaml.Pair, e space.Emitter) {
	if r.Failed() {
		return
	}
	if _, err := e.Checked(); err != nil {
		r.Fail(p.Value.Position, "%s: %s", p.Key, strings.TrimPrefix(err.Error(), space.ErrRange.Error()+": "))
	}
}

// curveNames returns the names of all attenuation curves.
func curveNames() []string {
	names := []string{"table"}
	for c := space.Inverse; c <= space.Constant; c++ {
		names = append(names, c.String())
	}
	return names
}

// parseDistance parses an attenuation from p into a: {curve: inverse, min: 1, max: 50, rolloff: 1} or {curve: table,
// table: ...}. It records errors, also for values that contradict each other.
func (r *Reader) parseDistance(p *yaml.Pair, a *space.Attenuation) {
	curves := curveNames()
	var named, table *yaml.Pair
	r.Read(p.Value, "distance", append([]fields.Field{
		{Key: "curve", To: func(p *yaml.Pair) bool {
			name := ""
			if named = p; r.Word(p, &name) && !slices.Contains(curves, name) {
				r.Fail(p.Value.Position, "curve: there is no %s%s", yaml.Quote(name), r.nearestHint(name, curves))
			}
			a.Curve, _ = space.ParseCurve(name)
			return true
		}},
		{Key: "table", To: func(p *yaml.Pair) bool { table = p; return true }},
	}, Distance(a)...))
	switch {
	case table == nil && named != nil && named.Value.Text == "table":
		r.Fail(named.Position, "curve: table needs `table`, a list such as [[1, 0], [10, -20], [50, -80]]")
	case table == nil:
		r.checkEmitter(p, space.Emitter{Attenuation: *a})
	case named != nil && named.Value.Text != "table" || *a != (space.Attenuation{}):
		r.Fail(table.Position, "table needs `curve: table`, without min, max and rolloff")
	default:
		a.Table = r.parseTable(table)
	}
}

// nearestHint returns the end of a message about name, an unknown name: the nearest of names, or a list of all of them.
func (r *Reader) nearestHint(name string, names []string) string {
	if hint := r.Suggest(name, func() []string { return names }); hint != "" {
		return hint
	}
	return "; want one of " + fields.Join(names)
}

// parseTable parses an attenuation curve from p, a list of pairs of a distance and a gain in dB; between them it is
// linear in decibels. After an error, which it records, it returns nil.
func (r *Reader) parseTable(p *yaml.Pair) *space.Table {
	const shape = "a list of pairs of a distance and a gain, such as [[1, 0], [10, -20], [50, -80]]"
	if p.Value.Kind != yaml.List || len(p.Value.Items) > maxFiles {
		r.Fail(p.Value.Position, "table takes %s", shape)
		return nil
	}
	var points []space.Point
	for _, item := range p.Value.Items {
		if item.Kind != yaml.List || len(item.Items) != 2 {
			r.Fail(item.Position, "table takes %s", shape)
			return nil
		}
		var x space.Point
		distance, gain := *p, *p
		distance.Value, gain.Value = item.Items[0], item.Items[1]
		if !r.Value(&distance, &fields.Field{To: &x.Distance, Within: fields.Limits{From: 0, To: 1e10}}) ||
			!r.Value(&gain, &fields.Field{To: (*pcm.Decibels)(&x.Gain), Within: Decibels}) {
			return nil
		}
		points = append(points, x)
	}
	t, err := space.NewPointTable(points...)
	if err != nil {
		r.Fail(p.Value.Position, "table: %s", strings.TrimPrefix(err.Error(), space.ErrRange.Error()+": "))
	}
	return t
}

// PanStrength is a destination for the panning strength; 0 is stored as space.NoPan.
type PanStrength struct{ To *float64 }

// Read parses the value of p, a number within the limits, into *s.To and reports whether it is valid. 0 is valid,
// too, and stored as space.NoPan. If the value is invalid, an error is recorded.
func (s PanStrength) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	if p.Value.Text == "0" && !p.Value.Quoted {
		*s.To = space.NoPan
		return true
	}
	return r.Value(p, &fields.Field{To: s.To, Within: within})
}

// Text returns the number, with 0 for space.NoPan, and whether the strength is given.
func (s PanStrength) Text() (string, bool) { return fields.Shortest(max(*s.To, 0)), *s.To != 0 }

// Schema returns the schema of the range including 0.
func (s PanStrength) Schema(within fields.Limits) fields.Schema {
	return fields.Schema{"type": "number", "minimum": 0, "maximum": within.To}
}
