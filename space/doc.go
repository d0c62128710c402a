// Package space places voices around a listener. The mixer computes the gain, pan and pitch of a sound from
// distance, direction and motion.
//
// An Emitter describes a voice at its start, a Spot its later positions, and a Listener the listener:
//
//	m.Play(shot, mixer.Options{Emitter: &space.Emitter{Spot: space.Spot{Position: gun}}})
//	m.SetListener(space.Listener{Position: camera, Forward: look, Doppler: 1})
//
// For two-dimensional games, a Flat creates all three from pixels. By default a sound at the far right is
// panned by half only, see Listener.Strength, and a stereo sound is mixed down to mono, see Emitter.Spread.
//
// With the zero Emitter and the zero Listener, a mono sound is unchanged. The Checked methods validate values
// as the mixer does.
package space

import (
	"errors"
	"fmt"

	"voicepool/pcm"
)

// ErrRange is wrapped by every error of a value of this package, but not by errors of ParseCurve: a coordinate, angle,
// distance or gain is out of range or NaN. An error about a single number also wraps a *pcm.RangeError.
var ErrRange = errors.New("space: out of range")

const (
	leastGain = -120 // dB, of Cone.OuterGain
	mostGain  = 24   // dB, of a Table
)

// inRange reports whether from <= x <= to; false for NaN.
func inRange(x, from, to float64) bool { return x >= from && x <= to }

// checkRange returns nil if from <= x <= to, otherwise an error that wraps ErrRange and a *pcm.RangeError. name,
// unit and remark, which may be empty, are for the error.
func checkRange(name string, x, from, to float64, unit, remark string) error {
	if inRange(x, from, to) {
		return nil
	}
	return fmt.Errorf("%w: %w%s", ErrRange, &pcm.RangeError{Name: name, Value: x, Min: from, Max: to, Unit: unit}, remark)
}
