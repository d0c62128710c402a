package cue

import (
	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/pcm"
	"voicepool/sounds"
)

// crossfadeSpec is the parsed value of the key `crossfade`.
type crossfadeSpec struct {
	from, to, play, id string
	over               rules.Time
	gain               pcm.Decibels
	loop               bool
	rounds             int
	bus                string
}

// fields returns the keys that a crossfade in a sheet may have, such as `from` and `over`. Each returned field points
// into c. When the parser reads a key, it stores the value there.
func (c *crossfadeSpec) fields() []fields.Field {
	return []fields.Field{
		{Key: "from", To: &c.from},
		{Key: "to", To: &c.to},
		{Key: "play", To: &c.play},
		{Key: "over", To: &c.over},
		{Key: "gain", To: &c.gain, Within: parse.Decibels},
		{Key: "id", To: &c.id},
		{Key: "loop", To: fields.Loop{On: &c.loop, Rounds: &c.rounds}},
		{Key: "bus", To: &c.bus},
	}
}

// expandCrossfade translates an action with the key `crossfade` into two ordinary actions and returns their YAML
// nodes. The first action fades the old sound out: it stops the voices with an id, or fades a bus to -80 dB. The
// second action starts a new sound with a fade-in, or fades an id or a bus to the key `gain`, by default 0 dB. Both
// fades have constant power and the same duration.
//
// n is the node of the action, and p is its pair with the key `crossfade`. The time `at` of n is copied to both
// actions. If the crossfade is invalid, the result is nil, and an error with its place in the file is recorded in d.
func (d *draft) expandCrossfade(n *yaml.Node, p *yaml.Pair) (actions []*yaml.Node) {
	var c crossfadeSpec
	value := p.Value
	if value.Kind != yaml.Mapping {
		d.Fail(value.Position, "crossfade is a mapping, such as {from: rain, to: wind, over: 4s}, not %s", value.Kind)
		return nil
	}
	for i := range n.Pairs {
		if key := n.Pairs[i].Key; key != crossfade && key != "at" {
			d.Fail(n.Pairs[i].Position, "%s is not allowed beside crossfade; move it into the braces (only `at` stays outside)", yaml.Quote(key))
			return nil
		}
	}
	own, valid := c.fields(), true
	var keys []string
	for i := range own {
		keys = append(keys, own[i].Key)
	}
	if d.Each(value, "a crossfade", keys, func(i int, q *yaml.Pair) { valid = d.Value(q, &own[i]) && valid }) || !valid {
		return nil
	}
	lookup := func(key string) *yaml.Pair { return fields.Find(value, key) }
	switch {
	case lookup("from") == nil || lookup("over") == nil:
		d.Fail(value.Position, "a crossfade needs `from`, the id or the bus that fades out, and `over`, the time")
		return nil
	case (lookup("to") == nil) == (lookup("play") == nil):
		d.Fail(value.Position, "a crossfade needs `to`, the id or the bus that fades in, or `play`, a sound to start; not both")
		return nil
	case lookup("play") == nil:
		for _, key := range []string{"id", "loop", "bus"} {
			if q := lookup(key); q != nil {
				d.Fail(q.Position, "%s needs `play`: it is a setting of the started sound", key)
				return nil
			}
		}
	}
	text := func(text string) *yaml.Node { return &yaml.Node{Position: p.Position, Kind: yaml.Scalar, Text: text} }
	node := func(pairs ...*yaml.Pair) *yaml.Node {
		one := &yaml.Node{Position: n.Position, Kind: yaml.Mapping}
		for _, pair := range append(pairs, fields.Find(n, "at")) {
			if pair != nil {
				one.Pairs = append(one.Pairs, *pair)
			}
		}
		return one
	}
	as := func(key string, q *yaml.Pair) *yaml.Pair {
		return &yaml.Pair{Position: q.Position, Key: key, Value: q.Value}
	}
	with := func(key, value string) *yaml.Pair {
		return &yaml.Pair{Position: p.Position, Key: key, Value: text(value)}
	}
	shape, from, over := with("shape", sounds.ConstantPower.String()), lookup("from"), lookup("over")
	if d.Buses[c.from] {
		actions = append(actions, node(as("fade", from), with("to", "-80"), over, shape))
	} else {
		actions = append(actions, node(as("stop", from), over, shape))
	}
	if lookup("play") != nil {
		return append(actions, node(lookup("play"), as("fade_in", over), shape, lookup("gain"), lookup("id"), lookup("loop"), lookup("bus")))
	}
	gain := with("to", "0")
	if q := lookup("gain"); q != nil {
		gain = as("to", q)
	}
	return append(actions, node(as("fade", lookup("to")), gain, over, shape))
}
