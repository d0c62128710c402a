// Package tone synthesizes sounds: sines and other waves, white and pink noise. They are for tests, for
// experiments, and for games that beep. The bits are the same on every machine.
//
//	s, err := tone.Parse("tone:440:square") // or tone.Signal{Shape: tone.Square, Hertz: 440}
//	clip, err := s.Clip(48000, time.Second) // a sound for library.Prepare, which loops seamlessly
//	from, err := s.Source(48000)            // an endless stream for Library.StreamFrames
//	beep, err := lib.LoadFS(tone.FS{}, "tone:1000")
//
// All signals are stereo, with equal channels, at Level. Control side.
package tone
