package space

import (
	"cmp"
	"fmt"

	"voicepool/pcm"
)

// Spot is the part of an Emitter that can change while the voice plays: its position and motion, and the
// obstacles in front of it. The zero value is at the origin, at rest, omnidirectional and unobstructed.
type Spot struct {
	Position, Velocity Vector // each coordinate in -1e9..1e9
	Forward            Vector // the direction that the voice faces, of any length; zero: its cone has no effect

	// Occlusion is how much the voice is shut off by walls, from 0 (in the open) to 1 (in another, closed
	// room). It attenuates the voice and its sends to reverbs, and applies a low-pass to both.
	Occlusion float64

	// Obstruction is how much of the direct path is blocked by an object that the sound goes around, such as
	// a pillar or a car, 0..1. It attenuates the voice and applies a low-pass, but leaves the sends
	// unchanged: the reverb stays.
	Obstruction float64
}

// Muffled reports whether the spot has an occlusion or an obstruction, which require a low-pass.
func (s *Spot) Muffled() bool { return s.Occlusion > 0 || s.Obstruction > 0 }

// Checked validates s and returns it with Forward scaled to length 1, or left at zero. Control side. The
// error wraps ErrRange.
func (s Spot) Checked() (Spot, error) {
	if !s.Position.inSpace() || !s.Velocity.inSpace() {
		return Spot{}, fmt.Errorf("%w: a place at %v with a velocity of %v: coordinates are finite and in -1e9..1e9", ErrRange, s.Position, s.Velocity)
	}
	if err := cmp.Or(checkRange("occlusion", s.Occlusion, 0, 1, "", ""), checkRange("obstruction", s.Obstruction, 0, 1, "", "")); err != nil {
		return Spot{}, err
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

// Cone is the directivity of a voice around Spot.Forward, for example of a loudspeaker. Angles are full
// angles from edge to edge, as in OpenAL. Between Inner and Outer the amplitude factor is linear in the
// cosine of the angle off the axis. In the zero value OuterGain is 0 dB, so the voice is omnidirectional.
type Cone struct {
	Inner     float64      // degrees, 0..360: no change inside
	Outer     float64      // degrees, Inner..360: OuterGain outside
	OuterGain pcm.Decibels // -120..0; -80 or less is silence
	LowPass   float64      // the cutoff outside, 20..20,000 Hz; 0: off. It is interpolated linearly in its logarithm
}

// check returns an error that wraps ErrRange if a value of c is out of range, otherwise nil.
func (c *Cone) check() error {
	err := cmp.Or(
		checkRange("inner angle of the cone", c.Inner, 0, 360, "degrees", ""), checkRange("outer angle of the cone", c.Outer, c.Inner, 360, "degrees", ""),
		checkRange("gain outside the cone", float64(c.OuterGain), leastGain, 0, "dB", ""),
	)
	if err == nil && c.LowPass != 0 {
		err = checkRange("low-pass outside the cone", c.LowPass, MinCutoff, MaxCutoff, "Hz", "; 0 is off")
	}
	return err
}

// Emitter describes the position of a voice, and how distance and direction change it. Together with a
// Listener it determines a gain, a pan and a Doppler shift. The gain counts when the mixer looks for the
// least audible voice. With the zero Emitter and the zero Listener, a mono sound is unchanged and a stereo
// sound is mixed down, see Spread.
//
// The pan is 0 in front, behind, above and below, and largest at the sides, see Listener.Strength.
// docs/decisions/011-spatial.md has the formulas of pan and Doppler shift.
type Emitter struct {
	Spot        Spot
	Cone        Cone
	Attenuation Attenuation

	// Spread is the width of a stereo sound, 0..1. At 0 it is mixed down to one channel, so that both
	// channels stay audible when it is panned. At 1 it keeps both channels, and panning only attenuates the
	// channel of the far side. Mono sounds ignore it.
	Spread float64

	// Air enables the absorption of air, which attenuates the high frequencies of distant voices. It is the
	// number of metres in a unit of length, 0..1000: 1 if lengths are in metres. 0: off. docs/effects.md has
	// the curve.
	Air float64

	// SendAttenuation is the attenuation over distance of the sends of the voice. If it is zero, Attenuation
	// applies to the sends too. With a flatter curve, distant voices have more reverb relative to the direct
	// sound.
	SendAttenuation Attenuation
}

// Checked validates e and returns it with its defaults filled in, and the direction of its Spot scaled to length 1. The
// error wraps ErrRange.
func (e Emitter) Checked() (Emitter, error) {
	var wrongSpot, wrongAttenuation, wrongSends error
	e.Spot, wrongSpot = e.Spot.Checked()
	e.Attenuation, wrongAttenuation = e.Attenuation.checked()
	if e.SendAttenuation != (Attenuation{}) {
		e.SendAttenuation, wrongSends = e.SendAttenuation.checked()
	}
	err := cmp.Or(
		wrongSpot, e.Cone.check(), wrongAttenuation,
		checkRange("spread", e.Spread, 0, 1, "", ""), checkRange("air", e.Air, 0, maxAir, "metres", ""), wrongSends,
	)
	if err != nil {
		return Emitter{}, err
	}
	return e, nil
}
