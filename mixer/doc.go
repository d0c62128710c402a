// Package mixer mixes a fixed pool of voices, and decides which voice gives way
// when one more sound is asked for than the pool can play.
//
// It has two sides. The control side asks; the audio side, which a device
// drives, decides and mixes:
//
//	// A game, any goroutine:                   // The audio callback:
//	h, err := m.Play(sound, mixer.Options{})    m.Render(block)
//	h.SetGain(-6)
//	h.Stop()
//	n := m.Events(events)
//
// Play and the methods of a Handle check their arguments, push a command into a
// ring and return: they never wait for the audio side. Render carries every
// command out at its exact frame, and alone knows which voices live, which one
// is stolen, and what a limit refuses. What came of it is in the handle's State,
// in Events and in Stats.
//
// Time is a count of frames, from the first that was ever mixed. While nothing
// renders it stands still. Blocks of any length give the same bits and the same
// events: all that moves is a function of the frame's number.
//
// The mixer knows no file, no device and no clock. It has no goroutine of its
// own and needs no Close.
package mixer
