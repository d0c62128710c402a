package mixer

import (
	"voicepool/internal/ring"
	"voicepool/mixer/internal/spatial"
	"voicepool/pcm"
)

// entryKinds maps commands to journal entries; 0: not recorded as such.
var entryKinds = [...]EntryKind{
	cmdPlay: EntryPlay, cmdStop: EntryStop, cmdPause: EntryPause, cmdResume: EntryResume, cmdSet: EntrySet,
	cmdSeek: EntrySeek, cmdPositions: 0, cmdPending: 0, cmdPendingBus: 0, cmdResize: EntryResize,
	cmdDuck: EntryDuck, cmdInsert: EntryInsert, cmdEffect: EntryEffect, cmdEffects: EntryEffects, cmdSend: EntrySend, cmdPosition: EntryPlace, cmdThen: 0,
	cmdFire: 0, cmdDrop: 0, cmdAdd: 0,
}

// journalEntry returns the journal entry of c at the present frame. The caller adds the fields of the target and the
// start, and queues the entry.
func (a *audio) journalEntry(c *command) Entry {
	e := Entry{
		Frame: a.now, Kind: entryKinds[c.kind], Frames: c.fadeFrames, Place: c.position, Voices: int(c.voices), Change: c.change,
	}
	if p := c.payload; p != nil {
		e.Duck = p.duck
		if c.kind == cmdPosition && c.target.kind == allVoices {
			e.Listener = p.listener.Listener()
		}
		e.How.Emitter.Spot = p.spot
		e.Insert = p.insert
		if p.send != nil {
			e.Send = Send{To: p.send.to, Gain: p.send.gain}
		}
		if p.effect != nil {
			e.Effect, e.Values = p.effect.name, p.effect.values
		}
	}
	return e
}

// add queues e for the control side. If the queue is full, e is dropped and counted as lost. The journal must be on.
func (j *journal) add(e Entry) {
	if !ring.Push(j.ring, e) {
		j.lost.Add(1)
	}
}

// journalCommand queues the journal entry of c, before c is executed at the present frame. It handles starts and
// commands for buses, for all voices and for the mixer. Commands for other voices are left to journalVoiceCommand. A
// cancelled start is not recorded. Without a journal it has no effect.
func (a *audio) journalCommand(c *command) {
	if a.journal.ring == nil || entryKinds[c.kind] == 0 {
		return
	}
	e := a.journalEntry(c)
	if c.kind == cmdSet { // the player's volume is not part of a recording
		if e.Change.Fields &^= FieldVolume; e.Change.Fields == 0 {
			return
		}
	}
	switch {
	case c.kind == cmdPlay:
		r := a.record(c.record)
		if r.cancelled == c.record {
			return // cancelled before it began
		}
		o := &r.options
		e.Start, e.Sound, e.Group, e.Bus = uint64(c.record), r.sound.Load(), r.group, a.tree.Nodes[r.bus].Name
		e.Priority, e.Importance, e.Protect, e.WhenFull, e.Owner = int(r.prio), pcm.Decibels(r.importance.decibels), r.protect, r.whenFull, r.owner
		e.How = Played{
			BaseGain: o.BaseGain, Gain: o.Gain, BasePitch: o.BasePitch, Pitch: o.Pitch, Speed: o.Speed, Pan: o.Pan,
			From: o.From, For: r.duration, FadeIn: o.FadeIn, FadeShape: o.FadeShape, Loop: o.Loop, Rounds: int(o.Rounds), Quality: o.Quality, Placed: r.isSpatial, Filters: r.filters(),
		}
		if r.isSpatial {
			e.How.Emitter = r.spatial.Source.Emitter()
		}
		if r.sends > 0 {
			e.How.Sends = r.extra.Load().sent
		}
	case c.target.kind == busVoices:
		e.Bus = a.tree.Nodes[c.target.bus].Name
	case c.target.kind != allVoices && c.kind != cmdResize:
		return
	}
	a.journal.add(e)
}

// journalVoiceCommand records the command c for the voice at index i in the journal. It leaves out commands for buses
// and for all voices, which journalCommand records, and commands that the voice ignores. Without a journal it has no
// effect.
func (a *audio) journalVoiceCommand(i int, c *command) {
	s := a.mutable(i)
	if a.journal.ring == nil || c.target.kind == busVoices || c.target.kind == allVoices ||
		c.kind == cmdPosition && !s.record.isSpatial || c.kind == cmdSeek && s.voice.Sound().Streamed() != (c.feed != nil) {
		return
	}
	e := a.journalEntry(c)
	if c.kind == cmdSet && c.feed == nil && s.voice.Sound().Streamed() {
		// For a stream only SetLoop sets the rounds.
		if e.Change.Fields &^= FieldRounds; e.Change.Fields == 0 {
			return
		}
	}
	e.Start = uint64(s.record.playing)
	a.journal.add(e)
}

// journalListener records in the journal that the listener has moved to l at the present frame. Without a journal it
// has no effect.
func (a *audio) journalListener(l *spatial.Listener) {
	if a.journal.ring != nil {
		a.journal.add(Entry{Frame: a.now, Kind: EntryPlace, Listener: l.Listener()})
	}
}

// journalPosition records in the journal that the spatial voice s has moved to its position at the present frame.
// Without a journal it has no effect.
func (a *audio) journalPosition(s *slot) {
	if a.journal.ring != nil {
		e := Entry{Frame: a.now, Kind: EntryPlace, Start: uint64(s.record.playing)}
		e.How.Emitter.Spot = s.record.spatial.Source.Spot
		a.journal.add(e)
	}
}
