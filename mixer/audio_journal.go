package mixer

import (
	"voicepool/voice"
)

// record notes a command that has been carried out. Audio side.
func (j *journal) record(e Entry) {
	if !j.ring.Push(e) {
		j.lost.Add(1)
	}
}

// journalled reports whether anybody wants entries.
func (a *audio) journalled() bool { return a.journal.ring != nil }

// noteCommand notes what acts on a start that comes, on a bus or on everything,
// before it is done. What acts on voices is noted where it reaches them.
func (a *audio) noteCommand(c *command) {
	if !a.journalled() {
		return
	}
	e := Entry{Frame: a.now, Frames: c.over, Place: c.place, Voices: int(c.voices)}
	switch c.kind {
	case cmdPlay:
		r := a.record(c.record)
		if r.cancel == c.record {
			return // it never was
		}
		o := &r.options
		e.Kind, e.Start, e.Sound, e.Group, e.Bus = EntryPlay, uint64(c.record), r.sound.Load(), r.group, a.tree.name(r.bus)
		e.Priority, e.Protect = int(r.prio), r.protect
		e.How = Played{
			BaseGain: o.BaseGain, Gain: o.Gain, BasePitch: o.BasePitch, Pitch: o.Pitch, Speed: o.Speed, Pan: o.Pan,
			From: o.From, For: r.lasts, FadeIn: o.FadeIn, Loop: o.Loop, Rounds: int(o.Rounds), Quality: o.Quality, Placed: r.placed,
		}
	case cmdResize:
		e.Kind = EntryResize
	case cmdPlace:
		e.Kind = EntryPlace
	case cmdDuck:
		e.Kind, e.Bus, e.Duck = EntryDuck, a.tree.name(c.target.bus), c.part.duck
	case cmdInsert:
		e.Kind, e.Bus, e.Insert = EntryInsert, a.tree.name(c.target.bus), c.part.insert.effect
	default:
		switch c.target.kind {
		case busVoices:
			e.Bus = a.tree.name(c.target.bus)
		case allVoices:
		default:
			return
		}
		if e.Kind = entryOf(c.kind); e.Kind == 0 {
			return
		}
		e.Change = c.change
	}
	a.journal.record(e)
}

func entryOf(k commandKind) EntryKind {
	switch k {
	case cmdStop:
		return EntryStop
	case cmdPause:
		return EntryPause
	case cmdResume:
		return EntryResume
	case cmdSet:
		return EntrySet
	case cmdSeek:
		return EntrySeek
	}
	return 0
}

// noteAct notes what a command does to a voice, where it does not act on a whole
// bus or on everything.
func (a *audio) noteAct(i int, c *command) {
	if !a.journalled() || c.target.kind == busVoices || c.target.kind == allVoices ||
		c.kind == cmdSeek && a.at(i).voice.Sound().Streamed() != (c.feed != nil) {
		return
	}
	a.journal.record(Entry{Frame: a.now, Kind: entryOf(c.kind), Start: uint64(a.at(i).id), Frames: c.over, Place: c.place, Change: c.change})
}

// noteStop notes the stop of a voice that no command has brought.
func (a *audio) noteStop(i int, over int64) {
	if a.journalled() {
		a.journal.record(Entry{Frame: a.now, Kind: EntryStop, Start: uint64(a.at(i).id), Frames: over})
	}
}

// noteWants notes to what a voice is moved.
func (a *audio) noteWants(i int, want func(settable) (float64, bool)) {
	if !a.journalled() {
		return
	}
	e := Entry{Frame: a.now, Kind: EntrySet, Start: uint64(a.at(i).id), Change: Change{Shape: voice.InDecibels}}
	c := &e.Change
	for f := range numChanges {
		if x, ok := want(f); ok {
			c.put(f, x)
		}
	}
	if c.Fields != 0 {
		a.journal.record(e)
	}
	if x, ok := want(setSeek); ok {
		a.journal.record(Entry{Frame: a.now, Kind: EntrySeek, Start: e.Start, Place: int64(x)})
	}
	if x, ok := want(setPause); ok {
		kind := EntryResume
		if x != 0 {
			kind = EntryPause
		}
		a.journal.record(Entry{Frame: a.now, Kind: kind, Start: e.Start})
	}
}
