package mixer

import (
	"voicepool/pool"
	"voicepool/sounds"
)

// execute executes c at the present frame, whatever c.frame is, and records c in the journal. A resize is ignored if a
// resize that was sent later has been executed before. The caller then counts c as complete. If c fires or drops a
// batch of commands, execute only records this in a.batches; the caller does the rest.
func (a *audio) execute(c *command) {
	if c.cancelled {
		a.record(c.record).cancelled = c.record
	}
	switch {
	case c.kind == cmdPlay:
		a.record(c.record).applyMove()
	case c.kind == cmdResize && c.seq < a.size.seq: // a later call was executed before
		return
	case c.kind == cmdResize:
		a.size.seq = c.seq
	}
	a.journalCommand(c)
	switch c.kind {
	case cmdPlay:
		a.start(c.record, nil)
	case cmdPosition:
		if c.target.kind == allVoices {
			a.positions.setListener(&c.payload.listener)
			return
		}
		a.applyToTarget(c)
	case cmdPending:
		a.applyPending(a.record(c.record), c.record, c.props)
	case cmdPendingBus:
		a.applyBusPending(int(c.target.bus), c.props)
	case cmdPositions:
		a.positions.applyPositions()
	case cmdResize:
		a.size.resize(int(c.voices))
	case cmdPause, cmdResume:
		a.storePause(c)
		a.applyToTarget(c)
	case cmdStop:
		a.applyToTarget(c)
	case cmdSeek:
		a.applyToTarget(c)
		if c.feed != nil && !c.bufferOwned {
			c.feed.Drop()
		}
	case cmdDuck:
		a.graph.Buses[c.target.bus].Duck.Change(c.payload.duckRules, a.now)
	case cmdEffect:
		a.graph.setEffect(c)
	case cmdEffects:
		a.graph.setEffects(c)
	case cmdSend:
		if c.target.kind == busVoices {
			a.graph.setSend(c)
			return
		}
		a.applyToTarget(c)
	case cmdThen:
		a.successors.add(c)
	case cmdFire:
		a.batches.Fire(c.payload.batch, c.payload.countdown, a.now)
	case cmdDrop:
		a.batches.cancelling = c.payload.batch
	case cmdAdd:
		a.batches.Add(c.payload.countdown, c.position)
	case cmdInsert:
		a.graph.SetInsert(int(c.target.bus), c.payload.insertState, a.now)
	case cmdSet:
		if c.target.kind == busVoices {
			a.graph.set(int(c.target.bus), c)
			return
		}
		a.applyToTarget(c)
		if c.feed != nil && !c.bufferOwned {
			c.feed.Drop()
		}
		if c.change.Fields&FieldProtect != 0 {
			a.size.shrink() // after all voices are set, so the policy can choose among all of them
		}
	}
}

// applyToTarget applies c to every living voice that c.target selects. If the target is a handle, it calls
// applyToHandle. If the target is a tag that no voice has, it emits EventMissed and increments Stats.Missed.
func (a *audio) applyToTarget(c *command) {
	if c.target.kind == oneVoice {
		a.applyToHandle(c)
		return
	}
	found := false
	for i, place := a.voices.NextInOrder(0); i >= 0; i, place = a.voices.NextInOrder(place) {
		if a.selects(&c.target, a.voices.At(i).record) {
			found = true
			a.applyToVoice(i, c)
		}
	}
	if !found && c.target.kind == taggedVoices {
		a.stats.Missed++
		a.emit(&audioEvent{Frame: a.now, Kind: EventMissed, Slot: -1, Ref: int64(c.ref)})
	}
}

// selects reports whether the target t selects the start of record r. A target of one voice compares the handle. If
// t.tag is not 0, such a target also selects the starts whose Options.Play equals t.tag. Other targets compare the tag
// or the sound, select the starts on a bus and below it, or select all starts. The zero Target selects no start. A
// start that is over is not excluded.
func (s *shared) selects(t *Target, r *record) bool {
	switch t.kind {
	case oneVoice:
		return uint64(t.id) == r.id.Load() || t.tag != 0 && t.tag == r.play.Load()
	case taggedVoices:
		return t.tag == uint64(r.tag)
	case soundVoices:
		return t.sound == r.sound.Load()
	case busVoices:
		return s.tree.Below(int(r.bus), int(t.bus))
	}
	return t.kind == allVoices
}

// applyToHandle applies c to the voice with the handle c.target.id. If the start is still pending, a stop cancels it,
// and other commands change its initial values. If the start is over, c has no effect.
func (a *audio) applyToHandle(c *command) {
	id := c.target.id
	r := a.record(id)
	switch {
	case r.playing == id:
		a.applyToVoice(r.status.Index(), c)
	// The record may belong to another start, or change its owner just now: the new id is written before
	// the new state.
	case r.status.State().Over() || pool.Handle(r.id.Load()) != id:
	case c.kind == cmdStop:
		a.successors.cancelStart(r, id)
	default:
		a.overrideStart(r, c)
	}
}

// applyToVoice applies c to the voice at index i of the voice table, and records c in the journal. A stop may end the
// voice. The scores of the voice are updated, except after a pause. A command for positions has no effect on a voice
// that is not spatial.
func (a *audio) applyToVoice(i int, c *command) {
	a.journalVoiceCommand(i, c)
	s := a.mutable(i)
	switch c.kind {
	case cmdStop:
		a.stop(i, c.fadeFrames, c.change.Shape)
	case cmdPause:
		a.pause(i, pausedBy[c.target.kind])
	case cmdResume:
		a.resume(i, pausedBy[c.target.kind])
	case cmdSet:
		over := a.smoothed(s.sounded, c.fadeFrames)
		for fields := c.change.Fields; fields != 0; fields &= fields - 1 {
			f := fields.first()
			x := c.change.get(f)
			s.set(f, x, a.now, over, c.change.Shape)
		}
		if c.feed != nil { // for new rounds
			c.bufferOwned = true
			s.voice.SwitchBuffer(c.feed)
		}
		a.scores.Set(i, s.prio, s.number(), s.protect)
		a.updateRestorePrio(i)
		a.scores.rescore(i)
	case cmdSeek:
		a.seek(i, c)
	case cmdSend:
		a.moveSend(s.record, c, a.smoothed(s.sounded, c.fadeFrames))
		a.scores.rescore(i)
	case cmdPosition:
		if s.record.isSpatial {
			s.record.spatial.Source.Spot = c.payload.spot
			a.positions.fadeToPosition(i, s)
		}
	}
}

// seek moves the voice at index i to frame c.position of its sound. The old position leaves a tail, and the new one
// fades in over 5 ms. A streamed voice needs the stream buffer of the new position in c.feed; for other voices c.feed
// must be nil. Otherwise seek has no effect. If it moves the voice, it sets c.bufferOwned. A position after the end of
// a sound in memory counts as the end.
func (a *audio) seek(i int, c *command) {
	s := a.mutable(i)
	if s.voice.Sound().Streamed() != (c.feed != nil) {
		return // the command is for streams, or for sounds in memory
	}
	c.bufferOwned = true
	a.leaveTail(s, a.now)
	to := c.position
	if c.feed == nil {
		to = min(to, s.voice.Sound().Frames())
	}
	s.voice.SeekTo(a.now, to, a.smooth, c.feed)
	s.resetScreen()
	a.updateIndex(i)
	a.scores.rescore(i)
}

// smoothed returns the length in frames for a fade that should last fadeFrames frames. If audible is true, the result
// is at least 5 ms.
func (a *audio) smoothed(audible bool, fadeFrames int64) int64 {
	if !audible {
		return fadeFrames
	}
	return max(fadeFrames, a.smooth)
}

// stop fades the voice at index i out within fadeFrames frames along shape; the voice ends after the fade. The sound
// that should follow it without a gap, its successor, will not play. If fadeFrames is 0, the voice ends now and leaves
// a short tail. If fadeFrames is the constant noTail, the voice ends now without a tail. A paused voice ends now in any
// case, without a tail. An earlier fade-out that ends first stays.
func (a *audio) stop(i int, fadeFrames int64, shape sounds.Shape) {
	s := a.mutable(i)
	if fadeFrames > 0 && s.paused == 0 {
		s.stopping = true
		a.successors.Release(s.record.playing, true)
		s.voice.FadeOut(a.now, fadeFrames, shape)
		a.updateRestorePrio(i)
		a.scores.rescore(i)
		return
	}
	if fadeFrames != noTail {
		a.leaveTail(s, a.now)
	}
	a.endVoice(i, a.now, EventStopped, &audioEvent{})
}

// storePause stores a pause or resume c of a bus or of all voices, so that later starts begin in that state. It does
// not pause or resume present voices. For a target of other voices it has no effect.
func (a *audio) storePause(c *command) {
	switch c.target.kind {
	case busVoices:
		a.graph.Buses[c.target.bus].SetPaused(c.kind == cmdPause)
		a.graph.refresh()
	case allVoices:
		a.paused = c.kind == cmdPause
	}
}

// pause pauses the voice at index i. The parameter by is the reason: the voice itself, its bus, or all voices. A voice
// can be paused for several reasons. If the voice was not paused before, s.pausedAt is set, and the voice leaves a tail
// of 10 ms if it has sounded. A voice that is fading out after a stop ends instead.
func (a *audio) pause(i int, by pauses) {
	s := a.mutable(i)
	if s.stopping { // it would keep its slot during the pause
		a.stop(i, 0, sounds.Natural)
		return
	}
	if s.paused == 0 {
		a.leaveTail(s, a.now)
		s.pausedAt = a.now
	}
	s.paused |= by
	a.updateRestorePrio(i)
	s.record.status.SetState(s.state())
}

// resume removes one reason for a pause, the parameter by, from the voice at index i. If another reason is left, the
// voice stays paused. Otherwise the voice fades in, or starts if it has not sounded yet. Its end by the time limit
// Options.For moves by the length of the pause. A voice that is not paused is unchanged. For the reason pausedBus,
// resume has no effect while the bus of the voice or a parent is paused.
func (a *audio) resume(i int, by pauses) {
	s := a.mutable(i)
	if s.paused == 0 || by == pausedBus && a.graph.Buses[s.bus].PausedByTree() {
		return
	}
	if s.paused &^= by; s.paused != 0 {
		return
	}
	a.updateRestorePrio(i)
	if s.endAt != never {
		s.endAt += a.now - s.pausedAt
	}
	if s.sounded {
		s.voice.FadeBackIn(a.now, a.smooth)
	} else {
		s.voice.DelayStart(a.now)
	}
	s.record.status.SetState(s.state())
	a.scores.rescore(i)
}
