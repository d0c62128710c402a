package cue

import (
	"encoding/json"

	"voicepool/internal/fields"
	"voicepool/internal/parse"
)

// Schema returns a JSON schema (draft 2020-12) of cue sheets and banks, for editors that complete
// keys and mark mistakes. A file with cues does not take what belongs to banks. The schema is made
// from the tables that Parse reads by; what depends on names and on other keys is left to Parse.
func Schema() []byte {
	own := (&Sheet{}).fields()
	own[0].Like = fields.List{Of: cueShape(), Most: maxCues}
	schema := parse.File(own).Schema(fields.Limits{})
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "voicepool cue sheet or bank"
	refused := fields.Schema{}
	for _, key := range parse.OfBanks {
		refused[key] = false
	}
	schema["if"] = fields.Schema{"required": []string{"cues"}}
	schema["then"] = fields.Schema{"properties": fields.Schema{
		"sounds": fields.Schema{"additionalProperties": fields.Schema{"properties": refused}},
	}}
	out, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		panic("cue: the schema is no JSON: " + err.Error()) // it has numbers, texts and lists
	}
	return append(out, '\n')
}

// needs are what a verb needs besides its time.
var needs = map[Verb][]string{Fade: {"to"}, Seek: {"to"}, SetDuck: {"by"}, Put: {"place"}}

// cueShape is the shape of a cue: of any verb, with the keys that it takes.
func cueShape() fields.Either {
	d := newDraft(newReader(&Sheet{}, ""))
	var verbs fields.Either
	for _, v := range everyVerb {
		d.Verb = v
		m := fields.Mapping{Needs: append([]string{"at", v.String()}, needs[v]...)}
		for _, key := range d.keys[v] {
			m.Fields = append(m.Fields, d.field(key).Field)
		}
		verbs = append(verbs, m)
	}
	return verbs
}
