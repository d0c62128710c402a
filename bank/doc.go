// Package bank plays sounds as described in a YAML file, which a sound designer can change without the game:
// variations, ranges of gain and pitch, limits, cooldowns, buses. The game only gives the name of a sound,
// and its position.
//
//	sounds:
//	  step: {files: [step1.wav, step2.wav], pick: shuffle, gain: [-6, -3], pitch: [-1, 1], bus: sfx}
//	buses:
//	  sfx: {voices: 24}
//
//	lib := library.NewLibrary(library.Options{})
//	b, err := bank.Open(assets, "sounds.yaml", lib) // any fs.FS
//	m, err := b.NewMixer()                          // the device calls m.Render
//	h, err := b.Play("step", bank.Options{Pan: 0.4})
//
// A bank is a cue sheet without cues: package cue reads the same keys. All functions are safe for concurrent
// use; call them on the goroutines of the game, not in the audio callback. docs/banks.md describes every
// key.
package bank
