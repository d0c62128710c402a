package cue

import (
	"fmt"
	"maps"
	"slices"

	"voicepool/internal/yaml"
	"voicepool/mixer"
)

const maxCues = 500000

// leastEvery is the shortest time from one repetition to the next, so that no frame has more of
// them than can be gone through: a nanosecond.
var leastEvery = Time{lo: attos / 1e9}

// draft is the cue that is being read. One serves all cues of a sheet: its table points into it.
type draft struct {
	*reader
	Cue
	table []cueField
	keys  map[Verb][]string // of its cues; of no verb: all, sorted
	until Time
	sound *Sound // that it plays; nil: none that is known
}

// timing is the keys that must be understood before repetitions can be counted.
var timing = []string{"at", "every", "times", "until"}

// cueField is a key that cues of some verbs may have.
type cueField struct {
	field
	verbs []Verb
	part  mixer.Fields // what it moves
}

var everyVerb = []Verb{Play, Stop, Fade, Set, Pause, Resume, Seek}

// newDraft makes the table. A key that means something else to another verb stands there twice.
func newDraft(r *reader) *draft {
	d := &draft{reader: r, keys: map[Verb][]string{}}
	c := &d.Cue
	d.table = []cueField{
		{field{"at", &c.At, other}, everyVerb, 0},
		{field{"play", d.play, other}, []Verb{Play}, 0},
	}
	for _, v := range everyVerb[1:] { // what they name may be defined after them
		d.table = append(d.table, cueField{field{v.String(), nil, other}, []Verb{v}, 0})
	}
	play, set, moves := []Verb{Play}, []Verb{Set}, []Verb{Play, Set}
	d.table = append(d.table, []cueField{
		{field{"id", d.id, other}, play, 0},
		{field{"bus", busName{&c.Bus}, other}, play, 0},
		{field{"to", &c.Change.Gain, decibels}, []Verb{Fade}, mixer.FieldGain},
		{field{"to", &c.To, other}, []Verb{Seek}, 0},
		{field{"gain", &c.Change.Gain, decibels}, moves, mixer.FieldGain},
		{field{"pan", &c.Change.Pan, pans}, moves, mixer.FieldPan},
		{field{"pitch", &c.Change.Pitch, semitones}, moves, mixer.FieldPitch},
		{field{"speed", &c.Change.Speed, ratios}, moves, mixer.FieldSpeed},
		{field{"mute", &c.Change.Mute, other}, set, mixer.FieldMute},
		{field{"solo", &c.Change.Solo, other}, set, mixer.FieldSolo},
		{field{"loop", loops{&c.Loop, &c.Rounds}, other}, play, 0},
		{field{"loop", loops{nil, &c.Change.Rounds}, other}, set, mixer.FieldRounds},
		{field{"fade_in", &c.FadeIn, other}, play, 0},
		{field{"from", &c.From, other}, play, 0},
		{field{"for", &c.For, other}, play, 0},
		{field{"priority", &c.Priority, priorities}, play, 0},
		{field{"priority", &c.Change.Priority, priorities}, set, mixer.FieldPriority},
		{field{"protect", &c.Protect, other}, play, 0},
		{field{"protect", &c.Change.Protect, other}, set, mixer.FieldProtect},
		{field{"over", &c.Over, other}, []Verb{Stop, Fade, Set}, 0},
		{field{"shape", &c.Change.Shape, other}, []Verb{Fade, Set}, 0},
		{field{"every", d.every, other}, everyVerb, 0},
		{field{"times", d.times, other}, everyVerb, 0},
		{field{"until", &d.until, other}, everyVerb, 0},
	}...)
	all := map[string]bool{}
	for _, f := range d.table {
		all[f.key] = true
		for _, v := range f.verbs {
			d.keys[v] = append(d.keys[v], f.key)
		}
	}
	d.keys[0] = sortedKeys(all)
	return d
}

// field returns what a key means to the verb, or nil.
func (d *draft) field(key string) *cueField {
	for i := range d.table {
		if f := &d.table[i]; f.key == key && (d.Verb == 0 || slices.Contains(f.verbs, d.Verb)) {
			return f
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (r *reader) allCues(n *yaml.Node) {
	if n.Kind != yaml.List {
		r.fail(n.Place, "cues is a list, such as [{at: 0s, play: ...}], not %s", n.Kind)
		return
	}
	if len(n.Items) > maxCues {
		r.fail(n.Place, "cues has %d entries; a sheet has at most %d", len(n.Items), maxCues)
		return
	}
	r.sheet.Cues = make([]Cue, 0, len(n.Items))
	d := newDraft(r)
	targets := make([]*yaml.Pair, len(n.Items))
	for i, item := range n.Items {
		d.Cue = Cue{Line: item.Line, Column: item.Column, Times: 1}
		targets[i] = d.cue(item)
		r.sheet.Cues = append(r.sheet.Cues, d.Cue)
	}
	// An id may be defined after it is used.
	for i, p := range targets {
		if p != nil {
			r.target(p, &r.sheet.Cues[i])
		}
	}
}

// cue reads one cue, and returns where it names its target, if it has one.
func (d *draft) cue(n *yaml.Node) (target *yaml.Pair) {
	if n.Kind != yaml.Mapping {
		d.fail(n.Place, "a cue is a mapping, such as {at: 0s, play: ...}, not %s", n.Kind)
		return nil
	}
	d.sound = nil
	var verb *yaml.Pair
	for i := range n.Pairs {
		v := Verb(slices.Index(verbNames[:], n.Pairs[i].Key) + 1)
		switch {
		case v == 0 || v == d.Verb:
		case verb != nil:
			d.fail(n.Pairs[i].Place, "a cue does one thing; this one has %s already", verb.Key)
			return nil
		default:
			d.Verb, verb = v, &n.Pairs[i]
		}
	}
	all := d.keys[0]
	for i := range n.Pairs {
		if p := &n.Pairs[i]; d.field(p.Key) == nil && slices.Contains(all, p.Key) {
			d.fail(p.Place, "%s does not belong to a cue with %s, which takes %s", quote(p.Key), d.Verb, join(d.keys[d.Verb]))
		}
	}
	faulty := false
	unknown := d.each(n, "a cue", all, func(_ int, p *yaml.Pair) {
		f := d.field(p.Key)
		switch {
		case f == nil:
		case d.value(p, &f.field):
			d.Change.Fields |= f.part
		case slices.Contains(timing, p.Key):
			faulty = true
		}
	})
	// What seems to be missing is most often there under a name that is unknown.
	if !unknown {
		d.incomplete(n)
	}
	if d.Verb == Set && missing(n, "gain") {
		if p := given(n, "shape"); p != nil {
			d.fail(p.Place, "shape goes with `gain`: it is the way of a gain; all else moves straight")
		}
	}
	if d.For != nil && *d.For == (Time{}) {
		d.fail(given(n, "for").Value.Place, "for: a time of 0 leaves nothing to hear; leave the cue out")
	}
	d.repetitions(n, faulty)
	if d.sound != nil {
		d.inherit(n)
	}
	if d.Verb == Play || verb == nil || verb.Value.Kind == yaml.Nothing {
		return nil
	}
	return verb
}

// incomplete says what a cue lacks.
func (d *draft) incomplete(n *yaml.Node) {
	if missing(n, "at") {
		d.fail(n.Place, "a cue needs `at`, its time")
	}
	switch {
	case d.Verb == 0:
		d.fail(n.Place, "a cue needs one of %s", join(verbNames[:]))
	case d.Verb == Fade && missing(n, "to"):
		d.fail(n.Place, "a fade needs `to`, the decibels that it leads to")
	case d.Verb == Seek && missing(n, "to"):
		d.fail(n.Place, "a seek needs `to`, the place in the sound that it leads to")
	case d.Verb == Set && !slices.ContainsFunc(n.Pairs, func(p yaml.Pair) bool {
		f := d.field(p.Key)
		return f != nil && f.part != 0
	}):
		d.fail(n.Place, "a set needs something to set: gain, pan, pitch, speed, loop, priority, protect or, for a bus, mute, solo")
	}
}

// every reads the time from one repetition to the next.
func (d *draft) every(p *yaml.Pair) bool {
	ok := d.time(p, &d.Every)
	switch {
	case ok && d.Every == (Time{}):
		d.fail(p.Value.Place, "every: the time from one repetition to the next is more than 0")
	case ok && d.Every.Compare(leastEvery) < 0:
		d.fail(p.Value.Place, "every: %v is less than the least time from one repetition to the next, 1ns", d.Every)
	default:
		return ok
	}
	return false
}

func (d *draft) times(p *yaml.Pair) bool {
	n, ok := d.whole(p, 1, 1<<62)
	d.Times = uint64(max(n, 1))
	return ok
}

// loop reads true, false, or how often a loop is played. Where on is nil, rounds says all, as of
// mixer.Change.
func (r *reader) loop(p *yaml.Pair, on *bool, rounds *int) bool {
	text := p.Value.Text
	n, counted := parseWhole(text, 1, mixer.MaxRounds)
	switch {
	case p.Value.Quoted || !counted && text != "true" && text != "false":
		return r.refuse(p, fmt.Sprintf("true, false, or how often the loop is played, from 1 to %d", mixer.MaxRounds))
	case on != nil:
		*on = text != "false"
	case text == "true":
		n = mixer.Forever
	}
	*rounds = int(n)
	return true
}

func (d *draft) id(p *yaml.Pair) bool {
	r, c := d.reader, &d.Cue
	if !r.word(p, &c.ID) {
		return false
	}
	switch {
	case c.ID == "all":
		r.fail(p.Value.Place, "id: %q is reserved: it means everything that sounds", c.ID)
	case r.buses[c.ID]:
		r.fail(p.Value.Place, "id: %s is the name of a bus; an id must differ from them", quote(c.ID))
	default:
		if r.ids[c.ID] == 0 {
			r.ids[c.ID] = uint64(len(r.ids) + 1)
			r.sheet.ids = append(r.sheet.ids, c.ID)
		}
		c.tag = r.ids[c.ID]
	}
	return true
}

// target finds what a cue acts on, when all ids are known.
func (r *reader) target(p *yaml.Pair, c *Cue) {
	if !r.word(p, &c.Target) {
		return
	}
	at := p.Value.Place
	deny := func(fields mixer.Fields, why string) {
		if c.Change.Fields&fields != 0 {
			r.fail(at, "%s: %s", p.Key, why)
		}
	}
	switch name := c.Target; {
	case name == "all":
		c.Scope = OnAll
		if c.Verb == Set || c.Verb == Fade {
			r.fail(at, "%s: everything at once is the bus \"master\"", p.Key)
		}
	case r.buses[name]:
		c.Scope = OnBus
		deny(mixer.FieldSpeed, "a bus has no speed; move its pitch")
		deny(mixer.FieldPriority|mixer.FieldProtect|mixer.FieldRounds, "a bus has no priority, protect or loop; set those of an id")
		if name == "master" {
			deny(mixer.FieldPitch, "the master has no pitch; move that of a bus")
		}
	case r.ids[name] != 0:
		c.Scope, c.tag = OnID, r.ids[name]
		if c.Change.Fields&mixer.FieldMute != 0 {
			r.fail(at, "%s: only a bus can be muted; to silence %s, fade it to -80", p.Key, quote(name))
		}
		deny(mixer.FieldSolo, "only a bus can be soloed")
		if line := r.streams[c.tag]; line > 0 && c.Change.Fields&mixer.FieldRounds != 0 {
			r.fail(at, "%s: a stream plays as %s (line %d), whose loop cannot be changed as it plays; stop it, or load the sound, without `stream: true`", p.Key, quote(name), line)
		}
	default:
		hint := r.suggest(name, func() []string { return slices.Concat(r.sheet.ids, sortedKeys(r.buses), []string{"all"}) })
		if _, ok := r.sounds[name]; ok && hint == "" {
			hint = "; to name a sound's voices, give its cue an id"
		}
		r.fail(at, "%s: no cue has the id %s, and no bus is called that%s", p.Key, quote(name), hint)
	}
}

// inherit fills in what the sound of a start says and the cue does not.
func (d *draft) inherit(n *yaml.Node) {
	s := d.sound
	inherit(n, "pan", &d.Change.Pan, s.Pan)
	inherit(n, "bus", &d.Bus, s.Bus)
	inherit(n, "priority", &d.Priority, s.Priority)
	inherit(n, "protect", &d.Protect, s.Protect)
	inherit(n, "loop", &d.Loop, s.Loop)
	inherit(n, "loop", &d.Rounds, s.Rounds)
	inherit(n, "from", &d.From, s.From)
	if s.Stream && d.Loop && d.tag != 0 && d.streams[d.tag] == 0 {
		d.streams[d.tag] = d.Line
	}
	if s.Stream && d.Rounds > 0 {
		d.fail(n.Place, "loop: a stream cannot count its rounds; give it `for`, or stop it")
	}
}

func inherit[T any](n *yaml.Node, key string, dst *T, sound T) {
	if given(n, key) == nil {
		*dst = sound
	}
}

// repetitions works out how often a cue acts. faulty says that one of its times cannot be read.
func (d *draft) repetitions(n *yaml.Node, faulty bool) {
	every, times, until := given(n, "every"), given(n, "times"), given(n, "until")
	switch {
	case times != nil && missing(n, "every"):
		d.fail(times.Place, "times needs `every`, the time from one to the next")
	case until != nil && missing(n, "every"):
		d.fail(until.Place, "until needs `every`, the time from one repetition to the next")
	case every != nil && missing(n, "times") && missing(n, "until"):
		d.fail(every.Place, "every needs `times` or `until`, or it would never end")
	case faulty || every == nil || given(n, "at") == nil:
	case until != nil && d.until.Compare(d.At) <= 0:
		d.fail(until.Place, "until: the cue begins at %v, so nothing happens before %v", d.At, d.until)
	default:
		if until != nil {
			most := d.until.sub(d.At).over(d.Every)
			if times == nil || most < d.Times {
				d.Times = most
			}
		}
		if t, ok := d.Every.times(d.Times - 1); !ok || t.hi > 1<<62 || d.At.add(t).Compare(seconds(maxMoment)) > 0 {
			d.fail(every.Place, "every: the last repetition would come after more than 10^12 seconds")
			d.Times = 1
		}
	}
}
