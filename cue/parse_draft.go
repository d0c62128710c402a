package cue

import (
	"slices"
	"sync"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/space"
)

// draft is the cue being parsed. One draft serves all cues of a sheet: its table points into it.
type draft struct {
	*reader
	Cue
	values
	table []cueField
	keys  map[Verb][]string // keys by verb; for the zero verb: all keys, sorted; shared by all drafts
	until rules.Time
	sound *rules.Sound // the sound that the cue plays; nil: unknown or no start

	nodes        []*yaml.Node   // the nodes of all cues
	targets      []*yaml.Pair   // the targets of all cues; nil: the cue has no target
	endWaits     []endWait      // cues that wait for the end of an id
	lineByNumber map[string]int // line by cue number

	silent map[string]bool // ids and buses that are silent at this point of the sheet; nil: not initialized
}

// values holds the values of the keys of a cue that belong to its verb.
type values struct {
	verb    Verb
	play    Play
	stop    Stop
	set     Set // also of a fade
	seek    Seek
	resize  Resize
	duck    SetDuck
	scene   SetScene
	message *Message

	// Of a start, a move and a listener; nil: not set.
	position, velocity, facing, up *space.Vector
	spot                           space.Spot     // without vectors
	listener                       space.Listener // without vectors
}

// action returns a new action with the values of the verb. It is nil without a verb.
func (v *values) action() Action {
	switch v.verb {
	case VerbPlay:
		if v.position != nil {
			v.play.Spot = new(v.placedSpot())
		}
		return new(v.play)
	case VerbStop:
		return new(v.stop)
	case VerbFade, VerbSet:
		v.set.Fade = v.verb == VerbFade
		return new(v.set)
	case VerbPause:
		return &Pause{}
	case VerbResume:
		return &Resume{}
	case VerbSeek:
		return new(v.seek)
	case VerbResize:
		return new(v.resize)
	case VerbSetDuck:
		return new(v.duck)
	case VerbSetScene:
		return new(v.scene)
	case VerbMove:
		return &Move{Spot: v.placedSpot()}
	case VerbSetListener:
		return &SetListener{v.placedListener()}
	case VerbSend:
		return v.message
	}
	return nil
}

// setAction is the inverse of action.
func (v *values) setAction(a Action) {
	*v = values{verb: a.Verb()}
	switch a := a.(type) {
	case *Play:
		if v.play = *a; a.Spot != nil {
			v.setSpot(*a.Spot)
		}
	case *Stop:
		v.stop = *a
	case *Set:
		v.set = *a
	case *Seek:
		v.seek = *a
	case *Resize:
		v.resize = *a
	case *SetDuck:
		v.duck = *a
	case *SetScene:
		v.scene = *a
	case *Move:
		v.setSpot(a.Spot)
	case *SetListener:
		l := a.Listener
		v.position, v.velocity, v.facing, v.up, v.listener = &l.Position, optionalVector(l.Velocity), optionalVector(l.Forward), optionalVector(l.Up), l
	case *Message:
		v.message = a
	}
}

// timeKeys lists the keys that must be valid before repetitions can be counted.
var timeKeys = []string{"at", "every", "times", "until"}

// cueField is a key that is valid for some verbs.
type cueField struct {
	fields.Field
	verbs    []Verb
	property mixer.Fields // the property that the key changes
}

var allVerbs = []Verb{VerbPlay, VerbStop, VerbFade, VerbSet, VerbPause, VerbResume, VerbSeek, VerbResize, VerbSetDuck, VerbSetScene, VerbMove, VerbSetListener, VerbSend}

// newDraft returns a draft, which parses the cues of a sheet one after another. Its table lists all keys of a cue, with
// the verbs that take them. A key whose meaning depends on the verb has several entries. The destinations of the table
// point into the draft, so the draft must not be copied.
func newDraft(r *reader) *draft {
	d := &draft{reader: r, lineByNumber: map[string]int{}}
	c := &d.Cue
	d.table = []cueField{
		{fields.Field{Key: "at", To: &c.At}, allVerbs, 0},
		{fields.Field{Key: "play", To: d.parsePlay, Shape: new(string)}, []Verb{VerbPlay}, 0},
	}
	for _, v := range allVerbs[1:] { // their targets may be defined later in the sheet
		f := fields.Field{Key: v.String(), Shape: new(string)}
		switch v {
		case VerbResize:
			f.To, f.Within, f.Shape = &d.resize.Voices, parse.Counts, nil
		case VerbSetScene:
			f.To, f.Shape = d.parseScene, fields.Schema{"type": "string"}
		case VerbSetListener:
			f.To, f.Shape = parse.Vector{To: &d.position}, nil
		case VerbSend:
			f.To, f.Shape = d.parseMessage, fields.Mapping{Fields: d.messageFields(new(Message)), Required: []string{"to", "address"}}
		}
		d.table = append(d.table, cueField{f, []Verb{v}, 0})
	}
	d.table = slices.Concat(d.table, d.playKeys(), d.setKeys(), []cueField{
		{fields.Field{Key: "to", To: &d.seek.To}, []Verb{VerbSeek}, 0},
		{fields.Field{Key: "over", To: &d.stop.Over}, []Verb{VerbStop}, 0},
		{fields.Field{Key: "cut", To: &d.stop.Cut}, []Verb{VerbStop}, 0},
		{fields.Field{Key: "shape", To: parse.Shape(&d.stop.Shape)}, []Verb{VerbStop}, 0},
		{fields.Field{Key: "over", To: &d.scene.Over}, []Verb{VerbSetScene}, 0},
		{fields.Field{Key: "every", To: parse.Every{Min: &c.Every, Max: &c.EveryMax}}, allVerbs, 0},
		{fields.Field{Key: "chance", To: &c.Chance, Within: fields.Limits{From: 1e-6, To: 1}}, allVerbs, 0},
		{fields.Field{Key: "times", To: d.parseTimes, Shape: fields.Schema{"type": "integer", "minimum": 1}}, allVerbs, 0},
		{fields.Field{Key: "until", To: &d.until}, allVerbs, 0},
		{fields.Field{Key: "parameters", To: d.parseParameters, Shape: fields.Names{Of: fields.Schema{"type": "number"}}}, []Verb{VerbPlay, VerbSet}, 0},
		{parse.EffectMovesField(func(*yaml.Pair) bool { return true }), []Verb{VerbSet}, 0},
		{parse.SendMovesField(func(*yaml.Pair) bool { return true }), []Verb{VerbSet}, 0},
	}, d.spatialKeys())
	for _, f := range parse.Duck(&d.duck.Duck, r.Buses) {
		d.table = append(d.table, cueField{f, []Verb{VerbSetDuck}, 0})
	}
	d.table = append(d.table, []cueField{
		{fields.Field{Key: "cue", To: &c.Number, Shape: number}, allVerbs, 0},
		{fields.Field{Key: "name", To: &c.Name}, allVerbs, 0},
	}...)
	d.keys = keysByVerb(d)
	return d
}

// playKeys returns the keys that only starts have, and their keys for the values of a voice.
func (d *draft) playKeys() (all []cueField) {
	p := &d.play
	for _, f := range slices.Concat([]fields.Field{
		{Key: "id", To: d.parseID, Shape: new(string)},
		{Key: "bus", To: fields.Name{To: &p.Bus, Kind: "bus", Known: d.Buses}},
		{Key: "gain", To: &p.Gain, Within: parse.Decibels},
		{Key: "pan", To: &p.Pan, Within: parse.Pans},
		{Key: "pitch", To: &p.Pitch, Within: parse.Semitones},
		{Key: "speed", To: &p.Speed, Within: parse.Ratios},
		{Key: "sends", To: parse.VoiceSends(&p.Sends, d.Buses, true)},
	}, parse.Filters(&p.Filters), []fields.Field{
		{Key: "loop", To: fields.Loop{On: &p.Loop, Rounds: &p.Rounds}},
		{Key: "fade_in", To: &p.FadeIn},
		{Key: "from", To: &p.From},
		{Key: "for", To: optionalTime(&p.For)},
		{Key: "priority", To: &p.Priority, Within: parse.Priorities},
		{Key: "importance", To: &p.Importance, Within: parse.Importances},
		{Key: "protect", To: &p.Protect},
		{Key: "owner", To: &p.Owner},
		{Key: "shape", To: parse.Shape(&p.FadeShape)},
	}) {
		all = append(all, cueField{f, []Verb{VerbPlay}, 0})
	}
	return all
}

// setKeys returns the keys of a set and a fade for the properties that they change, and for the time.
func (d *draft) setKeys() []cueField {
	c, set, both := &d.set.Change, []Verb{VerbSet}, []Verb{VerbFade, VerbSet}
	all := []cueField{
		{fields.Field{Key: "to", To: &c.Gain, Within: parse.Decibels}, []Verb{VerbFade}, mixer.FieldGain},
		{fields.Field{Key: "gain", To: &c.Gain, Within: parse.Decibels}, set, mixer.FieldGain},
		{fields.Field{Key: "pan", To: &c.Pan, Within: parse.Pans}, set, mixer.FieldPan},
		{fields.Field{Key: "pitch", To: &c.Pitch, Within: parse.Semitones}, set, mixer.FieldPitch},
		{fields.Field{Key: "speed", To: &c.Speed, Within: parse.Ratios}, set, mixer.FieldSpeed},
	}
	for i, f := range parse.Filters(&c.Filters) {
		all = append(all, cueField{f, set, mixer.FieldLowPass << i})
	}
	return append(all, []cueField{
		{fields.Field{Key: "mute", To: &c.Mute}, set, mixer.FieldMute},
		{fields.Field{Key: "solo", To: &c.Solo}, set, mixer.FieldSolo},
		{fields.Field{Key: "loop", To: fields.Loop{Rounds: &c.Rounds}}, set, mixer.FieldRounds},
		{fields.Field{Key: "priority", To: &c.Priority, Within: parse.Priorities}, set, mixer.FieldPriority},
		{fields.Field{Key: "protect", To: &c.Protect}, set, mixer.FieldProtect},
		{fields.Field{Key: "over", To: &d.set.Over}, both, 0},
		{fields.Field{Key: "shape", To: parse.Shape(&c.Shape)}, both, 0},
	}...)
}

// keysByVerb returns the keys of cues (from d.table) that each verb takes. For the zero verb it returns all keys,
// sorted. All drafts have the same keys, so only the first call in the process computes the result. The result must not
// be changed. Any goroutine.
func keysByVerb(d *draft) map[Verb][]string {
	sharedKeys.once.Do(func() {
		keys, all := map[Verb][]string{}, map[string]bool{}
		for _, f := range d.table {
			all[f.Key] = true
			for _, v := range f.verbs {
				keys[v] = append(keys[v], f.Key)
			}
		}
		keys[0] = fields.Sorted(all)
		sharedKeys.keys = keys
	})
	return sharedKeys.keys
}

// sharedKeys holds the result of keysByVerb.
var sharedKeys struct {
	once sync.Once
	keys map[Verb][]string
}

// field returns the entry of key in d.table for the verb of the cue that is being parsed. If the cue has no verb, it
// returns the first entry with that key. It returns nil if no entry matches.
func (d *draft) field(key string) *cueField {
	for i := range d.table {
		if f := &d.table[i]; f.Key == key && (d.verb == 0 || slices.Contains(f.verbs, d.verb)) {
			return f
		}
	}
	return nil
}
