package cue

import (
	"math/bits"
	"slices"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/property"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/scenes"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
	"voicepool/sounds/tone"
)

const maxCues = 500000

// entries reports whether n is a list of at most maxCues entries. If not, it records an error. n is the YAML value of
// key. example is a valid value, for the error message.
func (d *draft) entries(n *yaml.Node, key, example string) bool {
	switch {
	case n.Kind != yaml.List:
		d.Fail(n.Position, "%s is a list, such as %s, not %s", key, example, n.Kind)
	case len(n.Items) > maxCues:
		d.Fail(n.Position, "%s has %d entries; a sheet has at most %d", key, len(n.Items), maxCues)
	default:
		return true
	}
	return false
}

// parseCues parses n, the YAML list of cues with times, into d.sheet.Cues. It records errors; a faulty cue is appended
// nevertheless.
func (d *draft) parseCues(n *yaml.Node) {
	r := d.reader
	if !d.entries(n, "cues", "[{at: 0s, play: ...}]") {
		return
	}
	r.sheet.Cues = make([]Cue, 0, len(n.Items))
	for _, item := range n.Items {
		if d.addCue(item, Cue{Line: item.Line, Column: item.Column, Times: 1}, false); d.Number != "" {
			d.registerNumber(item, d.Number)
		}
	}
}

// addCue parses the YAML node n as a cue and appends the cue to d.sheet.Cues, even if it records errors. c has the
// initial values; d.Cue is the parsed cue afterwards. If isRelease is true, the cue was written `release`. The node and
// the target of the cue are kept for resolve.
func (d *draft) addCue(n *yaml.Node, c Cue, isRelease bool) {
	d.Cue, d.values, d.sound = c, values{}, nil
	target := d.parseCue(n)
	d.chooseFadeShape(n, target)
	if target != nil && isRelease {
		target = &yaml.Pair{Position: target.Position, Key: release, Value: target.Value}
	}
	d.targets, d.nodes = append(d.targets, target), append(d.nodes, n)
	d.Action = d.action()
	d.sheet.Cues = append(d.sheet.Cues, d.Cue)
}

// resolve finds the targets of all cues in the sheet, such as ids and buses, and stores them in the cues. It also
// checks their parameters, effects and sends, and records errors. Waits for the end of an id are checked only if the
// sheet has no error until then. It must run after all cues are parsed, because an id may be defined after its use.
func (d *draft) resolve() {
	for i, p := range d.targets {
		if p == nil {
			continue
		}
		c := &d.sheet.Cues[i]
		d.WithPrefix(c.ListLabel(), func() { d.resolveTarget(p, c.Action) })
	}
	for i, n := range d.nodes {
		c := &d.sheet.Cues[i]
		d.WithPrefix(c.ListLabel(), func() { d.resolveKeys(n, c.Action) })
	}
	if !d.Failed() {
		d.checkEndWaits()
	}
}

// resolveKeys checks or parses the keys of the action a that depend on its target. n is the YAML node of its cue.
func (d *draft) resolveKeys(n *yaml.Node, a Action) {
	switch a := a.(type) {
	case *Play:
		if len(a.Parameters) > 0 {
			d.checkParameters(n, a.Parameters, 0, []*rules.Sound{&d.sheet.Sounds[a.Sound]})
		}
	case *Set:
		if len(a.Parameters) > 0 {
			d.checkParameters(n, a.Parameters, a.Target.Scope, d.soundsOf(a.Target))
		}
		d.parseBusKeys(n, a)
	}
}

// parseCue parses the YAML node n as one cue into d, which must have its initial values, and records errors. It
// returns the YAML pair with the target of the cue, such as `stop: theme`, which resolve looks up later. The result is
// nil if the cue has no such target, as a start. If n has two verbs, the first is set, and the other keys are not
// parsed.
func (d *draft) parseCue(n *yaml.Node) (target *yaml.Pair) {
	if n.Kind != yaml.Mapping {
		d.Fail(n.Position, "a cue is a mapping, such as {at: 0s, play: ...}, not %s", n.Kind)
		return nil
	}
	var verb *yaml.Pair
	for i := range n.Pairs {
		v := Verb(slices.Index(verbNames[:], n.Pairs[i].Key) + 1)
		switch {
		case v == 0 || v == d.verb:
		case verb != nil:
			d.Fail(n.Pairs[i].Position, "a cue does one thing; this one has %s already", verb.Key)
			return nil
		default:
			d.verb, verb = v, &n.Pairs[i]
		}
	}
	all := d.keys[0]
	for i := range n.Pairs {
		if p := &n.Pairs[i]; d.field(p.Key) == nil && slices.Contains(all, p.Key) {
			d.Fail(p.Position, "%s does not belong to a cue with %s, which takes %s", yaml.Quote(p.Key), d.verb, fields.Join(d.keys[d.verb]))
		}
	}
	faulty := false
	keys := d.keys[d.verb]
	if d.List > 0 { // the number belongs to the list cue
		keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return key == "cue" })
	}
	unknown := d.EachOf(n, "a cue", all, keys, func(_ int, p *yaml.Pair) {
		f := d.field(p.Key)
		switch {
		case f == nil:
		case d.Value(p, &f.Field):
			d.set.Change.Fields |= f.property
		case slices.Contains(timeKeys, p.Key):
			faulty = true
		}
	})
	// A missing key is usually present under a misspelled name.
	if !unknown {
		d.checkRequired(n)
	}
	if p := fields.Find(n, "shape"); p != nil {
		switch {
		case d.verb == VerbSet && fields.Missing(n, "gain"):
			d.Fail(p.Position, "shape needs `gain`: it is the curve of a gain; other values move linearly")
		case d.verb == VerbPlay && d.play.FadeIn.IsZero():
			d.Fail(p.Position, "shape needs `fade_in`: it is the curve of the fade")
		case d.verb == VerbStop && d.stop.Over.IsZero():
			d.Fail(p.Position, "shape needs `over`: it is the curve of the fade")
		}
	}
	if p := fields.Find(n, "cut"); p != nil && d.stop.Cut && !d.stop.Over.IsZero() {
		d.Fail(p.Position, "cut ends voices at once; leave it out, or `over`")
	}
	d.checkPosition(n)
	if p := fields.Find(n, "speed_of_sound"); p != nil && d.listener.Doppler == 0 {
		d.Fail(p.Position, "speed_of_sound needs `doppler`, the strength of the shift, such as `doppler: 1`")
	}
	if d.play.For != nil && d.play.For.IsZero() {
		d.Fail(fields.Find(n, "for").Value.Position, "for: a time of 0 leaves nothing to hear; leave the cue out")
	}
	d.countRepetitions(n, faulty)
	if d.sound != nil {
		d.inherit(n)
		d.CheckSendTargets(n, d.play.Sends, d.play.Bus)
		d.addLayers(n)
		if played := d.played[d.play.ID]; !slices.Contains(played, d.play.Sound) {
			d.played[d.play.ID] = append(played, d.play.Sound)
		}
	} else {
		d.play.Parameters = nil // the sound is unknown
	}
	switch d.verb {
	case VerbSetDuck:
		d.CheckDuckTrigger(n, d.duck.Duck.When, verb.Value.Text)
	case VerbSetListener:
		d.checkListener(n)
		return nil
	case VerbPlay, VerbResize, VerbSetScene, VerbSend:
		return nil
	}
	if verb == nil || verb.Value.Kind == yaml.Null {
		return nil
	}
	return verb
}

// checkRequired records an error for each missing key that the cue in d needs. n is the YAML node of the cue.
func (d *draft) checkRequired(n *yaml.Node) {
	if fields.Missing(n, "at") {
		d.Fail(n.Position, "a cue needs `at`, its time")
	}
	switch {
	case d.verb == 0:
		d.Fail(n.Position, "a cue needs one of %s", fields.Join(verbNames[:]))
	case d.verb == VerbFade && fields.Missing(n, "to"):
		d.Fail(n.Position, "a fade needs `to`, its target in decibels")
	case d.verb == VerbSeek && fields.Missing(n, "to"):
		d.Fail(n.Position, "a seek needs `to`, the position in the sound")
	case d.verb == VerbSetDuck && (fields.Missing(n, "by") || fields.Missing(n, "when") && d.duck.Duck.By != 0):
		d.Fail(n.Position, "a duck needs `when`, the bus that triggers it, and `by`, the decibels; `by: 0` ends it")
	case d.verb == VerbSetDuck && fields.Missing(n, "when"):
		for _, f := range parse.Duck(&d.duck.Duck, d.Buses) {
			if p := fields.Find(n, f.Key); p != nil && f.Key != "by" {
				d.Fail(p.Position, "%s needs `when`, the bus that triggers the duck; `by: 0` alone ends it", p.Key)
			}
		}
	case d.verb == VerbMove && fields.Missing(n, "place"):
		d.Fail(n.Position, "a move needs `place`, its target, such as [3, 0, -1]")
	case d.verb == VerbSet && fields.Missing(n, "parameters") && fields.Missing(n, "effects") && fields.Missing(n, "sends") && !slices.ContainsFunc(n.Pairs, func(p yaml.Pair) bool {
		f := d.field(p.Key)
		return f != nil && f.property != 0
	}):
		var voice, bus string
		for i := range d.table {
			if f := &d.table[i]; f.property != 0 && f.Key != "to" {
				if property.Table[bits.TrailingZeros16(uint16(f.property))].Owners&property.Voice != 0 {
					voice += f.Key + ", "
				} else {
					bus += f.Key + ", "
				}
			}
		}
		d.Fail(n.Position, "a set needs something to set: %sparameters or, for a bus, %seffects, sends", voice, bus)
	}
}

// parseBusKeys parses the keys `effects` and `sends` into the set s and records errors. n is the YAML node of its cue.
// The target must be resolved.
func (d *draft) parseBusKeys(n *yaml.Node, s *Set) {
	bus := d.canonicalize(&s.Target)
	for _, p := range []*yaml.Pair{fields.Find(n, "effects"), fields.Find(n, "sends")} {
		switch {
		case p == nil:
		case p.Value.Kind == yaml.Mapping && len(p.Value.Pairs) == 0:
			d.Fail(p.Position, "%s is empty; leave it out", p.Key)
		case s.Target.Scope == OnID && p.Key == "sends":
			if d.Value(p, &fields.Field{Key: p.Key, To: parse.VoiceSends(&s.Sends, d.Buses, false)}) {
				d.CheckSendTargets(n, s.Sends, "")
			}
		case s.Target.Scope != OnBus:
			d.Fail(p.Position, "%s needs a bus as its target; %s is not a bus", p.Key, yaml.Quote(s.Target.Name))
		case p.Key == "sends":
			d.SendMoves(p, bus, &s.Sends)
		default:
			d.EffectMoves(p, bus, d.EffectsOf(bus), &s.Effects)
		}
	}
}

// parseScene parses the value of p, the name of a scene, into d.scene. It reports whether the value is a name and the
// sheet has that scene; otherwise it records an error. The empty name, which ends a scene, is valid.
func (d *draft) parseScene(p *yaml.Pair) bool {
	text, ok := d.Scalar(p, "a name")
	if d.scene.Scene = text; ok && text != "" && scenes.Find(&d.sheet.Rules, text) == nil {
		d.Fail(p.Value.Position, "scene: there is no scene %s in `scenes`%s", yaml.Quote(text), d.Suggest(text, func() (names []string) {
			for i := range d.sheet.Scenes {
				names = append(names, d.sheet.Scenes[i].Name)
			}
			return names
		}))
		return false
	}
	return ok
}

// parseTimes parses the value of p, a number of repetitions, into d.Times. It reports whether the value is a whole
// number from 1 to 2^62. If not, it records an error, and d.Times is still at least 1.
func (d *draft) parseTimes(p *yaml.Pair) bool {
	n, ok := d.Whole(p, 1, 1<<62)
	d.Times = uint64(max(n, 1))
	return ok
}

// parseID parses the value of p, the id of a cue, into d.play.ID. Cues may refer to the id from then on. It reports
// whether the value is a name; otherwise it records an error. For the name of a bus, or "all", it records an error and
// sets no id, but returns true.
func (d *draft) parseID(p *yaml.Pair) bool {
	r, c := d.reader, &d.play
	if !r.Word(p, &c.ID) {
		return false
	}
	switch {
	case c.ID == "all":
		r.Fail(p.Value.Position, "id: %q is reserved: it means all voices", c.ID)
		c.ID = ""
	case r.Buses[c.ID]:
		r.Fail(p.Value.Position, "id: %s is the name of a bus; an id must differ from them", yaml.Quote(c.ID))
		c.ID = ""
	case !r.known[c.ID]:
		r.ids, r.known[c.ID] = append(r.ids, c.ID), true
	}
	return true
}

// resolveTarget parses the value of p, the target of the action a, and sets it in a. All ids must be known by then. It
// records an error if the target is unknown or does not have a property that the action changes.
func (r *reader) resolveTarget(p *yaml.Pair, a Action) {
	t, changed := a.target(), mixer.Fields(0)
	if !r.Word(p, &t.Name) {
		return
	}
	if set, is := a.(*Set); is {
		changed = set.Change.Fields
	}
	at := p.Value.Position
	deny := func(fields mixer.Fields, why string) {
		if changed&fields != 0 {
			r.Fail(at, "%s: %s", p.Key, why)
		}
	}
	switch name := r.canonicalize(t); {
	case a.Verb() == VerbSetDuck:
		t.Scope = OnBus
		if !r.Buses[name] {
			r.Fail(at, "duck: there is no bus %s%s", yaml.Quote(name),
				r.Suggest(name, func() []string { return fields.Sorted(r.Buses) }))
		}
	case a.Verb() == VerbMove && (name == "all" || r.Buses[name]):
		r.Fail(at, "move: only the voices of an id have a place, not %s", yaml.Quote(name))
	case name == "all":
		t.Scope = OnAll
		if changed != 0 {
			r.Fail(at, "%s: to change all voices, use the bus \"master\"", p.Key)
		}
	case r.Buses[name]:
		t.Scope = OnBus
		for id, p := range property.Table[:property.NumVoiceFades] {
			switch {
			case id == int(property.Speed):
				deny(mixer.FieldSpeed, "a bus has no speed; move its pitch")
			case p.Owners&property.Bus == 0:
				deny(1<<id, "a bus has no "+p.Name)
			}
		}
		deny(mixer.FieldPriority|mixer.FieldProtect|mixer.FieldRounds, "a bus has no priority, protect or loop; set those of an id")
		if name == "master" {
			deny(mixer.FieldPitch, "the master has no pitch; move that of a bus")
		}
	case r.known[name]:
		t.Scope = OnID
		if changed&mixer.FieldMute != 0 {
			r.Fail(at, "%s: only a bus can be muted; to silence %s, fade it to -80", p.Key, yaml.Quote(name))
		}
		deny(mixer.FieldSolo, "only a bus can be soloed")
	default:
		hint := r.Suggest(name, func() []string { return slices.Concat(r.ids, fields.Sorted(r.Buses), []string{"all"}) })
		if _, ok := r.Sounds[name]; ok && hint == "" {
			hint = "; to name a sound's voices, give its cue an id"
		}
		r.Fail(at, "%s: no cue has the id %s, and no bus is called that%s", p.Key, yaml.Quote(name), hint)
	}
}

// parsePlay finds the sound that the value of p names and sets d.play.Sound to its index and d.sound to the sound. A
// path, an embedded or a generated sound is added to the sounds of the sheet. It reports whether the sound is known;
// otherwise it records an error. A path counts as known, and its file is not opened.
func (d *draft) parsePlay(p *yaml.Pair) bool {
	r := d.reader
	name := ""
	if !r.Word(p, &name) {
		return false
	}
	i, known := r.Sounds[name]
	_, found := r.sheet.Find(name)
	switch {
	case known:
	case !found && !tone.Is(name) && !strings.ContainsAny(name, `./\`):
		names := func() []string { return append(fields.Sorted(r.Sounds), r.NamedSounds()...) }
		r.Fail(p.Value.Position, "play: there is no sound %s in `sounds` or among the embedded ones%s", yaml.Quote(name), r.Suggest(name, names))
		return false
	default:
		i = r.Add(rules.Sound{Name: name, Speed: 1, Files: r.AddFile(p.Value, nil)})
	}
	d.play.Sound, d.sound = i, &r.sheet.Sounds[i]
	return true
}

// inherit gives the start in d the values of its sound for all keys that the cue does not have. n is the YAML node of
// the cue. d.sound must not be nil.
func (d *draft) inherit(n *yaml.Node) {
	c, s := &d.play, d.sound
	inherit(n, "pan", &c.Pan, s.Pan)
	inheritFilters(n, &c.Filters, s.Filters)
	inherit(n, "sends", &c.Sends, s.Sends)
	inherit(n, "bus", &c.Bus, s.Bus)
	inherit(n, "priority", &c.Priority, s.Priority)
	inherit(n, "importance", &c.Importance, s.Importance)
	inherit(n, "protect", &c.Protect, s.Protect)
	inherit(n, "loop", &c.Loop, s.Loop)
	inherit(n, "loop", &c.Rounds, s.Rounds)
	inherit(n, "from", &c.From, s.From)
}

// inherit sets *dst to sound, a value of the cue's sound, unless the cue has the given key itself. n is the YAML node
// of the cue.
func inherit[T any](n *yaml.Node, key string, dst *T, sound T) {
	if fields.Find(n, key) == nil {
		*dst = sound
	}
}

// inheritFilters is inherit for all filters.
func inheritFilters(n *yaml.Node, dst *mixer.Filters, sound mixer.Filters) {
	from := sound.FilterFields()
	for i, to := range dst.FilterFields() {
		inherit(n, property.Filters()[i].Key, to, *from[i])
	}
}

// countRepetitions sets d.Times, how many times a cue acts, from its keys `every`, `times` and `until`. n is the YAML
// node of the cue. If the intervals are random, it also sets d.Span. It records errors. If faulty is true, a time of
// the cue is invalid, and d.Times does not change.
func (d *draft) countRepetitions(n *yaml.Node, faulty bool) {
	every, times, until := fields.Find(n, "every"), fields.Find(n, "times"), fields.Find(n, "until")
	switch {
	case times != nil && fields.Missing(n, "every"):
		d.Fail(times.Position, "times needs `every`, the time from one to the next")
	case until != nil && fields.Missing(n, "every"):
		d.Fail(until.Position, "until needs `every`, the time from one repetition to the next")
	case every != nil && fields.Missing(n, "times") && fields.Missing(n, "until"):
		d.Fail(every.Position, "every needs `times` or `until`, or it would never end")
	case faulty || every == nil || fields.Find(n, "at") == nil:
	case until != nil && d.until.Compare(d.At) <= 0:
		d.Fail(until.Position, "until: the cue begins at %v, so nothing happens before %v", d.At, d.until)
	default:
		if until != nil {
			most := d.At.Repeats(d.until, d.Every)
			if times == nil || most < d.Times {
				d.Times = most
			}
		}
		if !d.EveryMax.IsZero() {
			d.setSpan(every, until)
		} else if _, ok := d.At.Repeat(d.Times-1, d.Every); !ok {
			d.Fail(every.Position, "every: the last repetition would come after more than 10^12 seconds")
			d.Times = 1
		}
	}
}

// nanoseconds converts a time to nanoseconds, the resolution of random times, rounded half up.
func nanoseconds(t rules.Time) int64 { return t.Frames(1e9) }

// setSpan sets d.Span, the time in nanoseconds from the first repetition to `until`; without `until` it is 0. every and
// until are the YAML pairs of these keys; until may be nil. If the last repetition could come after more than 146
// years, it records an error and sets d.Times to 1.
func (d *draft) setSpan(every, until *yaml.Pair) {
	if until != nil {
		d.Span = nanoseconds(d.until) - nanoseconds(d.At)
	}
	if until == nil && d.Times-1 > uint64(1<<62/nanoseconds(d.EveryMax)) || d.Span < 0 {
		d.Fail(every.Position, "every: the last repetition would come after more than 146 years")
		d.Times = 1
	}
}
