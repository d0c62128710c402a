package space

import (
	"cmp"
	"fmt"

	"voicepool/pcm"
)

// Spot is where a voice is: the part of an Emitter that moves. The zero value
// is at the origin, at rest, and sounds alike in all directions.
type Spot struct {
	Position, Velocity Vector // each coordinate in -1e9..1e9
	Forward            Vector // the axis of its cone, of any length; zero: none, and no cone

	// Occlusion is how much of it is behind walls, 0 (nothing) to 1: a closed room. It takes the
	// sound down, and its heights, on its way to the listener and on that to its sends.
	Occlusion float64

	// Obstruction is the same for what stands in the way of the sound, which goes around it, 0..1:
	// a pillar, a car. The sends stay as they are.
	Obstruction float64
}

// Muffled reports whether the spot needs a low-pass.
func (s *Spot) Muffled() bool { return s.Occlusion > 0 || s.Obstruction > 0 }

// Checked returns s with a Forward of length 1 or 0. Control side. The error
// wraps ErrRange.
func (s Spot) Checked() (Spot, error) {
	if !s.Position.inSpace() || !s.Velocity.inSpace() {
		return Spot{}, fmt.Errorf("%w: a place at %v with a velocity of %v: coordinates are finite and in -1e9..1e9", ErrRange, s.Position, s.Velocity)
	}
	if !inRange(s.Occlusion, 0, 1) || !inRange(s.Obstruction, 0, 1) {
		return Spot{}, fmt.Errorf("%w: a place with an occlusion of %v and an obstruction of %v: they are in 0..1", ErrRange, s.Occlusion, s.Obstruction)
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
	LowPass   float64      // the cutoff outside, 20..20,000 Hz; 0: off. Between the two it goes straight in its logarithm
}

// cone is what the audio side needs of a Cone.
type cone struct {
	inner, outer float64 // cosines of the angles off the axis
	outside      float64 // the factor there; 1: no cone
	down         float64 // the cutoff there, in octaves below MaxCutoff; 0: off
}

func (c *Cone) ready() (cone, error) {
	if !inRange(c.Inner, 0, 360) || !inRange(c.Outer, c.Inner, 360) || !inRange(float64(c.OuterGain), leastGain, 0) {
		return cone{}, fmt.Errorf("%w: a cone of %v to %v degrees with %v dB outside: the angles are in 0..360, the inner one not the larger, the gain in %v..0",
			ErrRange, c.Inner, c.Outer, c.OuterGain, leastGain)
	}
	if c.LowPass != 0 && !inRange(c.LowPass, MinCutoff, MaxCutoff) {
		return cone{}, fmt.Errorf("%w: a cone with a low-pass of %v Hz outside, which is not in %v..%v; 0 is off", ErrRange, c.LowPass, MinCutoff, MaxCutoff)
	}
	return cone{
		inner: pcm.CosPi(c.Inner / 360), outer: pcm.CosPi(c.Outer / 360), outside: c.OuterGain.Gain(), down: octavesBelow(c.LowPass),
	}, nil
}

// Emitter is a voice's part in space: where it is, and what distance and direction do to it.
// Together with a Listener it comes to a gain, which counts in the audibility, to a pan and
// to a shift of pitch. The zero value beside the zero Listener changes nothing of a mono sound; a stereo one
// it folds, see Spread.
//
// The pan is 0 in front, behind, above and below, and at the sides as much as
// Listener.Strength says. docs/decisions/011-spatial.md has the formulas of pan and Doppler shift.
type Emitter struct {
	Spot        Spot
	Cone        Cone
	Attenuation Attenuation

	// Spread is how wide a stereo sound stays, 0..1. At 0 it is folded to one channel,
	// so that nothing of it is lost when it is panned. At 1 it stays as it is, and only
	// its far side falls. A mono sound has no width.
	Spread float64

	// Air is how many metres of air there are in a unit of length, 0..1000: it takes the
	// heights of what is far. 0: none; 1 where lengths are in metres. docs/effects.md has the curve.
	Air float64

	// SendAttenuation is what distance does to the sends of the voice. The zero value does as
	// Attenuation; one that falls less has what is far be more hall than sound.
	SendAttenuation Attenuation
}

// Source is an Emitter that was checked and prepared for the audio side.
type Source struct {
	Spot        Spot // as Checked returns it
	Spread      float64
	Cone        Cone // as it was described
	cone        cone
	attenuation Attenuation // without zeros
	sends       Attenuation // the same, of its sends
	apart       bool        // they have one of their own
	air         float64
	plain       bool // it is muffled by what its Spot says alone
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
	if !inRange(e.Air, 0, maxAir) {
		return Source{}, fmt.Errorf("%w: %v metres of air in a unit of length are not in 0..%v", ErrRange, e.Air, maxAir)
	}
	s := Source{Spot: spot, Spread: e.Spread, Cone: e.Cone, cone: cone, attenuation: attenuation, air: e.Air}
	if e.SendAttenuation != (Attenuation{}) {
		s.apart = true
		var err error
		if s.sends, err = e.SendAttenuation.ready(); err != nil {
			return Source{}, err
		}
	}
	s.plain = !s.apart && s.air == 0 && s.cone.down == 0
	return s, nil
}

// Muffles reports whether the source may need a low-pass, wherever it is.
func (s *Source) Muffles() bool {
	return s.air > 0 || s.cone.down > 0 || s.Spot.Muffled()
}

// Emitter returns one that makes the same Source. It may say what the one that made s left at zero.
func (s *Source) Emitter() Emitter {
	return Emitter{
		Spot: s.Spot, Cone: s.Cone, Attenuation: s.attenuation.said(), Spread: s.Spread, Air: s.air, SendAttenuation: s.sends.said(),
	}
}
