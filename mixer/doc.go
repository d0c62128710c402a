// Package mixer mixes a fixed pool of voices, and decides which voice is stolen when a
// program asks for one more sound than the pool can play.
//
// It has two sides. The control side asks; the audio side, which a device calls,
// decides and mixes:
//
//	// A game, any goroutine:                   // The audio callback:
//	h, err := m.Play(sound, mixer.Options{})    m.Render(block)
//	h.SetGain(-6)
//	h.Stop()
//	n := m.Events(events)
//
// Play and the methods of a Handle check their arguments, push a command into a
// lock-free ring and return. They never wait for the audio side. Render carries out
// every command at its exact frame. It alone knows which voices live, which one is
// stolen, and what a limit refuses. Handle.State, Events and Stats return the result.
//
// Time is a count of frames, from the first one that was ever mixed. While nothing
// renders, it stands still. All that moves is a function of the frame's number, so
// blocks of any length give the same bits and the same events.
//
// # Clock, goroutines, Close
//
// The audio side reads no clock. The control side reads one for Config.Lead: the system's,
// or Config.Clock.
//
// New starts no goroutine. Two features start one on the control side, which ends when it
// has nothing to do:
//
//   - A pitched voice of quality Best has a version of its sound made.
//   - Handle.Done waits for the end of a voice; it looks every 5 ms.
//
// Each voice that plays a stream has a goroutine that decodes, made by package sounds.
//
// Close ends all of these. Call it after the device's Close; Play then fails with
// ErrClosed. A mixer that has used none of them needs no Close.
package mixer
