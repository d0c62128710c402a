package cue

import (
	"strings"

	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/space"
)

// spatialKeys returns the keys of spatial audio, for the table of the keys of a cue. Each field points into d, where
// its value is stored when it is parsed.
func (d *draft) spatialKeys() []cueField {
	s, l := &d.spot, &d.listener
	put, all, listen := []Verb{VerbPlay, VerbMove}, []Verb{VerbPlay, VerbMove, VerbSetListener}, []Verb{VerbSetListener}
	return []cueField{
		{fields.Field{Key: "place", To: parse.Vector{To: &d.position}}, put, 0},
		{fields.Field{Key: "velocity", To: parse.Vector{To: &d.velocity}}, all, 0},
		{fields.Field{Key: "facing", To: parse.Vector{To: &d.facing}}, all, 0},
		{fields.Field{Key: "occlusion", To: &s.Occlusion, Within: parse.Obstruction}, put, 0},
		{fields.Field{Key: "obstruction", To: &s.Obstruction, Within: parse.Obstruction}, put, 0},
		{fields.Field{Key: "up", To: parse.Vector{To: &d.up}}, listen, 0},
		{fields.Field{Key: "strength", To: parse.PanStrength{To: &l.Strength}, Within: parse.Strength}, listen, 0},
		{fields.Field{Key: "width", To: &l.Width, Within: parse.Width}, listen, 0},
		{fields.Field{Key: "doppler", To: &l.Doppler, Within: parse.Doppler}, listen, 0},
		{fields.Field{Key: "speed_of_sound", To: &l.SpeedOfSound, Within: parse.SpeedOfSound}, listen, 0},
	}
}

// checkListener records an error if the values in d do not make a valid listener. n is the YAML node of the cue. If an
// error is recorded already, the values are not checked.
func (d *draft) checkListener(n *yaml.Node) {
	if d.Failed() {
		return
	}
	if _, err := d.placedListener().Checked(); err != nil {
		p := fields.Find(n, VerbSetListener.String())
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

// optionalVector returns a pointer to a copy of v, or nil if v is zero.
func optionalVector(v space.Vector) *space.Vector {
	if v == (space.Vector{}) {
		return nil
	}
	return &v
}

// placedListener returns the listener that the values make. Vectors that the cue does not have are zero.
func (v *values) placedListener() space.Listener {
	l := v.listener
	l.Position, l.Velocity, l.Forward, l.Up = vector(v.position), vector(v.velocity), vector(v.facing), vector(v.up)
	return l
}

// placedSpot returns the position, velocity, axis and walls that the values make. Vectors that the cue does not have
// are zero.
func (v *values) placedSpot() space.Spot {
	s := v.spot
	s.Position, s.Velocity, s.Forward = vector(v.position), vector(v.velocity), vector(v.facing)
	return s
}

// setSpot is the inverse of placedSpot.
func (v *values) setSpot(s space.Spot) {
	v.position, v.velocity, v.facing, v.spot = &s.Position, optionalVector(s.Velocity), optionalVector(s.Forward), s
}

// checkPosition records an error for each spatial key of the start in d if the start has no `place`. n is the YAML node
// of the start. Cues with other verbs are not checked.
func (d *draft) checkPosition(n *yaml.Node) {
	if d.verb != VerbPlay || d.position != nil {
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
