package parse

import (
	"fmt"
	"strconv"
	"strings"

	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
)

// channelPair is a destination for a pair of channels, written as 3-4. It stores the first channel.
type channelPair struct{ to *int }

// Read parses the value of p, a pair of channels such as 3-4, and reports whether it is valid. It stores the first
// channel, an odd number from 1, in *c.to. If the value is invalid, it records an error.
func (c channelPair) Read(r *fields.Reader, p *yaml.Pair, _ fields.Limits) bool {
	const most = 2 * mixer.MaxOutputs
	first, second, found := strings.Cut(p.Value.Text, "-")
	from, err := strconv.Atoi(first)
	to, wrong := strconv.Atoi(second)
	switch {
	case p.Value.Kind != yaml.Scalar || !found || err != nil || wrong != nil || from < 1:
		return r.RejectValue(p, "a pair of channels, such as 1-2 or 3-4")
	case from%2 == 0 || to != from+1:
		hint := min((from+1)/2*2, most)
		r.Fail(p.Value.Position, "%s: %s is not a pair; want an odd channel and the next one, such as %d-%d", p.Key, p.Value.Text, hint-1, hint)
		return false
	case to > most:
		r.Fail(p.Value.Position, "%s: %s is beyond the last pair, %d-%d", p.Key, p.Value.Text, most-1, most)
		return false
	}
	*c.to = from
	return true
}

// Text returns the pair, such as "3-4", and whether it is set.
func (c channelPair) Text() (string, bool) { return fmt.Sprintf("%d-%d", *c.to, *c.to+1), *c.to != 0 }

// Schema returns an enum of all pairs.
func (c channelPair) Schema(fields.Limits) fields.Schema {
	var all []string
	for i := 1; i < 2*mixer.MaxOutputs; i += 2 {
		all = append(all, fmt.Sprintf("%d-%d", i, i+1))
	}
	return fields.Schema{"enum": all}
}

// outputName is a destination for the name of an output.
type outputName struct{ fields.Name }

// Read parses the value of p, the name of an output in n.Known, and reports whether it is valid. If not, it records
// an error; without any outputs the error explains how to define them.
func (n outputName) Read(r *fields.Reader, p *yaml.Pair, within fields.Limits) bool {
	if len(n.Known) == 0 && p.Value.Kind == yaml.Scalar {
		r.Fail(p.Position, "output: no outputs are defined; add them, as in `outputs: {main: 1-2, %s: 3-4}`", yaml.Quote(p.Value.Text))
		return false
	}
	return n.Name.Read(r, p, within)
}

// Output returns the fields of an output that parse into o, except its effects.
func Output(o *rules.Output) []fields.Field {
	return []fields.Field{
		{Key: "channels", To: channelPair{&o.Channel}},
		{Key: "gain", To: &o.Gain, Within: Decibels},
		{Key: "lowpass", To: Cutoff(&o.LowPass), Within: Cutoffs},
		{Key: "highpass", To: Cutoff(&o.HighPass), Within: Cutoffs},
	}
}

// outputsShape returns the shape of outputs: a mapping from names to a pair of channels, or to a mapping that must
// have channels.
func outputsShape() fields.Shape {
	o := &rules.Output{}
	one := fields.Either{channelPair{&o.Channel}, fields.Mapping{Fields: append(Output(o), effectsField(nil)), Required: []string{"channels"}}}
	return fields.Schema{"type": "object", "maxProperties": mixer.MaxOutputs, "additionalProperties": one.Schema(fields.Limits{})}
}

// parseOutputs parses n, the mapping of all outputs, except their effects, and appends the outputs to the rules. It
// adds their names to r.Buses, so that buses can refer to them. The gain and the cutoffs of the first output are moved
// to the master. Errors are recorded. An output with an invalid name or invalid channels is left out, and more than
// mixer.MaxOutputs outputs are all left out. parseOutputs runs before the buses are parsed.
func (r *Reader) parseOutputs(n *yaml.Node) {
	if n.Kind == yaml.Mapping && len(n.Pairs) > mixer.MaxOutputs {
		r.Fail(n.Position, "outputs has %d entries; there are at most %d, of two channels each", len(n.Pairs), mixer.MaxOutputs)
		return
	}
	users := map[int]string{}
	r.Named(n, "outputs", func(p *yaml.Pair) {
		o := rules.Output{Name: p.Key}
		if p.Key == "all" || p.Key == "master" && len(r.rules.Outputs) > 0 {
			r.Fail(p.Position, "the name %q is reserved; rename the output", p.Key)
			return
		}
		if p.Value.Kind != yaml.Mapping {
			if !r.Value(p, &fields.Field{To: channelPair{&o.Channel}}) {
				return
			}
		} else if r.Read(p.Value, "an output", append(Output(&o), effectsField(parseLater))); fields.Missing(p.Value, "channels") {
			r.Fail(p.Position, "output %s needs `channels`, its pair of channels, such as 3-4", yaml.Quote(p.Key))
		}
		if o.Channel == 0 {
			return // reported already
		}
		if other, used := users[o.Channel]; used {
			r.Fail(p.Value.Position, "outputs %s and %s have the same channels, %d-%d", yaml.Quote(other), yaml.Quote(p.Key), o.Channel, o.Channel+1)
			return
		}
		users[o.Channel] = p.Key
		if len(r.rules.Outputs) == 0 {
			r.mergeFirstOutput(p, &o)
		}
		r.Buses[o.Name], r.outputs[o.Name] = true, true
		r.rules.Outputs = append(r.rules.Outputs, o)
	})
}

// mergeFirstOutput moves the gain and cutoffs of o, the first output, to the master, because both are the same bus. If
// `master` has a value for the same property, it records an error instead and leaves both values. p is the pair of the
// output in the file.
func (r *Reader) mergeFirstOutput(p *yaml.Pair, o *rules.Output) {
	m := &r.rules.Master
	if o.Gain != 0 && m.Gain != 0 {
		r.failDuplicate(p, "gain")
	} else if o.Gain != 0 {
		m.Gain, o.Gain = o.Gain, 0
	}
	for _, c := range [...]struct {
		key       string
		own, main *float64
	}{{"lowpass", &o.LowPass, &m.LowPass}, {"highpass", &o.HighPass, &m.HighPass}} {
		if *c.own != 0 && *c.main != 0 {
			r.failDuplicate(p, c.key)
		} else if *c.own != 0 {
			*c.main, *c.own = *c.own, 0
		}
	}
}

// failDuplicate records an error at key, which both the first output and `master` have, although they are the same bus.
// p is the pair of the first output in the file; its mapping must have key.
func (r *Reader) failDuplicate(p *yaml.Pair, key string) {
	r.Fail(fields.Find(p.Value, key).Position, "%s: the first output is the master bus, and `master` sets it, too; leave one out", key)
}

// parseMasterEffects parses the effects of the master and of the outputs. It runs after the buses, because sidechain
// keys name buses. root is the mapping of the whole file.
func (r *Reader) parseMasterEffects(root *yaml.Node) {
	master := &r.rules.Master.Effects
	if p := fields.Find(root, "master"); p != nil {
		if p = fields.Find(p.Value, "effects"); p != nil {
			r.parseEffects(p, master)
		}
	}
	outputs := fields.Find(root, "outputs")
	for i := range r.rules.Outputs {
		o := &r.rules.Outputs[i]
		pair := fields.Find(outputs.Value, o.Name)
		p := fields.Find(pair.Value, "effects")
		switch {
		case p == nil:
		case i == 0 && len(*master) > 0:
			r.failDuplicate(pair, "effects")
		case i == 0:
			r.parseEffects(p, master)
		default:
			r.parseEffects(p, &o.Effects)
		}
	}
}

// parseLater accepts any value. It is for a field that is parsed once all buses are known.
func parseLater(*yaml.Pair) bool { return true }

// checkOutputs records an error for each bus whose own output differs from the output of its parent. at returns the
// pair in the file of the bus called bus.
func (r *Reader) checkOutputs(at func(bus string) *yaml.Pair) {
	if len(r.rules.Outputs) == 0 {
		return
	}
	first := r.rules.Outputs[0].Name
	outputs := map[string]string{"": first, "master": first}
	for i := range r.rules.Outputs {
		name := r.rules.Outputs[i].Name
		outputs[name] = name
	}
	parents, named := r.rules.Parents(), map[string]string{}
	for i := range r.rules.Buses {
		named[r.rules.Buses[i].Name] = r.rules.Buses[i].Output
	}
	var of func(bus string) string // the output of a bus
	of = func(bus string) string {
		if _, known := outputs[bus]; !known {
			outputs[bus] = first // in case of a cycle
			outputs[bus] = of(parents[bus])
		}
		return outputs[bus]
	}
	for i := range r.rules.Buses {
		b := &r.rules.Buses[i]
		if parentOutput := of(b.Parent); b.Output != "" && b.Parent != "" && parentOutput != b.Output {
			p := fields.Find(at(b.Name).Value, "output")
			r.Fail(p.Value.Position, "output: the bus %s goes into %s, which is on output %s; leave `output` or `parent` out",
				yaml.Quote(b.Name), yaml.Quote(b.Parent), yaml.Quote(parentOutput))
		}
	}
}
