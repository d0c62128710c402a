package parse

import (
	"cmp"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/effect"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// effectsField returns the field `effects` of a bus, parsed by read. nil is enough for the schema.
func effectsField(read func(*yaml.Pair) bool) fields.Field {
	return fields.Field{Key: "effects", To: read, Shape: fields.Deferred(func() fields.Shape {
		return fields.List{Of: effectShape(), Max: mixer.MaxEffects}
	})}
}

// effectShape returns the shape of an effect in a list: its kind, or a mapping from the kind to its values.
func effectShape() fields.Shape {
	of := fields.Either{choices(effect.Names())}
	for _, k := range effect.Kinds() {
		one := fields.Field{Key: k.Name, Shape: fields.Mapping{Fields: effectFields(k, true, nil)}}
		of = append(of, fields.Mapping{Fields: []fields.Field{one}, Required: []string{k.Name}})
	}
	return of
}

// EffectMovesField returns the field with new values for effects, by the name of the effect, parsed by read.
func EffectMovesField(read func(*yaml.Pair) bool) fields.Field {
	return fields.Field{Key: "effects", To: read, Shape: fields.Deferred(func() fields.Shape {
		of := fields.Either{}
		for _, k := range effect.Kinds() {
			of = append(of, fields.Mapping{Fields: effectFields(k, false, nil)})
		}
		return fields.Names{Of: of}
	})}
}

// choices returns the schema of a value that must be an element of words.
func choices(words []string) fields.Schema { return fields.Schema{"enum": words} }

// effectFields returns the fields of an effect of kind k. read parses the values of all of them; nil gives fields
// that only describe the schema. If whole is true, the fields include id, and key if the effect has a sidechain.
func effectFields(k *effect.Kind, whole bool, read func(*yaml.Pair) bool) []fields.Field {
	var all []fields.Field
	if whole {
		all = append(all, fields.Field{Key: "id", To: read, Shape: new(string)})
		if k.Key {
			all = append(all, fields.Field{Key: "key", To: read, Shape: new(string)})
		}
	}
	all = append(all, paramFields(k.Params, read)...)
	if k.Bands > 0 {
		bands := fields.Field{Key: "bands", To: read}
		if read == nil {
			bands.Shape = fields.List{Of: fields.Mapping{Fields: paramFields(k.Band, nil)}, Max: k.Bands}
		}
		all = append(all, bands)
	}
	return all
}

// paramFields returns a field for each parameter of an effect or band, parsed by read. If read is nil, the fields have
// the schemas of the parameters instead.
func paramFields(params []effect.Param, read func(*yaml.Pair) bool) []fields.Field {
	all := make([]fields.Field, len(params))
	for i := range params {
		all[i] = fields.Field{Key: params[i].Name, To: read}
		if read == nil {
			all[i].Shape = paramShape(&params[i])
		}
	}
	return all
}

// paramShape returns the shape of the parameter p for the schema: a schema, or a pointer whose type determines the
// schema.
func paramShape(p *effect.Param) any {
	number := fields.Schema{"type": "number", "minimum": p.From, "maximum": p.To}
	switch {
	case isSwitch(p):
		return new(bool)
	case p.Choices != nil:
		return choices(p.Choices)
	case p.Unit == effect.Seconds:
		return new(rules.Time)
	case p.Off:
		return fields.Either{number, choices([]string{"off"})}
	}
	return number
}

// isSwitch reports whether files write the parameter p as true or false: it has exactly two choices.
func isSwitch(p *effect.Param) bool { return len(p.Choices) == 2 }

// parseEffects parses the effects of a bus from p and appends the valid ones to *to. It records errors, also for two
// effects with one name, and always returns true. The names of buses must be known.
func (r *Reader) parseEffects(p *yaml.Pair, to *[]effect.Effect) bool {
	if p.Value.Kind != yaml.List {
		r.Fail(p.Value.Position, "effects is a list, such as [{reverb: {time: 2s}}], not %s", p.Value.Kind)
		return true
	}
	if n := len(p.Value.Items); n > mixer.MaxEffects {
		r.Fail(p.Value.Position, "effects has %d entries; a bus has at most %d", n, mixer.MaxEffects)
		return true
	}
	named := map[string]bool{}
	for _, item := range p.Value.Items {
		e, ok := r.parseEffect(item)
		if !ok {
			continue
		}
		if named[e.Name()] {
			r.Fail(item.Position, "there are two effects %s on this bus; give one an `id`", yaml.Quote(e.Name()))
		}
		named[e.Name()] = true
		*to = append(*to, e)
	}
	return true
}

// parseEffect parses the node n of one effect, a kind or {kind: values}. It records errors. ok is false if the kind is
// unknown or the effect rejects a value. A value that cannot be parsed keeps its default and does not affect ok.
func (r *Reader) parseEffect(n *yaml.Node) (e effect.Effect, ok bool) {
	var name string
	values := &yaml.Node{Kind: yaml.Mapping, Position: n.Position}
	switch {
	case n.Kind == yaml.Scalar:
		name = n.Text
	case n.Kind == yaml.Mapping && len(n.Pairs) == 1:
		name = n.Pairs[0].Key
		if n.Pairs[0].Value.Kind != yaml.Null {
			values = n.Pairs[0].Value
		}
	default:
		r.Fail(n.Position, "an effect is a kind, such as reverb, or a kind with its values, such as {reverb: {time: 2s}}; the kinds are %s",
			fields.Join(effect.Names()))
		return e, false
	}
	e, err := effect.New(name, nil)
	if err != nil {
		hint := cmp.Or(r.Suggest(name, effect.Names), "; the kinds are "+strings.Join(effect.Names(), ", "))
		r.Fail(n.Position, "there is no effect %s%s", yaml.Quote(name), hint)
		return e, false
	}
	set := func(path string, value float64) { err = e.Set(path, value) }
	r.Read(values, "a "+name, effectFields(e.Kind(), true, func(p *yaml.Pair) bool {
		switch p.Key {
		case "id":
			return r.Word(p, &e.ID)
		case "key":
			return r.Value(p, &fields.Field{Key: "key", To: bus(&e.Key, r.Buses)})
		}
		return r.parseEffectValue(p, e.Kind(), set)
	}))
	if err != nil {
		r.Fail(n.Position, "%w", err)
	}
	r.checkBandFrequencies(values)
	if r.isMaster(e.Key) {
		e.Key = "master"
	}
	return e, err == nil
}

// checkBandFrequencies records an error for each equaliser band with a type other than flat that has no frequency.
// values is the mapping of the effect in the file.
func (r *Reader) checkBandFrequencies(values *yaml.Node) {
	p := fields.Find(values, "bands")
	if p == nil || p.Value.Kind != yaml.List {
		return
	}
	for _, band := range p.Value.Items {
		if kind := fields.Find(band, "type"); kind != nil && kind.Value.Text != "flat" && fields.Find(band, "freq") == nil {
			r.Fail(band.Position, "a band of type %s needs freq: a number of Hz from 20 to 20000", kind.Value.Text)
		}
	}
}

// parseEffectValue parses the pair p of an effect of kind k, a parameter or the bands, and calls set with the path of
// each valid value. It records errors and returns false after an error, except for an error inside a band. The key of p
// must be a parameter of k or, if k has bands, bands.
func (r *Reader) parseEffectValue(p *yaml.Pair, k *effect.Kind, set func(path string, value float64)) bool {
	if p.Key != "bands" || k.Bands == 0 {
		return r.parseParam(p, &k.Params[slices.IndexFunc(k.Params, func(q effect.Param) bool { return q.Name == p.Key })], p.Key, set)
	}
	if p.Value.Kind != yaml.List {
		r.Fail(p.Value.Position, "bands is a list, such as [{type: peak, freq: 800, gain: -4, q: 1}], not %s", p.Value.Kind)
		return false
	}
	if n := len(p.Value.Items); n > k.Bands {
		r.Fail(p.Value.Position, "bands has %d entries; an %s has at most %d", n, k.Name, k.Bands)
		return false
	}
	for i, item := range p.Value.Items {
		r.Read(item, "a band", paramFields(k.Band, func(p *yaml.Pair) bool {
			j := slices.IndexFunc(k.Band, func(q effect.Param) bool { return q.Name == p.Key })
			return r.parseParam(p, &k.Band[j], k.Path(k.At(i, j)), set)
		}))
	}
	return true
}

// parseParam parses the value of p for the parameter of, calls set with path and the value, and returns true. If the
// value is invalid, it records an error and returns false. The value for set is 0 for off, 1 for on, the index of a
// choice, or seconds for a time.
func (r *Reader) parseParam(p *yaml.Pair, of *effect.Param, path string, set func(path string, value float64)) bool {
	x, ok := 0.0, true
	switch {
	case isSwitch(of):
		on := false
		if ok = r.Value(p, &fields.Field{To: &on}); on {
			x = 1
		}
	case of.Choices != nil:
		at := slices.Index(of.Choices, p.Value.Text)
		if ok = at >= 0 && p.Value.Kind == yaml.Scalar; !ok {
			r.RejectValue(p, fields.Join(of.Choices))
		}
		x = float64(at)
	case of.Off && p.Value.Kind == yaml.Scalar && p.Value.Text == "off":
	case of.Unit == effect.Seconds:
		var t rules.Time
		if ok = r.Value(p, &fields.Field{To: &t}); ok {
			if x = t.Seconds(); !of.Allows(x) {
				r.Fail(p.Value.Position, "%s: %s is out of range; want a time from %s to %s", p.Key, p.Value.Text, formatTime(of.From), formatTime(of.To))
				return false
			}
		}
	default:
		ok = r.Value(p, &fields.Field{To: &x, Within: fields.Limits{From: of.From, To: of.To, Unit: unitOf(of)}})
	}
	if ok {
		set(path, x)
	}
	return ok
}

// unitOf returns the unit of p in the format of fields.Limits.Unit, such as " of Hz". It returns "" for a unit other
// than Hz and decibels.
func unitOf(p *effect.Param) string {
	switch p.Unit {
	case effect.Decibels:
		return Decibels.Unit
	case effect.Hertz:
		return fields.HertzUnit
	}
	return ""
}

// formatTime formats a time in seconds as in sheets: 250ms, 4s.
func formatTime(seconds float64) string {
	if seconds < 1 {
		return fields.Shortest(seconds*1000) + "ms"
	}
	return fields.Shortest(seconds) + "s"
}

// EffectMoves parses new values for the effects of bus from p, in a scene or a cue, and appends them to *to. has
// lists the effects of the bus. It records errors, also for a name that is not among them.
func (r *Reader) EffectMoves(p *yaml.Pair, bus string, has []effect.Effect, to *[]rules.EffectMove) {
	names := make([]string, len(has))
	for i := range has {
		names[i] = has[i].Name()
	}
	r.Named(p.Value, "effects", func(p *yaml.Pair) {
		i := slices.Index(names, p.Key)
		if i < 0 {
			why := "the bus has no effects"
			if len(names) > 0 {
				why = "the bus has " + strings.Join(names, ", ")
			}
			r.Fail(p.Position, "effects: bus %s has no effect %s; %s", yaml.Quote(bus), yaml.Quote(p.Key), why)
			return
		}
		move := rules.EffectMove{Effect: p.Key, Values: effect.Values{}}
		kind := has[i].Kind()
		r.Read(p.Value, "a move of "+kind.Name, effectFields(kind, false, func(p *yaml.Pair) bool {
			return r.parseEffectValue(p, kind, func(path string, value float64) { move.Values[path] = value })
		}))
		*to = append(*to, move)
	})
}

// EffectsOf returns the effects of the bus called bus: of a bus, the master or an output. It is nil for an unknown
// name and for the first output, whose effects the master has.
func (r *Reader) EffectsOf(bus string) []effect.Effect {
	return r.rules.EffectsOf(bus)
}
