package cue

import (
	"fmt"
	"strings"

	"voicepool/internal/sheet/fields"
	"voicepool/internal/sheet/parse"
	"voicepool/internal/sheet/yaml"
	"voicepool/mixer"
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
	if _, err := d.listener().Ear(); err != nil {
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

// optionalVector returns a pointer to a copy of v, or nil if v is zero.
func optionalVector(v space.Vector) *space.Vector {
	if v == (space.Vector{}) {
		return nil
	}
	return &v
}

// listener returns the listener that c, a cue with the verb SetListener, sets. Vectors that the cue does not have are
// zero.
func (c *Cue) listener() space.Listener {
	return space.Listener{
		Position: vector(c.Position), Velocity: vector(c.Velocity), Forward: vector(c.Facing), Up: vector(c.Up),
		Strength: c.Strength, Width: c.Width, Doppler: c.Doppler, SpeedOfSound: c.SpeedOfSound,
	}
}

// spot returns the position, velocity, axis and walls that c sets for a voice. Vectors that the cue does not have are
// zero.
func (c *Cue) spot() space.Spot {
	return space.Spot{
		Position: vector(c.Position), Velocity: vector(c.Velocity), Forward: vector(c.Facing), Occlusion: c.Occlusion, Obstruction: c.Obstruction,
	}
}

// setSpatial copies the values of s to the spatial fields of c. Zero vectors become nil, except Position, which is
// always set.
func (c *Cue) setSpatial(s *space.Spot) {
	at := s.Position
	c.Position, c.Velocity, c.Facing, c.Occlusion, c.Obstruction = &at, optionalVector(s.Velocity), optionalVector(s.Forward), s.Occlusion, s.Obstruction
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

// listenerCue returns the cue that sets the listener to l, for a recording. A sheet limits the Doppler effect and the
// speed of sound. If they are outside these limits, they are doubled or halved together, which sounds the same. A speed
// of sound that is too low is not doubled if the Doppler strength would then exceed its own limit.
func listenerCue(l space.Listener) Cue {
	at := l.Position
	for l.Doppler > 0 && l.SpeedOfSound > parse.SpeedOfSound.To { // only the quotient matters
		l.Doppler, l.SpeedOfSound = l.Doppler/2, l.SpeedOfSound/2
	}
	for l.SpeedOfSound > 0 && l.SpeedOfSound < parse.SpeedOfSound.From && 2*l.Doppler <= parse.Doppler.To {
		l.Doppler, l.SpeedOfSound = 2*l.Doppler, 2*l.SpeedOfSound
	}
	return Cue{
		Verb: SetListener, Position: &at, Velocity: optionalVector(l.Velocity), Facing: optionalVector(l.Forward), Up: optionalVector(l.Up),
		Strength: l.Strength, Width: l.Width, Doppler: l.Doppler, SpeedOfSound: l.SpeedOfSound,
	}
}

// moveCue returns the cue for e, an entry of the mixer's journal that moves a voice. id is the id of that voice in the
// recording.
func moveCue(e *mixer.Entry, id string) Cue {
	c := Cue{Verb: Move, Target: id}
	c.setSpatial(&e.How.Emitter.Spot)
	return c
}

// writeEmitter writes the spatial keys of a sound to l: the values of e, except its position. Keys with their default
// values are left out, except `distance`.
func writeEmitter(l *fields.Line, e *space.Emitter) {
	writeDistance(l, "distance", &e.Attenuation)
	if e.SendAttenuation != (space.Attenuation{}) {
		writeDistance(l, "send_distance", &e.SendAttenuation)
	}
	if e.Air != 0 {
		l.Raw("air", fields.Shortest(e.Air))
	}
	if e.Cone != (space.Cone{}) {
		var cone fields.Line
		cone.Fields(parse.Cone(&e.Cone))
		l.Raw("cone", "{"+cone.String()+"}")
	}
	if e.Spread != 0 {
		l.Raw("spread", fields.Shortest(e.Spread))
	}
}

// writeDistance writes the attenuation a over distance to l, as the value of key.
func writeDistance(l *fields.Line, key string, a *space.Attenuation) {
	var distance fields.Line
	if t := a.Table; t != nil {
		distance.Raw("curve", "table")
		var points []string
		for _, p := range t.Points() {
			points = append(points, fmt.Sprintf("[%s, %s]", fields.Shortest(p.Distance), fields.Shortest(float64(p.Gain))))
		}
		distance.Raw("table", "["+strings.Join(points, ", ")+"]")
	} else {
		distance.Raw("curve", a.Curve.String())
		distance.Fields(parse.Distance(a))
	}
	l.Raw(key, "{"+distance.String()+"}")
}
