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
// # What a game needs
//
//	New, Config           a mixer; BusConfig, Duck: its buses; Overflow: what a full pool does
//	Mixer.Play, Options   starts a sound; Handle moves and stops it, State says what became of it
//	Mixer.Bus, Bus        gain, mute, pause and fades of music, effects, speech
//	Mixer.NewGroup        limits and cooldowns of one sound, however many files it has
//	Mixer.Events, Event   what was stolen, and why; Reason, EventKind
//	Mixer.Stats, Levels   counters, and meters
//	Mixer.SetListener     and SetPositions, with package space: places
//
// # What an engine builder needs
//
// All else is for those who build an engine, a player or a tool on a mixer:
//
//	Mixer.At, Moment      commands for an exact frame, for all voices of a Target
//	Change, Fields        several values in one command
//	Insert                an effect on a bus
//	Mixer.Prepare         for whoever renders without a clock
//	Config.Lead, Latency  calls that keep their distances in time, and what they cost
//	Config.Stems, Stems   what each sound put into the mix, alone
//	NewEventReader        all events, for a second part of the program
//	Mixer.Journal, Entry  every command that was carried out; EntryKind, Played
//
// # Clock, goroutines, Close
//
// The audio side reads no clock. The control side reads one for Config.Lead: the system's,
// or Config.Clock.
//
// New starts no goroutine. Pitched voices of quality Best and Handle.Done start one each,
// which ends when it has nothing to do; so does each voice that plays a stream. Close ends
// all of these. Call it after the device's Close. A mixer that has used none of them needs
// no Close.
package mixer
