package cue

import (
	"slices"
	"sync"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// draft is the cue being parsed. One draft serves all cues of a sheet: its table points into it.
type draft struct {
	*reader
	Cue
	table []cueField
	keys  map[Verb][]string // keys by verb; for the zero verb: all keys, sorted; shared by all drafts
	until rules.Time
	sound *rules.Sound // the sound that the cue plays; nil: unknown or no start
	duck  rules.Duck   // duck of SetDuck

	nodes        []*yaml.Node   // the nodes of all cues
	targets      []*yaml.Pair   // the targets of all cues; nil: the cue has no target
	endWaits     []endWait      // cues that wait for the end of an id
	lineByNumber map[string]int // line by cue number

	silent map[string]bool // ids and buses that are silent at this point of the sheet; nil: not initialized
}

// timeKeys lists the keys that must be valid before repetitions can be counted.
var timeKeys = []string{"at", "every", "times", "until"}

// cueField is a key that is valid for some verbs.
type cueField struct {
	fields.Field
	verbs    []Verb
	property mixer.Fields // the property that the key changes
}

var allVerbs = []Verb{Play, Stop, Fade, Set, Pause, Resume, Seek, Resize, SetDuck, SetScene, Move, SetListener, Send}

// newDraft returns a draft, which parses the cues of a sheet one after another. Its table lists all keys of a cue, with
// the verbs that take them. A key whose meaning depends on the verb has several entries. The destinations of the table
// point into the draft, so the draft must not be copied.
func newDraft(r *reader) *draft {
	d := &draft{reader: r, lineByNumber: map[string]int{}}
	c := &d.Cue
	d.table = []cueField{
		{fields.Field{Key: "at", To: &c.At}, allVerbs, 0},
		{fields.Field{Key: "play", To: d.parsePlay, Shape: new(string)}, []Verb{Play}, 0},
	}
	for _, v := range allVerbs[1:] { // their targets may be defined later in the sheet
		f := fields.Field{Key: v.String(), Shape: new(string)}
		switch v {
		case Resize:
			f.To, f.Within, f.Shape = &c.Voices, parse.Counts, nil
		case SetScene:
			f.To, f.Shape = d.parseScene, fields.Schema{"type": "string"}
		case SetListener:
			f.To, f.Shape = parse.Vector{To: &c.Position}, nil
		case Send:
			f.To, f.Shape = d.parseMessage, fields.Mapping{Fields: d.messageFields(new(Message)), Required: []string{"to", "address"}}
		}
		d.table = append(d.table, cueField{f, []Verb{v}, 0})
	}
	play, set, both := []Verb{Play}, []Verb{Set}, []Verb{Play, Set}
	d.table = append(d.table, []cueField{
		{fields.Field{Key: "id", To: d.parseID, Shape: new(string)}, play, 0},
		{fields.Field{Key: "bus", To: fields.Name{To: &c.Bus, Kind: "bus", Known: r.Buses}}, play, 0},
		{fields.Field{Key: "to", To: &c.Change.Gain, Within: parse.Decibels}, []Verb{Fade}, mixer.FieldGain},
		{fields.Field{Key: "to", To: &c.To}, []Verb{Seek}, 0},
		{fields.Field{Key: "gain", To: &c.Change.Gain, Within: parse.Decibels}, both, mixer.FieldGain},
		{fields.Field{Key: "pan", To: &c.Change.Pan, Within: parse.Pans}, both, mixer.FieldPan},
		{fields.Field{Key: "pitch", To: &c.Change.Pitch, Within: parse.Semitones}, both, mixer.FieldPitch},
		{fields.Field{Key: "speed", To: &c.Change.Speed, Within: parse.Ratios}, both, mixer.FieldSpeed},
		{fields.Field{Key: "sends", To: parse.VoiceSends(&c.Sends, r.Buses, true)}, play, 0},
		{fields.Field{Key: "lowpass", To: parse.Cutoff(&c.Change.LowPass), Within: parse.Cutoffs}, both, mixer.FieldLowPass},
		{fields.Field{Key: "highpass", To: parse.Cutoff(&c.Change.HighPass), Within: parse.Cutoffs}, both, mixer.FieldHighPass},
		{fields.Field{Key: "mute", To: &c.Change.Mute}, set, mixer.FieldMute},
		{fields.Field{Key: "solo", To: &c.Change.Solo}, set, mixer.FieldSolo},
		{fields.Field{Key: "loop", To: fields.Loop{On: &c.Loop, Rounds: &c.Rounds}}, play, 0},
		{fields.Field{Key: "loop", To: fields.Loop{Rounds: &c.Change.Rounds}}, set, mixer.FieldRounds},
		{fields.Field{Key: "fade_in", To: &c.FadeIn}, play, 0},
		{fields.Field{Key: "from", To: &c.From}, play, 0},
		{fields.Field{Key: "for", To: optionalTime(&c.For)}, play, 0},
		{fields.Field{Key: "priority", To: &c.Priority, Within: parse.Priorities}, play, 0},
		{fields.Field{Key: "priority", To: &c.Change.Priority, Within: parse.Priorities}, set, mixer.FieldPriority},
		{fields.Field{Key: "protect", To: &c.Protect}, play, 0},
		{fields.Field{Key: "owner", To: &c.Owner}, play, 0},
		{fields.Field{Key: "protect", To: &c.Change.Protect}, set, mixer.FieldProtect},
		{fields.Field{Key: "over", To: &c.Over}, []Verb{Stop, Fade, Set, SetScene}, 0},
		{fields.Field{Key: "cut", To: &c.Cut}, []Verb{Stop}, 0},
		{fields.Field{Key: "shape", To: parse.Shape(&c.Change.Shape)}, []Verb{Play, Stop, Fade, Set}, 0},
		{fields.Field{Key: "every", To: parse.Every{Min: &c.Every, Max: &c.EveryMax}}, allVerbs, 0},
		{fields.Field{Key: "chance", To: &c.Chance, Within: fields.Limits{From: 1e-6, To: 1}}, allVerbs, 0},
		{fields.Field{Key: "times", To: d.parseTimes, Shape: fields.Schema{"type": "integer", "minimum": 1}}, allVerbs, 0},
		{fields.Field{Key: "until", To: &d.until}, allVerbs, 0},
	}...)
	d.table = append(d.table, cueField{
		fields.Field{Key: "parameters", To: d.parseParameters, Shape: fields.Names{Of: fields.Schema{"type": "number"}}}, both, 0,
	})
	d.table = append(d.table, cueField{parse.EffectMovesField(func(*yaml.Pair) bool { return true }), set, 0})
	d.table = append(d.table, cueField{parse.SendMovesField(func(*yaml.Pair) bool { return true }), set, 0})
	d.table = append(d.table, d.spatialKeys()...)
	for _, f := range parse.Duck(&d.duck, r.Buses) {
		d.table = append(d.table, cueField{f, []Verb{SetDuck}, 0})
	}
	d.table = append(d.table, []cueField{
		{fields.Field{Key: "cue", To: &c.Number, Shape: number}, allVerbs, 0},
		{fields.Field{Key: "name", To: &c.Name}, allVerbs, 0},
	}...)
	d.keys = keysByVerb(d)
	return d
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
		if f := &d.table[i]; f.Key == key && (d.Verb == 0 || slices.Contains(f.verbs, d.Verb)) {
			return f
		}
	}
	return nil
}
