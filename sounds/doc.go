// Package sounds has the types of sounds that voices play: Sound, its samples or its Stream, its loudness index,
// and how a voice reads it. It does not read files: package library makes sounds from them, as package image/png
// makes an image.
//
// A program makes a sound from its own samples or from frames that it computes while the sound plays:
//
//	click, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: samples})
//	radio, err := sounds.NewStream(sounds.Stream{Rate: 48000, Open: open}) // open returns a StreamBuffer
//
// Making sounds allocates, so all functions are for the control side, unless they say otherwise. A Sound is
// immutable: any number of voices and mixers may play it at the same time.
package sounds
