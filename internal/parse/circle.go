package parse

import (
	"voicepool/bank/rules"
	"voicepool/internal/fields"
	"voicepool/internal/yaml"
)

// circles reports the first bus that comes to itself, by sends or by the keys of effects. given returns
// where a bus is described.
func (r *Reader) circles(given func(bus string) *yaml.Pair) {
	next := map[string][]string{} // to which others what is mixed for a bus goes, or says how loud they are
	for i := range r.rules.Buses {
		b := &r.rules.Buses[i]
		above := b.Parent
		if above == "" {
			if above = b.Output; above == "" || r.isMaster(above) {
				above = "master"
			}
		}
		next[b.Name] = append(next[b.Name], above)
		for _, s := range b.Sends {
			next[b.Name] = append(next[b.Name], s.To)
		}
		for j := range b.Effects {
			if key := b.Effects[j].Key; key != "" {
				next[key] = append(next[key], b.Name)
			}
		}
	}
	comes := func(from, to string) bool {
		seen, left := map[string]bool{}, []string{from}
		for len(left) > 0 {
			at := left[len(left)-1]
			left = left[:len(left)-1]
			for _, n := range next[at] {
				if n == to {
					return true
				}
				if !seen[n] {
					seen[n] = true
					left = append(left, n)
				}
			}
		}
		return false
	}
	for i := range r.rules.Buses {
		b := &r.rules.Buses[i]
		if p := closes(b, given(b.Name)); p != nil && comes(b.Name, b.Name) {
			r.Fail(p.Place, "%s: the bus %s would come to itself", p.Key, yaml.Quote(b.Name))
			return
		}
	}
}

// isMaster reports whether a name is that of the first output, which is the master.
func (r *Reader) isMaster(name string) bool {
	return len(r.rules.Outputs) > 0 && name == r.rules.Outputs[0].Name
}

// closes returns where a bus has what may lead back to it: nil, if it has nothing.
func closes(b *rules.Bus, p *yaml.Pair) *yaml.Pair {
	if len(b.Sends) > 0 {
		return fields.Given(p.Value, "sends")
	}
	for i := range b.Effects {
		if b.Effects[i].Key != "" {
			return fields.Given(p.Value, "effects")
		}
	}
	return nil
}
