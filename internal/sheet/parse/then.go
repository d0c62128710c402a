package parse

import (
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
)

// successorKey is a `then` key and the sound that has it.
type successorKey struct {
	pair *yaml.Pair
	name string
}

// checkSuccessors records an error for each `then` key that names an unknown sound or a sound with layers, or that
// leads back to its own sound. All sounds must have been parsed.
func (r *Reader) checkSuccessors() {
	for _, t := range r.successorKeys {
		next := t.pair.Value.Text
		i, ok := r.Sounds[next]
		if ok && r.rules.Sounds[i].Layers != nil {
			r.Fail(t.pair.Value.Position, "then: %s has layers; a successor must have files", yaml.Quote(next))
			continue
		}
		if !ok {
			r.Fail(t.pair.Value.Position, "then: there is no sound %s in `sounds`%s", yaml.Quote(next),
				r.Suggest(next, func() []string { return fields.Sorted(r.Sounds) }))
			continue
		}
		chain := []string{t.name}
		for next != "" && next != t.name && len(chain) <= len(r.successorKeys) {
			chain = append(chain, next)
			next = r.successor(next)
		}
		if next == t.name {
			r.Fail(t.pair.Value.Position, "then: %s follows itself (%s); repeat it by a `loop` in one sound, or by a library.Queue",
				yaml.Quote(t.name), strings.Join(append(chain, t.name), ", "))
		}
	}
}

// SuccessorPositions returns the places of all `then` keys of the file, in file order.
func (r *Reader) SuccessorPositions() (all []yaml.Position) {
	for _, t := range r.successorKeys {
		all = append(all, t.pair.Position)
	}
	return all
}

// successor returns the name of the sound that follows the sound called name by `then`. It returns "" if that sound has
// no `then` or is unknown.
func (r *Reader) successor(name string) string {
	if i, ok := r.Sounds[name]; ok {
		return r.rules.Sounds[i].Then
	}
	return ""
}

// loopRegion is a destination for a loop: true, false, a number of rounds, or the times of the loop region.
type loopRegion struct {
	fields.Loop
	sound *rules.Sound
}

// fields returns the fields of a loop region. Parsing a field stores its value in l.sound.
func (l loopRegion) fields() []fields.Field {
	return []fields.Field{{Key: "from", To: &l.sound.LoopFrom}, {Key: "to", To: &l.sound.LoopTo}}
}

// Schema returns the schema of Loop or of a mapping.
func (l loopRegion) Schema(within fields.Limits) fields.Schema {
	mapping := fields.Mapping{Fields: l.fields(), Required: []string{"to"}}
	return fields.Schema{"anyOf": []fields.Schema{l.Loop.Schema(within), mapping.Schema(within)}}
}

// Read parses the value of p into l.sound: true, false, a number of rounds, or a region {from, to}. It records errors.
// A region switches the loop on, and the result is then true even if the region has errors. For any other value the
// result reports whether the value is valid. within is not used.
func (l loopRegion) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	s := l.sound
	if p.Value.Kind != yaml.Mapping {
		return l.Loop.Read(r, p, within)
	}
	r.Read(p.Value, "a loop", l.fields())
	switch {
	case fields.Missing(p.Value, "to"):
		r.Fail(p.Position, "loop needs `to`, the time of its end")
	case s.LoopFrom.Compare(s.LoopTo) >= 0:
		r.Fail(p.Position, "loop: its end at %s is not after its beginning, %s", s.LoopTo, s.LoopFrom)
	}
	s.Loop = true
	return true
}

// Text returns the loop region as a mapping and true, or the results of Loop.Text if the sound has no region.
func (l loopRegion) Text() (string, bool) {
	if l.sound.LoopTo.IsZero() {
		return l.Loop.Text()
	}
	return "{from: " + l.sound.LoopFrom.String() + ", to: " + l.sound.LoopTo.String() + "}", true
}
