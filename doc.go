// Package voicepool is the documentation of the module; it exports nothing.
//
// A game, or a show, asks for far more sounds than anyone can hear. A fixed pool
// of voices feeds a real-time mixer; when all voices are busy, the one whose
// loss will be heard least gives way to the newcomer.
//
//	pcm       the frame, decibels, semitones, arithmetic with the same bits everywhere
//	pool      a generic fixed pool of objects: slots, handles, overflow; knows no audio
//	voice     one playing of a sound: place, pitch, gains, loop, loudness to come
//	mixer     the pool of voices: control side, audio side, buses, limiter, events
//	sounds    files to sounds: decode, convert, measure; a bank; the embedded sounds
//	cue       cue sheets: parse, check, play, report
//	device    what a device is; device/null, device/wav, device/oto, device/devicetest
//
// The command is cmd/voicepool. docs/design.md says why things are as they are.
package voicepool
