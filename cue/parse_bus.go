package cue

import (
	"voicepool/internal/yaml"
	"voicepool/mixer"
)

// fields returns all but the duck.
func (b *Bus) fields() []field {
	return []field{
		{"parent", busName{&b.Parent}, other},
		{"gain", &b.Gain, decibels},
		{"pan", &b.Pan, pans},
		{"pitch", &b.Pitch, semitones},
		{"voices", &b.Voices, counts},
		{"mute", &b.Mute, other},
		{"solo", &b.Solo, other},
	}
}

func (d *Duck) fields() []field {
	return []field{
		{"when", busName{&d.When}, other},
		{"by", &d.By, limits{0, 120, decibels.unit}},
		{"attack", &d.Attack, other},
		{"hold", &d.Hold, other},
		{"release", &d.Release, other},
	}
}

func (r *reader) allBuses(n *yaml.Node) {
	if n.Kind == yaml.Mapping {
		if len(n.Pairs) > mixer.MaxBuses {
			r.fail(n.Place, "buses has %d entries; a mixer has at most %d", len(n.Pairs), mixer.MaxBuses)
			return
		}
		for i := range n.Pairs {
			r.buses[n.Pairs[i].Key] = true
		}
	}
	parents := map[string]*yaml.Pair{}
	r.named(n, "buses", func(p *yaml.Pair) {
		b := Bus{Name: p.Key}
		if p.Key == "all" || p.Key == "master" {
			r.fail(p.Place, "the name %q is reserved; call the bus something else", p.Key)
			return
		}
		duck := func(p *yaml.Pair) bool { return r.duck(p, &b) }
		r.read(p.Value, "a bus", append(b.fields(), field{"duck", duck, other}))
		if b.Parent != "" {
			parents[b.Name] = given(p.Value, "parent")
		}
		r.sheet.Buses = append(r.sheet.Buses, b)
	})
	known := map[string]bool{} // whether a bus comes to the master
	var comes func(bus string) bool
	comes = func(bus string) bool {
		if _, ok := known[bus]; !ok {
			known[bus] = false // if the way leads back to it
			above := parents[bus]
			known[bus] = above == nil || comes(above.Value.Text)
		}
		return known[bus]
	}
	for i := range r.sheet.Buses {
		if name := r.sheet.Buses[i].Name; !comes(name) {
			r.fail(parents[name].Value.Place, "parent: the bus %s would be below itself", quote(name))
		}
	}
}

func (r *reader) duck(p *yaml.Pair, b *Bus) bool {
	d := &Duck{}
	b.Duck = d
	r.read(p.Value, "duck", d.fields())
	switch d.When {
	case b.Name:
		r.fail(given(p.Value, "when").Value.Place, "when: a bus cannot give way to itself")
	case "master":
		r.fail(given(p.Value, "when").Value.Place, "when: all voices are on the master; name the bus to give way to")
	}
	if p.Value.Kind == yaml.Mapping && (missing(p.Value, "when") || missing(p.Value, "by")) {
		r.fail(p.Place, "duck needs `when`, the bus to give way to, and `by`, the decibels")
	}
	return true
}

// bus reads the name of a bus that there is.
func (r *reader) bus(p *yaml.Pair, dst *string) bool {
	name := ""
	if !r.word(p, &name) {
		return false
	}
	if !r.buses[name] {
		r.fail(p.Value.Place, "%s: there is no bus %s%s", p.Key, quote(name), r.suggest(name, func() []string { return sortedKeys(r.buses) }))
		return false
	}
	*dst = name
	return true
}
