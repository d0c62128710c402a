// Package bank plays sounds by the names and rules of a designer's file: variations, ranges of gain
// and pitch, limits, cooldowns, buses. The game names a sound and says where it is; the file says the
// rest, and changes without the game.
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
// A bank is a cue sheet without cues: package cue reads the same keys. All of it is control side, and
// any goroutine may call it. docs/banks.md lists every key.
package bank
