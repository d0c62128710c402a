package cue

import (
	"encoding/json"
	"slices"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
)

// Schema returns a JSON schema (draft 2020-12) of cue sheets and banks, for editors that complete keys and mark errors.
// It is generated from the same tables that Parse uses. A file with the key `cues` must not have sounds with keys that
// only banks have; a file with only a `list` is not restricted in this way. Checks that depend on names or on other
// keys are left to Parse.
func Schema() []byte {
	own := (&Sheet{}).fields()
	for i := range own {
		switch own[i].Key {
		case "cues":
			own[i].Shape = fields.List{Of: cueShape(), Max: maxCues}
		case "list":
			own[i].Shape = fields.List{Of: listShape(), Max: maxCues}
		case "goes":
			own[i].Shape = fields.List{Of: new(rules.Time)}
		case "midi":
			own[i].Shape = fields.List{Of: fields.Mapping{Fields: new(Midi).fields()}, Max: maxCues}
		}
	}
	schema := parse.File(own).Schema(fields.Limits{})
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "voicepool cue sheet or bank"
	refused := fields.Schema{}
	for _, key := range parse.BankOnlyKeys {
		refused[key] = false
	}
	schema["if"] = fields.Schema{"required": []string{"cues"}}
	properties := fields.Schema{
		"music":  false,
		"sounds": fields.Schema{"additionalProperties": fields.Schema{"properties": refused}},
	}
	for _, key := range parse.LoadKeys {
		properties[key] = false
	}
	schema["then"] = fields.Schema{"properties": properties}
	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic("cue: the schema is no JSON: " + err.Error()) // it consists of numbers, strings and lists
	}
	return append(out, '\n')
}

// requiredKeys lists the required keys per verb, apart from `at`.
var requiredKeys = map[Verb][]string{VerbFade: {"to"}, VerbSeek: {"to"}, VerbSetDuck: {"by"}, VerbMove: {"place"}}

// cueShape returns the schema of a cue in `cues`, with one alternative per verb.
func cueShape() fields.Either { return verbShapes("at") }

// verbShapes returns one schema of a cue for each verb, in the order of allVerbs. Each schema requires the verb, the
// required keys of the verb, and the keys in more.
func verbShapes(more ...string) (verbs fields.Either) {
	d := newDraft(newReader(&Sheet{}, ""))
	for _, v := range allVerbs {
		d.verb = v
		m := fields.Mapping{Required: slices.Concat(more, []string{v.String()}, requiredKeys[v])}
		for _, key := range d.keys[v] {
			m.Fields = append(m.Fields, d.field(key).Field)
		}
		verbs = append(verbs, m)
	}
	return verbs
}

// actionShape returns one schema for each kind of action of a list cue: all verbs, release and crossfade. The time of
// an action is optional.
func actionShape() (verbs fields.Either) {
	var at rules.Time
	when := fields.Field{Key: "at", Shape: fields.Either{&at, fields.Schema{"type": "string", "pattern": "^" + endOf}}}
	for _, one := range append(verbShapes(), fields.Mapping{
		Fields: []fields.Field{{Key: "at"}, {Key: release, Shape: new(string)}}, Required: []string{release},
	}, fields.Mapping{
		Fields: []fields.Field{{Key: "at"}, {Key: crossfade, Shape: fields.Mapping{Fields: new(crossfadeSpec).fields(), Required: []string{"from", "over"}}}}, Required: []string{crossfade},
	}) {
		m := one.(fields.Mapping)
		m.Fields = slices.DeleteFunc(m.Fields, func(f fields.Field) bool { return f.Key == "at" || f.Key == "cue" })
		m.Fields = append(m.Fields, when)
		verbs = append(verbs, m)
	}
	return verbs
}

// listShape returns the schema of a list cue as alternatives: a single action of each kind, a list of actions, or the
// start of the timeline.
func listShape() (all fields.Either) {
	own := (&parsedListCue{}).fields()
	actions := actionShape()
	for i := range own {
		if own[i].Key == "do" {
			own[i].Shape = fields.List{Of: actions}
		}
	}
	for _, one := range actions {
		m := one.(fields.Mapping)
		m.Fields = slices.DeleteFunc(slices.Clone(m.Fields), func(f fields.Field) bool { return f.Key == "name" })
		m.Fields = append(m.Fields, slices.DeleteFunc(slices.Clone(own), func(f fields.Field) bool { return f.Key == "do" })...)
		m.Required = append([]string{"cue"}, m.Required...)
		all = append(all, m)
	}
	return append(all, fields.Mapping{Fields: own, Required: []string{"cue", "do"}},
		fields.Mapping{Fields: slices.DeleteFunc(slices.Clone(own), func(f fields.Field) bool { return f.Key == "do" }), Required: []string{"cue", "start"}})
}
