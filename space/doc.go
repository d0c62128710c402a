// Package space places voices around a listener. It turns distance, direction and
// motion into the gain, pan and pitch of a sound.
//
// An Emitter describes a voice when it starts, a Spot where it moves to, a Listener who
// hears:
//
//	m.Play(shot, mixer.Options{Emitter: &space.Emitter{Spot: space.Spot{Position: gun}}})
//	m.SetListener(space.Listener{Position: camera, Forward: look, Doppler: 1})
//
// A Flat makes all three of pixels, for games in two dimensions. A place pans by half at
// most, see Listener.Strength, and a stereo sound is folded to mono, see Emitter.Spread.
//
// The mixer prepares both once, on the control side, by Emitter.Source and
// Listener.Ear. Ear.Hear then needs no check and gives the same bits on every machine.
// The zero values change nothing of a mono sound.
package space

import "errors"

// ErrRange is wrapped by every error of this package: a coordinate, angle, distance or
// gain is out of its range, or is not a number.
var ErrRange = errors.New("space: out of range")

const (
	leastGain = -120 // dB, of a cone's outside
	mostGain  = 24   // dB, of a table
)

// inRange is false for NaN, too.
func inRange(x, from, to float64) bool { return x >= from && x <= to }
