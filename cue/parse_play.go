package cue

import (
	"slices"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// addLayers appends one start to d.play.Layers for each layer of the sound d.sound. A layer is a further sound that
// starts with it, possibly after a delay. Unknown layers, and layers that have layers themselves, are left out. Each
// layer copies the cue's start. It takes sends, filters, bus, protect, loop and from of the layer's sound, unless the
// cue sets them. The pan, priority and importance of that sound are added to the cue's. n is the YAML node of the cue.
func (d *draft) addLayers(n *yaml.Node) {
	for _, l := range d.sound.Layers {
		i, known := d.Sounds[l.Sound]
		if !known || d.sheet.Sounds[i].Layers != nil {
			continue // reported with the sound that has the layers
		}
		s, c := &d.sheet.Sounds[i], d.play
		c.Layers, c.Sound, c.Delay = nil, i, l.Delay
		c.Pan = min(max(c.Pan+s.Pan, -mixer.MaxPan), mixer.MaxPan)
		c.Priority = min(max(c.Priority+s.Priority, -mixer.MaxPriority), mixer.MaxPriority)
		c.Importance = min(max(c.Importance+s.Importance, -mixer.MaxImportance), mixer.MaxImportance)
		inherit(n, "sends", &c.Sends, s.Sends)
		inheritFilters(n, &c.Filters, s.Filters)
		inherit(n, "bus", &c.Bus, s.Bus)
		inherit(n, "protect", &c.Protect, s.Protect)
		inherit(n, "loop", &c.Loop, s.Loop)
		inherit(n, "loop", &c.Rounds, s.Rounds)
		inherit(n, "from", &c.From, s.From)
		d.CheckSendTargets(n, c.Sends, c.Bus)
		d.play.Layers = append(d.play.Layers, c)
	}
}

// parseParameters parses the value of p, a mapping of names to numbers, into the parameters of the start or set in d.
// It records errors but always returns true. checkParameters checks later, once all ids are known, whether the sounds
// have these parameters.
func (d *draft) parseParameters(p *yaml.Pair) bool {
	to := &d.play.Parameters
	if d.verb == VerbSet {
		to = &d.set.Parameters
	}
	d.Named(p.Value, "parameters", func(p *yaml.Pair) {
		one := Parameter{Name: p.Key}
		if d.Value(p, &fields.Field{To: &one.To, Within: parse.Values}) {
			*to = append(*to, one)
		}
	})
	if p.Value.Kind == yaml.Mapping && len(p.Value.Pairs) == 0 {
		d.Fail(p.Value.Position, "parameters takes names and values, such as {rpm: 4200}")
	}
	return true
}

// checkParameters records an error for each of the given parameters that the sounds do not have, or whose value is out
// of range. n is the YAML node of the cue. For a start or an id, all sounds must have the parameter. For all voices,
// one sound is enough. A bus cannot have parameters. scope is the scope of the target; 0: a start.
func (r *reader) checkParameters(n *yaml.Node, parameters []Parameter, scope Scope, sounds []*rules.Sound) {
	pair := fields.Find(n, "parameters")
	if pair == nil || pair.Value.Kind != yaml.Mapping {
		return
	}
	if scope == OnBus {
		r.Fail(pair.Position, "parameters: a bus has no parameters; set those of an id, or of \"all\"")
		return
	}
	for _, set := range parameters {
		at := fields.Find(pair.Value, set.Name).Value.Position
		found := false
		for _, s := range sounds {
			i := slices.IndexFunc(s.Parameters, func(p rules.Parameter) bool { return p.Name == set.Name })
			if i < 0 {
				if scope != OnAll {
					r.Fail(at, "parameters: the sound %s has no %s%s", yaml.Quote(s.Name), yaml.Quote(set.Name),
						r.suggestParameter(set.Name, s))
					found = true
				}
				continue
			}
			found = true
			if p := &s.Parameters[i]; set.To < p.From || set.To > p.To {
				r.Fail(at, "%s: %v is not in the range of %s, %v to %v", set.Name, set.To, yaml.Quote(s.Name), p.From, p.To)
			}
		}
		if !found && (scope == OnAll || len(sounds) > 0) {
			r.Fail(at, "parameters: no sound has %s%s", yaml.Quote(set.Name), r.suggestParameter(set.Name, sounds...))
		}
	}
}

// suggestParameter returns the end of an error message that suggests a parameter with a name similar to name. It
// searches the parameters of the given sounds. If no name is similar, it returns "".
func (r *reader) suggestParameter(name string, sounds ...*rules.Sound) string {
	return r.Suggest(name, func() (names []string) {
		for _, s := range sounds {
			for i := range s.Parameters {
				names = append(names, s.Parameters[i].Name)
			}
		}
		return names
	})
}

// soundsOf returns the sounds whose parameters a set of target t changes. These are all sounds of the sheet if t is all
// voices, or else the sounds played under the id t. The results point into the sheet.
func (r *reader) soundsOf(t Target) (sounds []*rules.Sound) {
	if t.Scope == OnAll {
		for i := range r.sheet.Sounds {
			sounds = append(sounds, &r.sheet.Sounds[i])
		}
		return sounds
	}
	id := ""
	if t.Scope == OnID {
		id = t.Name
	}
	for _, i := range r.played[id] {
		sounds = append(sounds, &r.sheet.Sounds[i])
	}
	return sounds
}
