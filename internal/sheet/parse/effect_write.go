package parse

import (
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/effect"
	"voicepool/internal/sheet/fields"
)

// WriteEffects formats all, the effects of a bus, as the list of a file. Default values are left out.
func WriteEffects(all []effect.Effect) string {
	of := make([]string, len(all))
	for i := range all {
		e := &all[i]
		kind := e.Kind()
		values := effect.Values{}
		for j := range kind.Len() {
			if x := e.Value(j); x != kind.Param(j).Default {
				values[kind.Path(j)] = x
			}
		}
		for b := range kind.Bands { // the parser requires freq for each band with a type
			if at := kind.At(b, 0); e.Value(at) != effect.Flat {
				values[kind.Path(at+1)] = e.Value(at + 1)
			}
		}
		var line fields.Line
		if e.ID != "" {
			line.Raw("id", fields.Quoted(e.ID))
		}
		if e.Key != "" {
			line.Raw("key", fields.Quoted(e.Key))
		}
		writeValues(&line, kind, values)
		of[i] = "{" + kind.Name + ": {" + line.String() + "}}"
	}
	return "[" + strings.Join(of, ", ") + "]"
}

// WriteMoves formats moves, new values of effects, as the mapping of a file. kinds returns the kind of the effect
// called name.
func WriteMoves(moves []rules.EffectMove, kinds func(name string) *effect.Kind) string {
	var all fields.Line
	for i := range moves {
		var line fields.Line
		writeValues(&line, kinds(moves[i].Effect), moves[i].Values)
		all.Raw(fields.Quoted(moves[i].Effect), "{"+line.String()+"}")
	}
	return "{" + all.String() + "}"
}

// writeValues appends values, the values of an effect of kind k by path, to line. Values that are not in the map are
// left out. A band without values becomes {} if a later band has some.
func writeValues(line *fields.Line, k *effect.Kind, values effect.Values) {
	for i := range k.Params {
		if x, ok := values[k.Path(i)]; ok {
			line.Raw(k.Params[i].Name, k.Params[i].Spell(x))
		}
	}
	bands, last := make([]string, k.Bands), 0
	for b := range bands {
		var band fields.Line
		for j := range k.Band {
			if x, ok := values[k.Path(k.At(b, j))]; ok {
				band.Raw(k.Band[j].Name, k.Band[j].Spell(x))
				last = b + 1
			}
		}
		bands[b] = "{" + band.String() + "}"
	}
	if last > 0 {
		line.Raw("bands", "["+strings.Join(slices.Clip(bands[:last]), ", ")+"]")
	}
}
