package mixer

import (
	"math"

	"voicepool/pcm"
	"voicepool/voice"
)

// along returns the scalar product of v and (x, y, z), every product rounded on
// its own. The compiler keeps no array in registers, so the second has none.
func (v *Vector) along(x, y, z float64) float64 {
	return float64(v[0]*x) + float64(v[1]*y) + float64(v[2]*z)
}

// place works out how a voice is heard. See Emitter. Audio side.
func place(l *listener, e *emitter) voice.Placed {
	s := &e.spot
	x, y, z := s.Position[0]-l.position[0], s.Position[1]-l.position[1], s.Position[2]-l.position[2]
	distance := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
	gain := e.falloff.at(distance)
	if distance == 0 {
		return voice.Placed{Gain: gain}
	}
	if e.cone.outside != 1 && s.Forward != (Vector{}) {
		gain = float64(gain * e.cone.at(-s.Forward.along(x, y, z)/distance))
	}
	pan := min(max(l.right.along(x, y, z)/max(distance, e.falloff.min), -1), 1)
	var pitch pcm.Semitones
	if l.waves > 0 && l.velocity != s.Velocity {
		pitch = shift(l.waves, -l.velocity.along(x, y, z)/distance, -s.Velocity.along(x, y, z)/distance)
	}
	return voice.Placed{Gain: gain, Pan: pan, Pitch: pitch}
}

// at returns the factor of a distance.
func (f *falloff) at(distance float64) float64 {
	if f.table != nil {
		return f.table.at(distance)
	}
	d := min(distance, f.max)
	if d <= f.min {
		return 1
	}
	switch f.curve {
	case InverseCurve:
		return f.min / (f.min + float64(f.rolloff*(d-f.min)))
	case LinearCurve:
		return max(1-float64(f.rolloff*((d-f.min)/(f.max-f.min))), 0)
	case ExponentialCurve:
		return min(pcm.Exp2(-float64(f.rolloff*pcm.Log2(d/f.min))), 1) // both are right but for the last bits
	}
	return 1
}

func (t *Table) at(distance float64) float64 {
	part := min(max(distance-t.min, 0)/(t.max-t.min), 1)
	x := float64(math.Sqrt(part) * tableSteps)
	i := min(int(x), tableSteps-1)
	a, b := t.factors[i], t.factors[i+1]
	return a + float64((b-a)*(x-float64(i)))
}

// at returns the factor of a direction, by the cosine of its angle off the axis.
func (c *cone) at(cosine float64) float64 {
	switch {
	case cosine >= c.inner:
		return 1
	case cosine <= c.outer:
		return c.outside
	}
	return c.outside + float64((1-c.outside)*((cosine-c.outer)/(c.inner-c.outer)))
}

// shift returns the Doppler shift at the speed c of sound. vl and vs are the
// velocities of the listener and of the voice along the way from the voice to
// the listener.
func shift(c, vl, vs float64) pcm.Semitones {
	if vl == vs {
		return 0
	}
	heard, sent := c-vl, c-min(vs, c)
	switch {
	case float64(heard*16) <= sent: // also where the listener flees from all sound, and heard is negative
		return -48
	case heard >= float64(sent*16):
		return 48
	}
	return min(max(pcm.FromRatio(heard/sent), -48), 48)
}
