// Package hearing computes the gain, pan and pitch of a source in space for a listener, and the low-passes of walls and
// air. Package space describes listeners and emitters; this package prepares them for the audio side, whose
// functions do not allocate.
//
//	ear, err := hearing.NewEar(&listener)       // control side
//	source, err := hearing.NewSource(&emitter)  // control side
//	heard, muffled := ear.Hear(&source)         // audio side
package hearing

import "voicepool/space"

// Ear is a space.Listener prepared for Hear. Create it with NewEar.
type Ear struct {
	Position, Velocity space.Vector
	Right              space.Vector // the axis from the left ear to the right ear, of length 1
	Waves              float64      // the speed of sound, divided by the Doppler factor; 0: no Doppler shift
	Strength           float64      // the maximum pan
	Half               float64      // half of Listener.Width; 0: the pan follows the direction
}

// NewEar validates l and prepares it for Hear. Control side. The error wraps space.ErrRange.
func NewEar(l *space.Listener) (Ear, error) {
	x, err := l.Checked()
	if err != nil {
		return Ear{}, err
	}
	ear := Ear{Position: x.Position, Velocity: x.Velocity, Right: x.Right(), Strength: x.Strength, Half: x.Width / 2}
	if x.Strength == space.NoPan {
		ear.Strength = 0
	}
	if x.Doppler > 0 {
		ear.Waves = x.SpeedOfSound / x.Doppler
	}
	return ear, nil
}

// dot returns the dot product of v and (x, y, z), with each product rounded separately. The second vector is passed as
// scalars, because the compiler does not keep arrays in registers.
func dot(v *space.Vector, x, y, z float64) float64 {
	return float64(v[0]*x) + float64(v[1]*y) + float64(v[2]*z)
}
