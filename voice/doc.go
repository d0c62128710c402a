// Package voice plays one sound: it keeps its position and speed, its left and right gains with their ramps,
// and estimates how loud it is going to be.
//
// A Voice is a plain value for one goroutine at a time. It has no pool, mixer or clock: the caller passes
// time as a frame number. Every moving value is computed from that number and never accumulated, so the
// block length does not change the output bits:
//
//	var v voice.Voice
//	v.Start(sound, voice.Options{Gain: -6}, frame)
//	n := v.Mix(dst, frame) // adds len(dst) frames; n < len(dst): the voice has ended
//
// Games use package mixer, which is built on this one. The sound is a Sound of package sounds.
package voice
