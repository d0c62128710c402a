// Package bank plays sounds by the names and rules of a designer's file: variations, ranges of gain and
// pitch, limits, cooldowns, buses. The game names a sound and its position. The file contains the rest and
// can change without the game.
//
//	sounds:
//	  step: {files: [step1.wav, step2.wav], pick: shuffle, gain: [-6, -3], pitch: [-1, 1], bus: sfx}
//	buses:
//	  sfx: {voices: 24}
//
//	lib := sounds.NewLibrary(sounds.Options{})
//	b, err := bank.Open(assets, "sounds.yaml", lib) // any fs.FS
//	m, err := b.NewMixer()                          // the device calls m.Render
//	h, err := b.Play("step", bank.Options{Pan: 0.4})
//
// A bank is a cue sheet without cues: package cue reads the same keys. The whole API is control side and safe
// for concurrent use. docs/banks.md describes every key.
package bank
