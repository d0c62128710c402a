package cue

import (
	"maps"
	"slices"

	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/voice"
)

const maxCues = 500000

// leastEvery is the shortest time from one repetition to the next, so that no frame has more of
// them than can be gone through: a nanosecond.
var leastEvery = Time{lo: attos / 1e9}

// verbKeys is what may stand in a cue, by its verb.
var verbKeys = map[Verb][]string{
	Play: {
		"at", "play", "id", "bus", "gain", "pan", "pitch", "speed", "loop", "fade_in", "from", "for", "priority", "protect",
		"every", "times", "until",
	},
	Stop: {"at", "stop", "over", "every", "times", "until"},
	Fade: {"at", "fade", "to", "over", "shape", "every", "times", "until"},
	Set: {
		"at", "set", "gain", "pan", "pitch", "speed", "mute", "solo", "loop", "priority", "protect", "over", "shape",
		"every", "times", "until",
	},
	Seek:   {"at", "seek", "to", "every", "times", "until"},
	Pause:  {"at", "pause", "every", "times", "until"},
	Resume: {"at", "resume", "every", "times", "until"},
}

// allKeys is every key that some cue may have.
func allKeys() []string {
	all := map[string]bool{}
	for _, keys := range verbKeys {
		for _, key := range keys {
			all[key] = true
		}
	}
	return sortedKeys(all)
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
	all := allKeys()
	targets := make([]*yaml.Pair, len(n.Items))
	for i, item := range n.Items {
		c := Cue{Line: item.Line, Column: item.Column, Times: 1}
		targets[i] = r.cue(item, &c, all)
		r.sheet.Cues = append(r.sheet.Cues, c)
	}
	// An id may be defined after it is used.
	for i, p := range targets {
		if p != nil {
			r.target(p, &r.sheet.Cues[i])
		}
	}
}

// cue reads one cue, and returns where it names its target, if it has one.
func (r *reader) cue(n *yaml.Node, c *Cue, all []string) (target *yaml.Pair) {
	if n.Kind != yaml.Mapping {
		r.fail(n.Place, "a cue is a mapping, such as {at: 0s, play: ...}, not %s", n.Kind)
		return nil
	}
	var verb *yaml.Pair
	for i := range n.Pairs {
		v := Verb(slices.Index(verbNames[:], n.Pairs[i].Key) + 1)
		switch {
		case v == 0 || v == c.Verb:
		case verb != nil:
			r.fail(n.Pairs[i].Place, "a cue does one thing; this one has %s already", verb.Key)
			return nil
		default:
			c.Verb, verb = v, &n.Pairs[i]
		}
	}
	keys := verbKeys[c.Verb]
	if verb == nil {
		keys = all
	}
	r.foreignKeys(n, c.Verb, keys, all)
	var f cueFields
	r.each(n, "a cue", all, func(key string, p *yaml.Pair) {
		if slices.Contains(keys, key) {
			r.cueKey(key, p, c, &f)
		}
	})
	// What seems to be missing is most often there under a name that is unknown.
	f.unknown = slices.ContainsFunc(n.Pairs, func(p yaml.Pair) bool { return !slices.Contains(all, p.Key) })
	r.finishCue(n, c, &f)
	if verb == nil {
		if !f.unknown {
			r.fail(n.Place, "a cue needs one of %s", join(verbNames[:]))
		}
		return nil
	}
	if c.Verb == Play || verb.Value.Kind == yaml.Nothing {
		return nil
	}
	return verb
}

// foreignKeys says which keys belong to other verbs.
func (r *reader) foreignKeys(n *yaml.Node, v Verb, keys, all []string) {
	for i := range n.Pairs {
		if key := n.Pairs[i].Key; !slices.Contains(keys, key) && slices.Contains(all, key) {
			r.fail(n.Pairs[i].Place, "%s does not belong to a cue with %s, which takes %s", quote(key), v, join(keys))
		}
	}
}

// cueFields is what of a cue depends on its other keys.
type cueFields struct {
	at, every, times, until, to *yaml.Pair
	shape                       *yaml.Pair // of a set
	untilTime                   Time
	sound                       int
	hasSound, faulty            bool
	unknown                     bool            // it has a key that no cue has
	given                       map[string]bool // what replaces the sound's
}

func (r *reader) cueKey(key string, p *yaml.Pair, c *Cue, f *cueFields) {
	ok := true
	switch key {
	case "at":
		f.at, ok = p, r.time(p, &c.At)
	case "play":
		f.sound, f.hasSound = r.play(p)
		c.Sound = f.sound
	case "id":
		r.id(p, c)
	case "bus":
		r.bus(p, &c.Bus)
	case "gain":
		r.change(c, mixer.FieldGain, r.decibels(p, (*float64)(&c.Change.Gain)))
	case "to":
		f.to = p
		if c.Verb == Seek {
			r.time(p, &c.To)
			break
		}
		r.change(c, mixer.FieldGain, r.decibels(p, (*float64)(&c.Change.Gain)))
	case "pan":
		r.change(c, mixer.FieldPan, r.pan(p, &c.Change.Pan))
	case "pitch":
		r.change(c, mixer.FieldPitch, r.semitones(p, (*float64)(&c.Change.Pitch)))
	case "speed":
		r.change(c, mixer.FieldSpeed, r.speed(p, &c.Change.Speed))
	case "mute":
		r.change(c, mixer.FieldMute, r.flag(p, &c.Change.Mute))
	case "solo":
		r.change(c, mixer.FieldSolo, r.flag(p, &c.Change.Solo))
	case "shape":
		if c.Verb == Set {
			f.shape = p
		}
		if i, ok := r.choice(p, shapeNames); ok {
			c.Change.Shape = voice.Shape(i)
		}
	case "loop":
		loops := r.loop(p, &c.Loop, &c.Rounds)
		if c.Verb == Set {
			r.change(c, mixer.FieldRounds, loops)
			c.Change.Rounds = c.Rounds
			if c.Loop && c.Rounds == 0 {
				c.Change.Rounds = mixer.Forever
			}
		}
	case "protect":
		if ok = r.flag(p, &c.Protect); c.Verb == Set {
			r.change(c, mixer.FieldProtect, ok)
			c.Change.Protect = c.Protect
		}
	case "priority":
		if ok = r.priority(p, &c.Priority); c.Verb == Set {
			r.change(c, mixer.FieldPriority, ok)
			c.Change.Priority = c.Priority
		}
	case "fade_in":
		r.time(p, &c.FadeIn)
	case "from":
		r.time(p, &c.From)
	case "for":
		if t := new(Time); r.time(p, t) {
			if c.For = t; *t == (Time{}) {
				r.fail(p.Value.Place, "for: a time of 0 leaves nothing to hear; leave the cue out")
			}
		}
	case "over":
		r.time(p, &c.Over)
	case "every":
		f.every, ok = p, r.time(p, &c.Every)
		if ok && c.Every == (Time{}) {
			r.fail(p.Value.Place, "every: the time from one repetition to the next is more than 0")
			ok = false
		} else if ok && c.Every.Compare(leastEvery) < 0 {
			r.fail(p.Value.Place, "every: %v is less than the least time from one repetition to the next, 1ns", c.Every)
			ok = false
		}
	case "times":
		f.times = p
		n, read := r.whole(p, 1, 1<<62)
		if ok = read; ok {
			c.Times = uint64(n)
		}
	case "until":
		f.until, ok = p, r.time(p, &f.untilTime)
	}
	f.faulty = f.faulty || !ok
	if f.given == nil {
		f.given = make(map[string]bool, 8)
	}
	f.given[key] = true
}

// change notes a part that the cue starts with or moves to.
func (r *reader) change(c *Cue, f mixer.Fields, ok bool) {
	if ok {
		c.Change.Fields |= f
	}
}

// loop reads true, false, or how often a loop is played.
func (r *reader) loop(p *yaml.Pair, on *bool, rounds *int) bool {
	if n, err := parseWhole(p.Value.Text, 1, mixer.MaxRounds); p.Value.Kind == yaml.Scalar && !p.Value.Quoted && err == nil {
		*on, *rounds = true, int(n)
		return true
	}
	if text := p.Value.Text; p.Value.Kind != yaml.Scalar || p.Value.Quoted || text != "true" && text != "false" {
		what := quote(text)
		if p.Value.Kind != yaml.Scalar {
			what = p.Value.Kind.String()
		}
		r.fail(p.Value.Place, "loop takes true, false, or how often the loop is played, from 1 to %d, not %s", mixer.MaxRounds, what)
		return false
	}
	*on, *rounds = p.Value.Text == "true", 0
	return true
}

// shapeNames are the ways of a gain.
var shapeNames = []string{voice.InDecibels.String(), voice.InAmplitude.String(), voice.RaisedCosine.String(), voice.ConstantPower.String()}

func (r *reader) id(p *yaml.Pair, c *Cue) {
	if !r.word(p, &c.ID) {
		return
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
}

// target finds what a cue acts on, when all ids are known.
func (r *reader) target(p *yaml.Pair, c *Cue) {
	if !r.word(p, &c.Target) {
		return
	}
	at := p.Value.Place
	switch name := c.Target; {
	case name == "all":
		c.Scope = OnAll
		if c.Verb == Set || c.Verb == Fade {
			r.fail(at, "%s: everything at once is the bus \"master\"", p.Key)
		}
	case r.buses[name]:
		c.Scope = OnBus
		if c.Change.Fields&mixer.FieldSpeed != 0 {
			r.fail(at, "%s: a bus has no speed; move its pitch", p.Key)
		}
		if c.Change.Fields&(mixer.FieldPriority|mixer.FieldProtect|mixer.FieldRounds) != 0 {
			r.fail(at, "%s: a bus has no priority, protect or loop; set those of an id", p.Key)
		}
		if name == "master" && c.Change.Fields&mixer.FieldPitch != 0 {
			r.fail(at, "%s: the master has no pitch; move that of a bus", p.Key)
		}
	case r.ids[name] != 0:
		c.Scope, c.tag = OnID, r.ids[name]
		if c.Change.Fields&mixer.FieldMute != 0 {
			r.fail(at, "%s: only a bus can be muted; to silence %s, fade it to -80", p.Key, quote(name))
		}
		if c.Change.Fields&mixer.FieldSolo != 0 {
			r.fail(at, "%s: only a bus can be soloed", p.Key)
		}
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

// finishCue checks what keys say together, and fills in what the sound says.
func (r *reader) finishCue(n *yaml.Node, c *Cue, f *cueFields) {
	if f.at == nil && missing(n, "at") && !f.unknown {
		r.fail(n.Place, "a cue needs `at`, its time")
	}
	if c.Verb == Fade && missing(n, "to") && !f.unknown {
		r.fail(n.Place, "a fade needs `to`, the decibels that it leads to")
	}
	if c.Verb == Seek && missing(n, "to") && !f.unknown {
		r.fail(n.Place, "a seek needs `to`, the place in the sound that it leads to")
	}
	if c.Verb == Set && !f.unknown && !slices.ContainsFunc(n.Pairs, func(p yaml.Pair) bool {
		return slices.Contains([]string{"gain", "pan", "pitch", "speed", "mute", "solo", "loop", "priority", "protect"}, p.Key)
	}) {
		r.fail(n.Place, "a set needs something to set: gain, pan, pitch, speed, loop, priority, protect or, for a bus, mute, solo")
	}
	if f.shape != nil && missing(n, "gain") {
		r.fail(f.shape.Place, "shape goes with `gain`: it is the way of a gain; all else moves straight")
	}
	r.repetitions(n, c, f)
	if !f.hasSound {
		return
	}
	s := &r.sheet.Sounds[f.sound]
	inherit(f, "pan", &c.Change.Pan, s.Pan)
	inherit(f, "bus", &c.Bus, s.Bus)
	inherit(f, "priority", &c.Priority, s.Priority)
	inherit(f, "protect", &c.Protect, s.Protect)
	inherit(f, "loop", &c.Loop, s.Loop)
	inherit(f, "loop", &c.Rounds, s.Rounds)
	if s.Stream && c.Loop && c.tag != 0 && r.streams[c.tag] == 0 {
		if r.streams == nil {
			r.streams = map[uint64]int{}
		}
		r.streams[c.tag] = c.Line
	}
	if s.Stream && c.Rounds > 0 {
		r.fail(n.Place, "loop: a stream cannot count its rounds; give it `for`, or stop it")
	}
	inherit(f, "from", &c.From, s.From)
}

func inherit[T any](f *cueFields, key string, dst *T, sound T) {
	if !f.given[key] {
		*dst = sound
	}
}

// repetitions works out how often a cue acts.
func (r *reader) repetitions(n *yaml.Node, c *Cue, f *cueFields) {
	switch {
	case f.every == nil && f.times != nil && missing(n, "every"):
		r.fail(f.times.Place, "times needs `every`, the time from one to the next")
		return
	case f.every == nil && f.until != nil && missing(n, "every"):
		r.fail(f.until.Place, "until needs `every`, the time from one repetition to the next")
		return
	case f.every != nil && missing(n, "times") && missing(n, "until"):
		r.fail(f.every.Place, "every needs `times` or `until`, or it would never end")
		return
	}
	if f.faulty || f.every == nil || f.at == nil {
		return
	}
	if f.until != nil {
		if f.untilTime.Compare(c.At) <= 0 {
			r.fail(f.until.Place, "until: the cue begins at %v, so nothing happens before %v", c.At, f.untilTime)
			return
		}
		most := f.untilTime.sub(c.At).over(c.Every)
		if f.times == nil || most < c.Times {
			c.Times = most
		}
	}
	if t, ok := c.Every.times(c.Times - 1); !ok || t.hi > 1<<62 || c.At.add(t).Compare(seconds(maxMoment)) > 0 {
		r.fail(f.every.Place, "every: the last repetition would come after more than 10^12 seconds")
		c.Times = 1
	}
}
