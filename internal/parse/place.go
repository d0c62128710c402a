package parse

import (
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/fields"
	"voicepool/internal/yaml"
	"voicepool/pcm"
	"voicepool/space"
)

// Cone returns the fields of a cone.
func Cone(c *space.Cone) []fields.Field {
	angles := fields.Limits{From: 0, To: 360, Unit: " of degrees"}
	return []fields.Field{
		{Key: "inner", To: &c.Inner, Within: angles},
		{Key: "outer", To: &c.Outer, Within: angles},
		{Key: "gain", To: &c.OuterGain, Within: fields.Limits{From: Decibels.From, To: 0, Unit: Decibels.Unit}},
	}
}

// Distance returns the fields of an attenuation, all but its curve and its table.
func Distance(a *space.Attenuation) []fields.Field {
	return []fields.Field{
		{Key: "min", To: &a.Min, Within: fields.Limits{From: 1e-6, To: 1e9}},
		{Key: "max", To: &a.Max, Within: fields.Limits{From: 1e-6, To: 1e10}},
		{Key: "rolloff", To: &a.Rolloff, Within: fields.Limits{From: 1e-6, To: 1000}},
	}
}

// OfBanks are the keys of a sound that a file with cues does not take.
var OfBanks = []string{"then", "distance", "cone", "spread"}

// place returns the fields that say how a sound is heard where a game gives it a place. Cues have
// no places.
func (r *Reader) place(s *rules.Sound) []fields.Field {
	within := func(read func(p *yaml.Pair)) func(*yaml.Pair) bool {
		return func(p *yaml.Pair) bool {
			if r.cues && r.what != "bank" {
				r.Fail(p.Place, "%s belongs to a bank, where the game gives sounds a place; a %s has none", p.Key, r.what)
				return false
			}
			read(p)
			return true
		}
	}
	e := &s.Emitter
	spread := fields.Field{Key: "spread", To: &e.Spread, Within: fields.Limits{From: 0, To: 1}}
	return []fields.Field{
		{Key: "distance", To: within(func(p *yaml.Pair) { r.distance(p, &e.Attenuation) }), Like: fields.Mapping{Fields: append([]fields.Field{
			{Key: "curve", Like: fields.Schema{"enum": curves()}},
			{Key: "table", Like: fields.Schema{"type": "array", "minItems": 2, "items": fields.Schema{"type": "array", "minItems": 2, "maxItems": 2}}},
		}, Distance(&e.Attenuation)...)}},
		{Key: "cone", To: within(func(p *yaml.Pair) {
			r.Read(p.Value, "a cone", Cone(&e.Cone))
			r.hears(p, space.Emitter{Cone: e.Cone})
		}), Like: fields.Mapping{Fields: Cone(&e.Cone)}},
		{Key: "spread", To: within(func(p *yaml.Pair) { r.Value(p, &spread) }), Like: fields.Schema{"type": "number", "minimum": spread.Within.From, "maximum": spread.Within.To}},
	}
}

// hears notes what package space says of an emitter whose fields are in range, each alone.
func (r *Reader) hears(p *yaml.Pair, e space.Emitter) {
	if r.Failed() {
		return
	}
	if _, err := e.Source(); err != nil {
		r.Fail(p.Value.Place, "%s: %s", p.Key, strings.TrimPrefix(err.Error(), space.ErrRange.Error()+": "))
	}
}

// curves returns the names of all curves.
func curves() []string {
	names := []string{"table"}
	for c := space.Inverse; c <= space.Constant; c++ {
		names = append(names, c.String())
	}
	return names
}

// distance reads {curve: inverse, min: 1, max: 50, rolloff: 1} or {curve: table, table: ...}.
func (r *Reader) distance(p *yaml.Pair, a *space.Attenuation) {
	curves := curves()
	var named, table *yaml.Pair
	r.Read(p.Value, "distance", append([]fields.Field{
		{Key: "curve", To: func(p *yaml.Pair) bool {
			name := ""
			if named = p; r.Word(p, &name) && !slices.Contains(curves, name) {
				r.Fail(p.Value.Place, "curve: there is no %s%s", yaml.Quote(name), r.hint(name, curves))
			}
			a.Curve, _ = space.ParseCurve(name)
			return true
		}},
		{Key: "table", To: func(p *yaml.Pair) bool { table = p; return true }},
	}, Distance(a)...))
	switch {
	case table == nil && named != nil && named.Value.Text == "table":
		r.Fail(named.Place, "curve: table needs `table`, a list such as [[1, 0], [10, -20], [50, -80]]")
	case table == nil:
		r.hears(p, space.Emitter{Attenuation: *a})
	case named != nil && named.Value.Text != "table" || *a != (space.Attenuation{}):
		r.Fail(table.Place, "table is a curve of its own: it goes with `curve: table`, and without min, max and rolloff")
	default:
		a.Table = r.table(table)
	}
}

// hint returns the nearest of some names, or all of them.
func (r *Reader) hint(name string, names []string) string {
	if hint := r.Suggest(name, func() []string { return names }); hint != "" {
		return hint
	}
	return "; it takes one of " + fields.Join(names)
}

// table reads a curve that goes straight in decibels from point to point; nil: it is none.
func (r *Reader) table(p *yaml.Pair) *space.Table {
	const shape = "a list of pairs of a distance and a gain, such as [[1, 0], [10, -20], [50, -80]]"
	if p.Value.Kind != yaml.List || len(p.Value.Items) > maxFiles {
		r.Fail(p.Value.Place, "table takes %s", shape)
		return nil
	}
	var points []space.Point
	for _, item := range p.Value.Items {
		if item.Kind != yaml.List || len(item.Items) != 2 {
			r.Fail(item.Place, "table takes %s", shape)
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
		r.Fail(p.Value.Place, "table: %s", strings.TrimPrefix(err.Error(), space.ErrRange.Error()+": "))
	}
	return t
}
