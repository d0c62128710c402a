package cue

import (
	"strings"

	"voicepool/internal/fields"
	"voicepool/internal/parse"
	"voicepool/internal/yaml"
	"voicepool/mixer"
	"voicepool/space"
)

// places returns the keys of cues that have to do with space.
func (d *draft) places() []cueField {
	c := &d.Cue
	put, all, listen := []Verb{Play, Put}, []Verb{Play, Put, Listen}, []Verb{Listen}
	return []cueField{
		{fields.Field{Key: "place", To: parse.Vector{To: &c.Place}}, put, 0},
		{fields.Field{Key: "facing", To: parse.Vector{To: &c.Facing}}, all, 0},
		{fields.Field{Key: "up", To: parse.Vector{To: &c.Up}}, listen, 0},
		{fields.Field{Key: "strength", To: parse.PanStrength{To: &c.Strength}, Within: parse.Strength}, listen, 0},
		{fields.Field{Key: "width", To: &c.Width, Within: parse.Width}, listen, 0},
	}
}

// listens checks the listener that a cue describes.
func (d *draft) listens(n *yaml.Node) {
	d.Scope = OnAll
	if d.Failed() {
		return
	}
	if _, err := d.listener().Ear(); err != nil {
		p := fields.Given(n, Listen.String())
		d.Fail(p.Value.Place, "listener: %s", strings.TrimPrefix(err.Error(), space.ErrRange.Error()+": "))
	}
}

// vector returns what there is, or zero.
func vector(v *space.Vector) space.Vector {
	if v == nil {
		return space.Vector{}
	}
	return *v
}

// given returns a vector for a cue; nil for zero.
func given(v space.Vector) *space.Vector {
	if v == (space.Vector{}) {
		return nil
	}
	return &v
}

// listener is who hears from a cue on.
func (c *Cue) listener() space.Listener {
	return space.Listener{
		Position: vector(c.Place), Forward: vector(c.Facing), Up: vector(c.Up), Strength: c.Strength, Width: c.Width,
	}
}

// spot is where a cue has its voices.
func (c *Cue) spot() space.Spot {
	return space.Spot{Position: vector(c.Place), Forward: vector(c.Facing)}
}

// heardAt is the cue of an entry that moves the listener.
func heardAt(l *space.Listener) Cue {
	at := l.Position
	return Cue{
		Verb: Listen, Place: &at, Facing: given(l.Forward), Up: given(l.Up), Strength: l.Strength, Width: l.Width,
	}
}

// movedTo is the cue of an entry that moves a voice.
func movedTo(e *mixer.Entry, id string) Cue {
	s := e.How.Emitter.Spot
	return Cue{Verb: Put, Target: id, Place: &s.Position, Facing: given(s.Forward)}
}

// writePlace writes how a sound is heard where it has a place.
func writePlace(l *fields.Line, e *space.Emitter) {
	var distance, cone fields.Line
	distance.Raw("curve", e.Attenuation.Curve.String())
	distance.Fields(parse.Distance(&e.Attenuation))
	l.Raw("distance", "{"+distance.String()+"}")
	if e.Cone != (space.Cone{}) {
		cone.Fields(parse.Cone(&e.Cone))
		l.Raw("cone", "{"+cone.String()+"}")
	}
	if e.Spread != 0 {
		l.Raw("spread", fields.Shortest(e.Spread))
	}
}
