// Package space places voices around a listener. It computes the gain, pan and pitch of a sound from
// distance, direction and motion.
//
// An Emitter describes a voice at its start, a Spot its later positions, and a Listener the listener:
//
//	m.Play(shot, mixer.Options{Emitter: &space.Emitter{Spot: space.Spot{Position: gun}}})
//	m.SetListener(space.Listener{Position: camera, Forward: look, Doppler: 1})
//
// For two-dimensional games, a Flat creates all three from pixels. By default a place pans by at most
// half, see Listener.Strength, and a stereo sound is mixed down to mono, see Emitter.Spread.
//
// The mixer prepares emitters and listeners on the control side, with Emitter.Source and Listener.Ear.
// Ear.Hear then needs no checks and gives the same bits on every machine. With the zero values, a mono
// sound is unchanged.
package space

import "errors"

// ErrRange is wrapped by every error of this package: a coordinate, angle, distance or gain is out of
// range or NaN.
var ErrRange = errors.New("space: out of range")

const (
	leastGain = -120 // dB, of Cone.OuterGain
	mostGain  = 24   // dB, of a Table
)

// inRange is false for NaN.
func inRange(x, from, to float64) bool { return x >= from && x <= to }
