package parse

import (
	"voicepool/bank/rules"
	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/yaml"
	"voicepool/pcm"
)

// Scene returns the fields of a scene that parse into s, except its buses.
func Scene(s *rules.Scene) []fields.Field {
	return []fields.Field{{Key: "voices", To: &s.Voices, Within: Counts}, {Key: "priority", To: &s.Priority, Within: Priorities}}
}

// SceneBus returns the fields of a bus in a scene that parse into b, except its duck, effects and sends.
func SceneBus(b *rules.SceneBus) []fields.Field {
	return []fields.Field{
		{Key: "gain", To: fields.Optional(&b.Gain, func(x *pcm.Decibels) any { return x }), Within: Decibels},
		{Key: "mute", To: fields.Optional(&b.Mute, func(x *bool) any { return x })},
		{Key: "lowpass", To: fields.Optional(&b.LowPass, func(x *float64) any { return Cutoff(x) }), Within: Cutoffs},
		{Key: "highpass", To: fields.Optional(&b.HighPass, func(x *float64) any { return Cutoff(x) }), Within: Cutoffs},
	}
}

// sceneFields returns all fields of a scene, which parse into s. buses parses the key `buses`; nil is enough for the
// schema.
func sceneFields(s *rules.Scene, buses func(*yaml.Pair) bool) []fields.Field {
	bus := fields.Mapping{Fields: append(SceneBus(&rules.SceneBus{}), duckField(nil), EffectMovesField(nil), SendMovesField(nil))}
	return append(Scene(s), fields.Field{Key: "buses", To: buses, Shape: fields.Names{Of: bus}})
}

// parseScenes parses n, the mapping of all scenes, and appends them to the rules. Errors are recorded. The buses must
// have been parsed before.
func (r *Reader) parseScenes(n *yaml.Node) {
	r.Named(n, "scenes", func(p *yaml.Pair) {
		s := rules.Scene{Name: p.Key}
		buses := func(p *yaml.Pair) bool { r.parseSceneBuses(p, &s); return true }
		r.Read(p.Value, "a scene", sceneFields(&s, buses))
		if g := &r.rules.Grow; g.Max != 0 && s.Voices > g.Max {
			r.Fail(fields.Find(p.Value, "voices").Value.Position, "voices: %d is more than the largest pool of %d voices", s.Voices, g.Max)
		}
		r.rules.Scenes = append(r.rules.Scenes, s)
	})
}

// parseSceneBuses parses the buses of a scene from p and appends them to s.Buses. Errors, such as an unknown bus, are
// recorded. The bus of the first output is renamed to master.
func (r *Reader) parseSceneBuses(p *yaml.Pair, s *rules.Scene) {
	r.Named(p.Value, "the buses of a scene", func(p *yaml.Pair) {
		if !r.Buses[p.Key] {
			r.Fail(p.Position, "there is no bus %s%s", yaml.Quote(p.Key), r.Suggest(p.Key, func() []string { return fields.Sorted(r.Buses) }))
			return
		}
		b := rules.SceneBus{Name: p.Key}
		if len(r.rules.Outputs) > 0 && p.Key == r.rules.Outputs[0].Name {
			b.Name = "master"
		}
		duck := func(p *yaml.Pair) bool { return r.parseDuck(p, b.Name, &b.Duck) }
		moves := func(p *yaml.Pair) bool { r.EffectMoves(p, b.Name, r.EffectsOf(b.Name), &b.Effects); return true }
		sends := func(p *yaml.Pair) bool { r.SendMoves(p, b.Name, &b.Sends); return true }
		r.Read(p.Value, "a bus of a scene", append(SceneBus(&b), duckField(duck), EffectMovesField(moves), SendMovesField(sends)))
		s.Buses = append(s.Buses, b)
	})
}
