// Package tone makes sounds by arithmetic: sines and other waves, white and pink noise. They
// are for tests, for trying things out, and for games that beep. The same bits come out on
// every machine.
//
//	s, err := tone.Parse("tone:440:square") // or tone.Signal{Shape: tone.Square, Hertz: 440}
//	clip, err := s.Clip(48000, time.Second) // a sound for sounds.Prepare, which loops without a seam
//	from, err := s.Source(48000)            // a stream without end for Library.StreamFrames
//	beep, err := lib.LoadFS(tone.FS{}, "tone:1000")
//
// All are in stereo, with both channels equal, at Level. Control side.
package tone
