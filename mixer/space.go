package mixer

import (
	"fmt"
	"math"

	"voicepool/pcm"
)

// Vector is a point, a direction or a velocity in space, along x, y and z. The
// unit of length is the game's own; metres where the default speed of sound is
// to be right. Velocities are in such units per second.
//
// The axes are right-handed, as OpenAL's: for the zero Listener x is to the
// right, y up and z to the back. In two dimensions leave z at 0.
type Vector [3]float64

// maxPlace bounds what a coordinate and a velocity may be, either way.
const maxPlace = 1e9

// inSpace is false for what is not finite, too.
func (v Vector) inSpace() bool {
	return inRange(v[0], -maxPlace, maxPlace) && inRange(v[1], -maxPlace, maxPlace) && inRange(v[2], -maxPlace, maxPlace)
}

// unit returns v at a length of 1, the same bits on every machine; false if v
// has no direction.
func (v Vector) unit() (Vector, bool) {
	largest := max(math.Abs(v[0]), math.Abs(v[1]), math.Abs(v[2]))
	if !(largest > 0) || math.IsInf(largest, 0) {
		return Vector{}, false
	}
	for i := range v { // or squares of the very small would be nothing
		v[i] /= largest
	}
	length := math.Sqrt(v.along(v[0], v[1], v[2]))
	return Vector{v[0] / length, v[1] / length, v[2] / length}, true
}

// cross returns the vector that is perpendicular to both.
func (v Vector) cross(w Vector) Vector {
	return Vector{
		float64(v[1]*w[2]) - float64(v[2]*w[1]),
		float64(v[2]*w[0]) - float64(v[0]*w[2]),
		float64(v[0]*w[1]) - float64(v[1]*w[0]),
	}
}

// Listener is who hears: where, moving how, looking which way. The zero value
// stands at the origin, looks along -z with +y up, and hears no Doppler shift.
type Listener struct {
	Position, Velocity Vector // each coordinate in -1e9..1e9

	// Which way the listener looks and which way is up for it, of any length
	// but 0 and not along one line; Up need not be at a right angle. A zero
	// Forward is (0, 0, -1), a zero Up (0, 1, 0).
	Forward, Up Vector

	// Doppler is how much of the Doppler shift is heard, 0..100: 0 none, 1 as
	// much as in nature.
	Doppler float64

	SpeedOfSound float64 // units of length per second, 0.001..1e9; 0: 343.3
}

// leastAngle is the least sine of the angle between Forward and Up.
const leastAngle = 1e-6

// listener is what the audio side needs of a Listener.
type listener struct {
	position, velocity Vector
	right              Vector  // of length 1
	waves              float64 // the speed of sound, divided by the Doppler factor; 0: no Doppler shift
}

// ready checks l and works out its axis. Control side. The error wraps
// ErrOption.
func (l *Listener) ready() (listener, error) {
	forward, up, speed := l.Forward, l.Up, l.SpeedOfSound
	if forward == (Vector{}) {
		forward = Vector{0, 0, -1}
	}
	if up == (Vector{}) {
		up = Vector{0, 1, 0}
	}
	if speed == 0 {
		speed = 343.3
	}
	f, okForward := forward.unit()
	u, okUp := up.unit()
	switch {
	case !l.Position.inSpace() || !l.Velocity.inSpace():
		return listener{}, fmt.Errorf("%w: a listener at %v with a velocity of %v: coordinates are finite and in -1e9..1e9", ErrOption, l.Position, l.Velocity)
	case !okForward || !okUp:
		return listener{}, fmt.Errorf("%w: a listener with Forward %v and Up %v: directions are finite", ErrOption, l.Forward, l.Up)
	case !inRange(l.Doppler, 0, 100) || !inRange(speed, 0.001, 1e9):
		return listener{}, fmt.Errorf("%w: a Doppler factor of %v and a speed of sound of %v are not in 0..100 and 0.001..1e9", ErrOption, l.Doppler, l.SpeedOfSound)
	}
	across := f.cross(u)
	if !(across.along(across[0], across[1], across[2]) >= leastAngle*leastAngle) {
		return listener{}, fmt.Errorf("%w: a listener with Forward %v and Up %v: they lie along one line", ErrOption, forward, up)
	}
	right, _ := across.unit()
	out := listener{position: l.Position, velocity: l.Velocity, right: right}
	if l.Doppler > 0 {
		out.waves = speed / l.Doppler
	}
	return out, nil
}

// Spot is where a voice is: the part of an Emitter that moves. The zero value
// is at the origin, at rest, and sounds alike in all directions.
type Spot struct {
	Position, Velocity Vector // each coordinate in -1e9..1e9
	Forward            Vector // the axis of its cone, of any length; zero: none, and no cone
}

// ready returns s with a Forward of length 1 or 0. Control side. The error
// wraps ErrOption.
func (s *Spot) ready() (Spot, error) {
	if !s.Position.inSpace() || !s.Velocity.inSpace() {
		return Spot{}, fmt.Errorf("%w: a place at %v with a velocity of %v: coordinates are finite and in -1e9..1e9", ErrOption, s.Position, s.Velocity)
	}
	out := *s
	if s.Forward != (Vector{}) {
		var ok bool
		if out.Forward, ok = s.Forward.unit(); !ok {
			return Spot{}, fmt.Errorf("%w: a place with Forward %v: a direction is finite", ErrOption, s.Forward)
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
	if !inRange(c.Inner, 0, 360) || !inRange(c.Outer, c.Inner, 360) || !inRange(float64(c.OuterGain), minGain, 0) {
		return cone{}, fmt.Errorf("%w: a cone of %v to %v degrees with %v dB outside: the angles are in 0..360, the inner one not the larger, the gain in %v..0",
			ErrOption, c.Inner, c.Outer, c.OuterGain, minGain)
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

// emitter is what the audio side needs of an Emitter.
type emitter struct {
	spot    Spot
	cone    cone
	falloff falloff
}

// ready checks e and works out what stays. Control side. The error wraps
// ErrOption.
func (e *Emitter) ready() (out emitter, err error) {
	if out.spot, err = e.Spot.ready(); err != nil {
		return emitter{}, err
	}
	if out.cone, err = e.Cone.ready(); err != nil {
		return emitter{}, err
	}
	if out.falloff, err = e.Attenuation.ready(); err != nil {
		return emitter{}, err
	}
	return out, nil
}
