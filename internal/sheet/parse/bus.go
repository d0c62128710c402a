package parse

import (
	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// Bus returns the fields of a bus, except its duck, sends and effects. Parsing a field stores its value in b. buses and
// outputs contain the known names.
func Bus(b *rules.Bus, buses, outputs map[string]bool) []fields.Field {
	return []fields.Field{
		{Key: "parent", To: bus(&b.Parent, buses)},
		{Key: "output", To: outputName{fields.Name{To: &b.Output, Kind: "output", Known: outputs}}},
		{Key: "gain", To: &b.Gain, Within: Decibels},
		{Key: "pan", To: &b.Pan, Within: Pans},
		{Key: "pitch", To: &b.Pitch, Within: Semitones},
		{Key: "voices", To: &b.Voices, Within: Counts},
		{Key: "mute", To: &b.Mute},
		{Key: "solo", To: &b.Solo},
		{Key: "lowpass", To: Cutoff(&b.LowPass), Within: Cutoffs},
		{Key: "highpass", To: Cutoff(&b.HighPass), Within: Cutoffs},
	}
}

// duckField returns the field `duck` of a bus. The function read parses its value; it may be nil if only the schema of
// the field is needed.
func duckField(read func(*yaml.Pair) bool) fields.Field {
	return fields.Field{Key: "duck", To: read, Shape: fields.Mapping{Fields: Duck(&rules.Duck{}, nil), Required: []string{"when", "by"}}}
}

// Duck returns the fields of the key `duck` of a bus. Parsing a field stores its value in d. buses contains the known
// names of buses.
func Duck(d *rules.Duck, buses map[string]bool) []fields.Field {
	return []fields.Field{
		{Key: "when", To: bus(&d.When, buses)},
		{Key: "by", To: &d.By, Within: fields.Limits{From: 0, To: 120, Unit: Decibels.Unit}},
		{Key: "above", To: &d.Above, Within: fields.Limits{From: -120, To: -1, Unit: Decibels.Unit}},
		{Key: "attack", To: &d.Attack},
		{Key: "hold", To: &d.Hold},
		{Key: "release", To: &d.Release},
	}
}

// parseBuses parses n, the mapping of all buses, and appends them to the rules and to r.Buses. It records errors, also
// for reserved names, cycles of parents, and buses on another output than their parent. The outputs must have been
// parsed before.
func (r *Reader) parseBuses(n *yaml.Node) {
	if n.Kind == yaml.Mapping {
		if len(n.Pairs) > mixer.MaxBuses {
			r.Fail(n.Position, "buses has %d entries; a mixer has at most %d", len(n.Pairs), mixer.MaxBuses)
			return
		}
		for i := range n.Pairs {
			if p := &n.Pairs[i]; r.outputs[p.Key] {
				r.Fail(p.Position, "%s is the name of an output, which is a bus already; rename this bus", yaml.Quote(p.Key))
			}
			r.Buses[n.Pairs[i].Key] = true
		}
	}
	parents, pairs := map[string]*yaml.Pair{}, map[string]*yaml.Pair{}
	r.Named(n, "buses", func(p *yaml.Pair) {
		b := rules.Bus{Name: p.Key}
		if p.Key == "all" || p.Key == "master" {
			r.Fail(p.Position, "the name %q is reserved; rename the bus", p.Key)
			return
		}
		duck := func(p *yaml.Pair) bool { return r.parseDuck(p, b.Name, &b.Duck) }
		sends := func(p *yaml.Pair) bool { return r.parseSends(p, b.Name, &b.Sends) }
		effects := func(p *yaml.Pair) bool { return r.parseEffects(p, &b.Effects) }
		r.Read(p.Value, "a bus", append(Bus(&b, r.Buses, r.outputs), duckField(duck), effectsField(effects), sendsField(sends)))
		pairs[b.Name] = p
		if b.Parent != "" {
			parents[b.Name] = fields.Find(p.Value, "parent")
		}
		r.rules.Buses = append(r.rules.Buses, b)
	})
	known := map[string]bool{} // whether the chain of parents ends at the master
	var reachesMaster func(bus string) bool
	reachesMaster = func(bus string) bool {
		if _, ok := known[bus]; !ok {
			known[bus] = false // in case of a cycle
			parent := parents[bus]
			known[bus] = parent == nil || reachesMaster(parent.Value.Text)
		}
		return known[bus]
	}
	for i := range r.rules.Buses {
		if name := r.rules.Buses[i].Name; !reachesMaster(name) {
			r.Fail(parents[name].Value.Position, "parent: the bus %s would be below itself", yaml.Quote(name))
		}
	}
	r.checkOutputs(func(bus string) *yaml.Pair { return pairs[bus] })
}

// CheckDuckTrigger records an error if the duck of bus is triggered by the bus itself or by the master, which contains
// all voices. n is the mapping of the duck, and when the bus that its key `when` names.
func (r *Reader) CheckDuckTrigger(n *yaml.Node, when, bus string) {
	if len(r.rules.Outputs) > 0 && when == r.rules.Outputs[0].Name {
		when = "master"
	}
	switch when {
	case "": // missing, reported elsewhere
	case bus:
		r.Fail(fields.Find(n, "when").Value.Position, "when: a bus cannot be ducked by itself")
	case "master":
		r.Fail(fields.Find(n, "when").Value.Position, "when: the master has all voices, so it cannot duck a bus; name another bus")
	}
}

// parseDuck parses the duck of bus from p and sets *to to it, even if it has errors, which are recorded. It always
// returns true.
func (r *Reader) parseDuck(p *yaml.Pair, bus string, to **rules.Duck) bool {
	d := &rules.Duck{}
	*to = d
	r.Read(p.Value, "duck", Duck(d, r.Buses))
	r.CheckDuckTrigger(p.Value, d.When, bus)
	if p.Value.Kind == yaml.Mapping && (fields.Missing(p.Value, "when") || fields.Missing(p.Value, "by")) {
		r.Fail(p.Position, "duck needs `when`, the bus that triggers it, and `by`, the decibels")
	}
	return true
}
