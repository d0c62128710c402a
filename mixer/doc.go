// Package mixer mixes a fixed pool of voices and decides which voice is stolen when a program starts more
// sounds than the pool can play.
//
// The package has two sides. The control side sends commands. The audio side, which a device calls,
// decides and mixes:
//
//	// A game, any goroutine:                   // The audio callback:
//	h, err := m.Play(sound, mixer.Options{})    m.Render(block)
//	h.SetGain(-6)
//	h.Stop(0)
//	n := m.Events(events)
//
// Play and the methods of a Handle check their arguments, push a command into a lock-free ring buffer and
// return. They never wait for the audio side. Render executes every command at its exact frame: only then is
// it decided whether a start gets a voice, and which voice is stolen. Handle.State, Events and Stats report
// the outcome.
//
// Time is a frame number, counted from the first frame that the mixer rendered. It does not advance while
// the mixer does not render. Every ramp and every decision depends on the frame number alone, so blocks
// of any length give the same bits and the same events.
//
// # For games
//
//	New, Config           create a mixer; BusConfig, Duck: its buses; Overflow: the policy of a full pool
//	Mixer.Play, Options   start a sound; a Handle changes and stops it, State returns its state
//	Mixer.Bus, Bus        gain, mute, pause and fades of music, effects, speech
//	Mixer.NewGroup        limits and cooldowns of one sound, however many files it has
//	Mixer.Events, Event   which voice was stolen, and why; Decision, Reason, EventKind
//	Mixer.Stats, Levels   counters and meters
//	Mixer.SetListener     with SetPositions and package space: spatial sound
//
// # For engines, players and tools
//
//	Mixer.Engine          returns the Engine, which has the methods below
//	Engine.At, Moment     commands for an exact frame, for all voices of a Target; Change, Fields: several properties
//	Engine.NewBatch       commands for a frame that is not known in advance; Countdown
//	Engine.NewEventReader a second, independent reader of all events
//	Engine.Journal, Entry every executed command; EntryKind, Played
//	Engine.Stems, Stem    the part of each sound in the mix; Config.Stems
//
// Beside the Engine, Mixer.Prepare makes offline rendering reproducible, Config.Lead keeps the distances of calls in
// time, and an Insert is an effect of your own on a bus.
//
// # Clock, goroutines, Close
//
// The audio side reads no clock. The control side reads one for Config.Lead: the system clock or
// Config.Clock.
//
// New starts no goroutine. Goroutines start with the first pitched voice of quality Best, with the first
// Handle.Done, and with each voice that plays a stream. They end when they are idle. Close ends all of
// them. Call Close after closing the device. A mixer that never started one needs no Close.
package mixer
