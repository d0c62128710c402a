package parse

import (
	"fmt"

	"voicepool/effect"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// circles records an error at the first bus whose signal or level comes back to it, through sends, parents or
// sidechain keys of effects. root is the mapping of the whole file. Outputs and buses must have been parsed.
func (r *Reader) circles(root *yaml.Node) {
	type end struct { // a bus with sends or keyed effects, which can close a cycle
		key, name string
		sends     []mixer.Send
		effects   []effect.Effect
	}
	ends := []end{{"master", "master", nil, r.rules.Master.Effects}}
	var ways []words.Edge // steps of the signal, or of a level to a sidechain
	way := func(from, to, says string, names ...any) {
		ways = append(ways, words.Edge{From: from, To: to, Text: fmt.Sprintf(says, names...)})
	}
	for i := range r.rules.Outputs {
		if name := r.rules.Outputs[i].Name; i > 0 {
			ends = append(ends, end{"outputs", name, nil, r.rules.Outputs[i].Effects})
			way(name, "master", "%q is below the master", name)
		}
	}
	for i := range r.rules.Buses {
		b := &r.rules.Buses[i]
		ends = append(ends, end{"buses", b.Name, b.Sends, b.Effects})
		above := b.Parent
		if above == "" {
			above = b.Output
		}
		if above == "" || r.isMaster(above) {
			above = "master"
		}
		way(b.Name, above, "%q goes into %q", b.Name, above)
		for _, s := range b.Sends {
			way(b.Name, s.To, "%q sends to %q", b.Name, s.To)
		}
	}
	for i := range ends {
		e := &ends[i]
		for j := range e.effects {
			if key := e.effects[j].Key; key != "" {
				way(key, e.name, "%[2]q listens to %[1]q", key, e.name)
			}
		}
	}
	if !words.Circles(ways) {
		return
	}
	for i := range ends {
		e := &ends[i]
		p := closes(root, e.key, e.name, e.sends, e.effects)
		if p == nil {
			continue
		}
		if circle := words.Circle(ways, e.name); circle != "" {
			r.Fail(p.Place, "%s: the bus %s would feed itself: %s", p.Key, yaml.Quote(e.name), circle)
			return
		}
	}
}

// isMaster reports whether name is the name of the first output, whose bus is the master. It is false for "master".
func (r *Reader) isMaster(name string) bool {
	return len(r.rules.Outputs) > 0 && name == r.rules.Outputs[0].Name
}

// closes returns the pair `sends` of the bus called bus in the file if it has sends, or the pair `effects` if an
// effect has a sidechain key: these can close a cycle. Otherwise it returns nil. The string key is the section of the
// file with the bus: "master", "outputs" or "buses". root is the mapping of the whole file.
func closes(root *yaml.Node, key, bus string, sends []mixer.Send, effects []effect.Effect) *yaml.Pair {
	of := fields.Given(root, key)
	if of != nil && key != bus {
		of = fields.Given(of.Value, bus)
	}
	if of == nil { // the first output's are in the master
		return nil
	}
	if len(sends) > 0 {
		return fields.Given(of.Value, "sends")
	}
	for i := range effects {
		if effects[i].Key != "" {
			return fields.Given(of.Value, "effects")
		}
	}
	return nil
}
