package cue

import (
	"strings"

	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/space"
)

// spatialKeys returns the keys of spatial audio, for the table of the keys of a cue. Each field points into d.Cue,
// where its value is stored when it is parsed.
func (d *draft) spatialKeys() []cueField {
	c := &d.Cue
	put, all, listen := []Verb{Play, Move}, []Verb{Play, Move, SetListener}, []Verb{SetListener}
	return []cueField{
		{fields.Field{Key: "place", To: parse.Vector{To: &c.Position}}, put, 0},
		{fields.Field{Key: "velocity", To: parse.Vector{To: &c.Velocity}}, all, 0},
		{fields.Field{Key: "facing", To: parse.Vector{To: &c.Facing}}, all, 0},
		{fields.Field{Key: "occlusion", To: &c.Occlusion, Within: parse.Obstruction}, put, 0},
		{fields.Field{Key: "obstruction", To: &c.Obstruction, Within: parse.Obstruction}, put, 0},
		{fields.Field{Key: "up", To: parse.Vector{To: &c.Up}}, listen, 0},
		{fields.Field{Key: "strength", To: parse.PanStrength{To: &c.Strength}, Within: parse.Strength}, listen, 0},
		{fields.Field{Key: "width", To: &c.Width, Within: parse.Width}, listen, 0},
		{fields.Field{Key: "doppler", To: &c.Doppler, Within: parse.Doppler}, listen, 0},
		{fields.Field{Key: "speed_of_sound", To: &c.SpeedOfSound, Within: parse.SpeedOfSound}, listen, 0},
	}
}

// checkListener sets the scope of the listener cue in d.Cue to all voices. It records an error if the values do not
// make a valid listener. n is the YAML node of the cue. If an error is recorded already, the values are not checked.
func (d *draft) checkListener(n *yaml.Node) {
	d.Scope = OnAll
	if d.Failed() {
		return
	}
	if _, err := d.Listener().Ear(); err != nil {
		p := fields.Find(n, SetListener.String())
		d.Fail(p.Value.Position, "listener: %s", strings.TrimPrefix(err.Error(), space.ErrRange.Error()+": "))
	}
}

// vector returns *v, or the zero vector if v is nil.
func vector(v *space.Vector) space.Vector {
	if v == nil {
		return space.Vector{}
	}
	return *v
}

// Listener returns the listener that c, a cue with the verb SetListener, sets. Vectors that the cue does not have are
// zero.
func (c *Cue) Listener() space.Listener {
	return space.Listener{
		Position: vector(c.Position), Velocity: vector(c.Velocity), Forward: vector(c.Facing), Up: vector(c.Up),
		Strength: c.Strength, Width: c.Width, Doppler: c.Doppler, SpeedOfSound: c.SpeedOfSound,
	}
}

// Spot returns the position, velocity, axis and walls that c sets for a voice. Vectors that the cue does not have are
// zero.
func (c *Cue) Spot() space.Spot {
	return space.Spot{
		Position: vector(c.Position), Velocity: vector(c.Velocity), Forward: vector(c.Facing), Occlusion: c.Occlusion, Obstruction: c.Obstruction,
	}
}

// checkPosition records an error for each spatial key of the start in d.Cue if the start has no `place`. n is the YAML
// node of the start. Cues with other verbs are not checked.
func (d *draft) checkPosition(n *yaml.Node) {
	if d.Verb != Play || d.Position != nil {
		return
	}
	for _, c := range [...]struct{ key, why string }{
		{"facing", "the axis of the sound's cone there"},
		{"velocity", "how fast the sound moves there, for the Doppler shift"},
		{"occlusion", "how much of the sound is behind walls there"},
		{"obstruction", "how much stands in the way of the sound there"},
	} {
		if p := fields.Find(n, c.key); p != nil {
			d.Fail(p.Position, "%s needs `place`: it is %s", c.key, c.why)
		}
	}
}
