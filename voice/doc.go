// Package voice has one playing of a sound: its position and speed, its gains left and
// right and their ramps, and how loud it is going to be.
//
// A Voice is pure and single-threaded. It knows no pool, no mixer and no clock: the
// caller passes time as a frame number. All that moves is a function of that number,
// never accumulated, so the length of blocks does not change the bits:
//
//	var v voice.Voice
//	v.Start(sound, voice.Options{Gain: -6}, frame)
//	n := v.Mix(dst, frame) // adds len(dst) frames, or n < len(dst): it has ended
//
// Programs use package mixer. Package sounds makes a Sound of a file; NewSound and
// NewStream make one of samples.
package voice
