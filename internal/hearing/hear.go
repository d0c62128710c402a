package hearing

import (
	"math"

	"voicepool/pcm"
	"voicepool/space"
)

// Heard is the result of Ear.Hear: the gain, pan and pitch of a voice at one instant.
type Heard struct {
	Gain  float64 // a factor
	Pan   float64 // -1..+1
	Pitch pcm.Semitones
}

// Muffled holds the low-pass cutoffs of a voice, and the gains of its direct path and of its sends. Without
// muffling it is {Direct: 1, Sends: 1}.
type Muffled struct {
	LowPass float64 // the cutoff for the direct path and the sends, in Hz; 0: off

	// Direct and DirectLowPass apply only to the direct path, Sends only to the sends. The factors
	// multiply Heard.Gain.
	Direct        float64 // a factor
	DirectLowPass float64 // the cutoff in Hz, lower than LowPass; 0: LowPass applies
	Sends         float64 // a factor
}

// Hear computes the gain, pan, pitch and muffling with which the listener hears a source. It does not
// allocate. Audio side.
func (l *Ear) Hear(e *Source) (Heard, Muffled) {
	s := &e.Spot
	x, y, z := s.Position[0]-l.Position[0], s.Position[1]-l.Position[1], s.Position[2]-l.Position[2]
	distance := math.Sqrt(float64(x*x) + float64(y*y) + float64(z*z))
	gain := factor(&e.attenuation, distance)
	var pan float64
	var pitch pcm.Semitones
	if distance > 0 {
		if e.cone.outside != 1 && s.Forward != (space.Vector{}) {
			gain = float64(gain * e.cone.at(-dot(&s.Forward, x, y, z)/distance))
		}
		edge := l.Half
		if edge == 0 {
			edge = max(distance, e.attenuation.Min)
		}
		pan = float64(min(max(dot(&l.Right, x, y, z)/edge, -1), 1) * l.Strength)
		if l.Waves > 0 && l.Velocity != s.Velocity {
			pitch = shift(l.Waves, -dot(&l.Velocity, x, y, z)/distance, -dot(&s.Velocity, x, y, z)/distance)
		}
	}
	if e.plain && s.Occlusion == 0 && s.Obstruction == 0 {
		return Heard{Gain: gain, Pan: pan, Pitch: pitch}, Muffled{Direct: 1, Sends: 1}
	}
	return e.muffled(Heard{Gain: gain, Pan: pan, Pitch: pitch}, x, y, z)
}

// factor returns the linear factor of a at a distance. a must come from prepareAttenuation.
func factor(a *space.Attenuation, distance float64) float64 {
	if a.Table != nil {
		return a.Table.Factor(distance)
	}
	d := min(distance, a.Max)
	if d <= a.Min {
		return 1
	}
	switch a.Curve {
	case space.Inverse:
		return a.Min / (a.Min + float64(a.Rolloff*(d-a.Min)))
	case space.Linear:
		return max(1-float64(a.Rolloff*((d-a.Min)/(a.Max-a.Min))), 0)
	case space.Exponential:
		return min(pcm.Exp2(-float64(a.Rolloff*pcm.Log2(d/a.Min))), 1) // min, because of rounding errors
	}
	return 1
}

// shift returns the Doppler shift in -48..48 semitones at a speed c of sound. vl and vs are the velocities of
// the listener and of the voice, projected onto the line from the voice to the listener.
func shift(c, vl, vs float64) pcm.Semitones {
	if vl == vs {
		return 0
	}
	heard, sent := c-vl, c-min(vs, c)
	switch {
	case float64(heard*16) <= sent: // also true if the listener is faster than sound and heard is negative
		return -48
	case heard >= float64(sent*16):
		return 48
	}
	return min(max(pcm.FromRatio(heard/sent), -48), 48)
}

// Shifts returns the limits of the Doppler shift that a voice with the given velocity can have at any position. below
// is the lowest shift, -48..0 semitones, and above the highest, 0..48 semitones. Both are 0 without a Doppler shift.
// Control side.
func (l *Ear) Shifts(velocity *space.Vector) (below, above pcm.Semitones) {
	if l.Waves == 0 || l.Velocity == *velocity {
		return 0, 0
	}
	const slack = 1 + 1e-12 // for rounding errors
	vl := math.Sqrt(dot(&l.Velocity, l.Velocity[0], l.Velocity[1], l.Velocity[2])) * slack
	vs := math.Sqrt(dot(velocity, velocity[0], velocity[1], velocity[2])) * slack
	return shift(l.Waves, vl, -vs), shift(l.Waves, -vl, vs)
}
