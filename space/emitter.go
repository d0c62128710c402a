package space

import (
	"fmt"

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
	out := s
	if s.Forward != (Vector{}) {
		var ok bool
		if out.Forward, ok = s.Forward.unit(); !ok {
			return Spot{}, fmt.Errorf("%w: a place with Forward %v: a direction is finite", ErrRange, s.Forward)
		}
	}
	return out, nil
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

// Emitter is a voice's part in space: where it is, and what distance and
// direction do to it. Together with a Listener it comes to a gain, which counts
// in the audibility, to a pan and to a shift of pitch. The zero value beside
// the zero Listener changes nothing.
//
// The pan is the cosine of the angle between the listener's right and the
// direction to the voice: -1 at the left, +1 at the right, 0 in front, behind,
// above and below alike, since two channels cannot tell those apart. Within the
// minimum distance it goes straight to 0, so that a voice that passes through
// the listener does not jump from side to side. A stereo sound takes the same
// pan as a balance.
//
// The shift of pitch is that of OpenAL 1.1, 3.5.2: with the velocities of
// listener and voice, vl and vs, along the way from voice to listener and the
// speed of sound c, divided by the Doppler factor, the ratio is
// (c - vl) / (c - vs), both velocities at most c. It is held within 1/16..16;
// what moves as fast as the listener is not shifted, however fast.
type Emitter struct {
	Spot        Spot
	Cone        Cone
	Attenuation Attenuation
}

// Source is an Emitter that was checked and prepared for the audio side.
type Source struct {
	Spot    Spot // as Checked returns it
	cone    cone
	falloff falloff
}

// Source checks e and works out what stays. Control side. The error wraps ErrRange.
func (e Emitter) Source() (out Source, err error) {
	if out.Spot, err = e.Spot.Checked(); err != nil {
		return Source{}, err
	}
	if out.cone, err = e.Cone.ready(); err != nil {
		return Source{}, err
	}
	if out.falloff, err = e.Attenuation.ready(); err != nil {
		return Source{}, err
	}
	return out, nil
}
