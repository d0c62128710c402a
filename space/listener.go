package space

import (
	"cmp"
	"fmt"
)

// Listener is the position, velocity and orientation of the listener. The zero value is at the origin,
// looks along -z with +y up, and hears no Doppler shift.
type Listener struct {
	Position, Velocity Vector // each coordinate in -1e9..1e9

	// Forward is the direction of view and Up the upward direction. They may have any length, must not be
	// parallel, and need not be perpendicular. The zero vector means (0, 0, -1) in Forward and (0,
	// 1, 0) in Up.
	Forward, Up Vector

	// Doppler scales the Doppler shift, 0..100: 0 is off, 1 is physically correct.
	Doppler float64

	SpeedOfSound float64 // units of length per second, 0.001..1e9; 0: 343.3

	// Strength is the maximum pan, for a sound exactly to the left or right, 1e-6..1. 0: 0.5, a difference
	// of 8 dB between the channels. With 1, a sound at the far right is silent in the left channel. NoPan
	// disables panning: since 0 means the default, use NoPan if a slider for the pan strength is at 0.
	Strength float64

	// Width is for two-dimensional games: the visible width, 1e-6..1e9. The pan then follows the offset to
	// the side, and is at its maximum at the edge of the screen and beyond. 0: the pan follows the
	// direction, at any distance.
	Width float64
}

// NoPan is a Listener.Strength that disables panning by position. Distance, cone and Doppler shift still apply.
const NoPan = -1

// leastAngle is the minimum sine of the angle between Forward and Up.
const leastAngle = 1e-6

// Checked validates l and returns it with its defaults filled in, and with Forward and Up scaled to length 1. The error
// wraps ErrRange.
func (l Listener) Checked() (Listener, error) {
	given := l
	l.Forward, l.Up = cmp.Or(l.Forward, Vector{0, 0, -1}), cmp.Or(l.Up, Vector{0, 1, 0})
	l.SpeedOfSound, l.Strength = cmp.Or(l.SpeedOfSound, 343.3), cmp.Or(l.Strength, 0.5)
	f, okForward := l.Forward.unit()
	u, okUp := l.Up.unit()
	switch {
	case !l.Position.inSpace() || !l.Velocity.inSpace():
		return Listener{}, fmt.Errorf("%w: a listener at %v with a velocity of %v: coordinates are finite and in -1e9..1e9", ErrRange, l.Position, l.Velocity)
	case !okForward || !okUp:
		return Listener{}, fmt.Errorf("%w: a listener with Forward %v and Up %v: directions are finite", ErrRange, given.Forward, given.Up)
	}
	err := cmp.Or(checkRange("Doppler factor", l.Doppler, 0, 100, "", ""), checkRange("speed of sound", l.SpeedOfSound, 0.001, 1e9, "", ""))
	if l.Strength != NoPan {
		err = cmp.Or(err, checkRange("strength of the listener", l.Strength, 1e-6, 1, "", "; NoPan turns it off"))
	}
	if l.Width != 0 {
		err = cmp.Or(err, checkRange("width of the listener", l.Width, 1e-6, maxCoordinate, "", ""))
	}
	if err != nil {
		return Listener{}, err
	}
	across := f.cross(u)
	if !(across.along(across[0], across[1], across[2]) >= leastAngle*leastAngle) {
		return Listener{}, fmt.Errorf("%w: a listener with Forward %v and Up %v: they lie along one line", ErrRange, l.Forward, l.Up)
	}
	l.Forward, l.Up = f, u
	return l, nil
}

// Right returns the direction from the left ear to the right ear, of length 1. l must come from Checked.
func (l *Listener) Right() Vector {
	right, _ := l.Forward.cross(l.Up).unit()
	return right
}
