package parse

import (
	"cmp"
	"fmt"

	"voicepool/effect"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/internal/words"
	"voicepool/mixer"
)

// checkCycles records an error at the first bus whose signal or level comes back to it, through sends, parents or
// sidechain keys of effects. root is the mapping of the whole file. Outputs and buses must have been parsed.
func (r *Reader) checkCycles(root *yaml.Node) {
	type busNode struct { // a bus with sends or keyed effects, which can close a cycle
		key, name string
		sends     []mixer.Send
		effects   []effect.Effect
	}
	nodes := []busNode{{"master", "master", nil, r.rules.Master.Effects}}
	var edges []words.Edge // steps of the signal, or of a level to a sidechain
	addEdge := func(from, to, format string, names ...any) {
		edges = append(edges, words.Edge{From: from, To: to, Text: fmt.Sprintf(format, names...)})
	}
	for i := range r.rules.Outputs {
		if name := r.rules.Outputs[i].Name; i > 0 {
			nodes = append(nodes, busNode{"outputs", name, nil, r.rules.Outputs[i].Effects})
			addEdge(name, "master", "%q is below the master", name)
		}
	}
	for i := range r.rules.Buses {
		b := &r.rules.Buses[i]
		nodes = append(nodes, busNode{"buses", b.Name, b.Sends, b.Effects})
		above := cmp.Or(b.Parent, b.Output)
		if above == "" || r.isMaster(above) {
			above = "master"
		}
		addEdge(b.Name, above, "%q goes into %q", b.Name, above)
		for _, s := range b.Sends {
			addEdge(b.Name, s.To, "%q sends to %q", b.Name, s.To)
		}
	}
	for i := range nodes {
		e := &nodes[i]
		for j := range e.effects {
			if key := e.effects[j].Key; key != "" {
				addEdge(key, e.name, "%[2]q listens to %[1]q", key, e.name)
			}
		}
	}
	if !words.Circles(edges) {
		return
	}
	for i := range nodes {
		e := &nodes[i]
		p := cyclePair(root, e.key, e.name, e.sends, e.effects)
		if p == nil {
			continue
		}
		if cycle := words.Circle(edges, e.name); cycle != "" {
			r.Fail(p.Position, "%s: the bus %s would feed itself: %s", p.Key, yaml.Quote(e.name), cycle)
			return
		}
	}
}

// isMaster reports whether name is the name of the first output, whose bus is the master. It is false for "master".
func (r *Reader) isMaster(name string) bool {
	return len(r.rules.Outputs) > 0 && name == r.rules.Outputs[0].Name
}

// cyclePair returns the pair `sends` of the bus called bus in the file if it has sends, or the pair `effects` if an
// effect has a sidechain key: these can close a cycle. Otherwise it returns nil. The string key is the section of the
// file with the bus: "master", "outputs" or "buses". root is the mapping of the whole file.
func cyclePair(root *yaml.Node, key, bus string, sends []mixer.Send, effects []effect.Effect) *yaml.Pair {
	of := fields.Find(root, key)
	if of != nil && key != bus {
		of = fields.Find(of.Value, bus)
	}
	if of == nil { // the first output's are in the master
		return nil
	}
	if len(sends) > 0 {
		return fields.Find(of.Value, "sends")
	}
	for i := range effects {
		if effects[i].Key != "" {
			return fields.Find(of.Value, "effects")
		}
	}
	return nil
}
