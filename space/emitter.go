package space

import (
	"cmp"
	"fmt"
	"math"

	"voicepool/pcm"
)

// Spot is where a voice is: the part of an Emitter that moves. The zero value
// is at the origin, at rest, and sounds alike in all directions.
type Spot struct {
	Position, Velocity Vector // each coordinate in -1e9..1e9
	Forward            Vector // the axis of its cone, of any length; zero: none, and no cone
}

// Checked returns s with a Forward of length 1 or 0. Control side. The error
// wraps ErrRange.
func (s Spot) Checked() (Spot, error) {
	if !s.Position.inSpace() || !s.Velocity.inSpace() {
		return Spot{}, fmt.Errorf("%w: a place at %v with a velocity of %v: coordinates are finite and in -1e9..1e9", ErrRange, s.Position, s.Velocity)
	}
	if s.Forward != (Vector{}) {
		forward, ok := s.Forward.unit()
		if !ok {
			return Spot{}, fmt.Errorf("%w: a place with Forward %v: a direction is finite", ErrRange, s.Forward)
		}
		s.Forward = forward
	}
	return s, nil
}

// Cone is how a voice sounds to the side of its Spot.Forward and behind it. The
// angles are those of the whole cone, from edge to edge, as OpenAL has them.
// Between the two the factor goes straight in the cosine of the angle off the
// axis, which saves an arc cosine and has no edge that could be heard. The zero
// value sounds alike in all directions.
type Cone struct {
	Inner     float64      // degrees, 0..360: inside it nothing changes
	Outer     float64      // degrees, Inner..360: outside it there is OuterGain
	OuterGain pcm.Decibels // -120..0; -80 or less is silence
}

// cone is what the audio side needs of a Cone.
type cone struct {
	inner, outer float64 // cosines of the angles off the axis
	outside      float64 // the factor there; 1: no cone
}

func (c *Cone) ready() (cone, error) {
	if !inRange(c.Inner, 0, 360) || !inRange(c.Outer, c.Inner, 360) || !inRange(float64(c.OuterGain), leastGain, 0) {
		return cone{}, fmt.Errorf("%w: a cone of %v to %v degrees with %v dB outside: the angles are in 0..360, the inner one not the larger, the gain in %v..0",
			ErrRange, c.Inner, c.Outer, c.OuterGain, leastGain)
	}
	return cone{inner: pcm.CosPi(c.Inner / 360), outer: pcm.CosPi(c.Outer / 360), outside: c.OuterGain.Gain()}, nil
}

// Emitter is a voice's part in space: where it is, and what distance and direction do to it.
// Together with a Listener it comes to a gain, which counts in the audibility, to a pan and
// to a shift of pitch. The zero value beside the zero Listener changes nothing.
//
// The pan is 0 in front, behind, above and below, and at the sides as much as
// Listener.Strength says. docs/design.md has the formulas of pan and Doppler shift.
type Emitter struct {
	Spot        Spot
	Cone        Cone
	Attenuation Attenuation

	// Spread is how wide a stereo sound stays, 0..1. At 0 it is folded to one channel,
	// so that nothing of it is lost when it is panned. At 1 it stays as it is, and only
	// its far side falls. A mono sound has no width.
	Spread float64
}

// Source is an Emitter that was checked and prepared for the audio side.
type Source struct {
	Spot        Spot // as Checked returns it
	Spread      float64
	Cone        Cone // as it was described
	cone        cone
	attenuation Attenuation // without zeros
}

// Source checks e and works out what stays. Control side. The error wraps ErrRange.
func (e Emitter) Source() (Source, error) {
	spot, wrongSpot := e.Spot.Checked()
	cone, wrongCone := e.Cone.ready()
	attenuation, wrongAttenuation := e.Attenuation.ready()
	if err := cmp.Or(wrongSpot, wrongCone, wrongAttenuation); err != nil {
		return Source{}, err
	}
	if !inRange(e.Spread, 0, 1) {
		return Source{}, fmt.Errorf("%w: a spread of %v is not in 0..1", ErrRange, e.Spread)
	}
	return Source{spot, e.Spread, e.Cone, cone, attenuation}, nil
}

// Emitter returns one that makes the same Source. It may say what the one that made s left at zero.
func (s *Source) Emitter() Emitter {
	a := s.attenuation
	switch {
	case a.Table != nil:
		a = Attenuation{Table: a.Table}
	case math.IsInf(a.Max, 1):
		a.Max = 0
	}
	return Emitter{Spot: s.Spot, Cone: s.Cone, Attenuation: a, Spread: s.Spread}
}
