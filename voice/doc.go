// Package voice is one playing of a sound: where it is, how fast it goes, how
// loud it is left and right, how that moves, and how loud it is going to be.
//
// A Voice is pure and single-threaded. It knows no pool, no mixer and no clock:
// time is a frame number that the caller brings along. All that moves is a
// function of that number, never accumulated, so that the blocks in which a
// voice is mixed do not show in its bits:
//
//	var v voice.Voice
//	v.Start(sound, voice.Options{Gain: -6}, frame)
//	n := v.Mix(dst, frame) // adds len(dst) frames, or n < len(dst): it has ended
package voice
