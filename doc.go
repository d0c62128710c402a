// Package voicepool is the documentation of the module; it exports nothing.
//
// A game or a show asks for far more sounds than anyone can hear. The module plays
// them through a fixed pool of voices, mixed in real time. When all voices are busy,
// it steals the least audible voice and gives it to the new sound.
//
//	pcm       the frame, decibels, semitones, arithmetic with the same bits everywhere
//	pool      a generic fixed pool of objects: slots, handles, overflow; without audio
//	voice     one playing of a sound: position, pitch, gains, loop, loudness to come
//	space     positions around a listener: gain, pan, pitch
//	mixer     the pool of voices: control side, audio side, buses, limiter, events
//	sounds    the types of sounds: samples or a stream, loudness, mip levels;
//	          sounds/library makes sounds from files, sounds/embedded has some
//	cue       cue sheets: the model and the parser; cue/play plays them, cue/record makes them
//	device    the device interfaces; device/auto, device/pulse, device/oto, device/null, device/wav,
//	          device/reader, device/devicetest
//	beepio    bridges to programs that use beep
//
// The command is cmd/voicepool, a module of its own. Begin with README.md and
// docs/concepts.md; docs/design.md shows the place of each package.
package voicepool
