package mixer

import (
	"math"

	"voicepool/pool"
	"voicepool/voice"
)

// do carries out one command at the present frame.
func (a *audio) do(c *command) {
	a.noteCommand(c)
	switch c.kind {
	case cmdPlay:
		a.start(c)
	case cmdWant:
		a.applyWants(a.record(c.record), c.record, c.fields)
	case cmdPlace:
		a.movePlaces()
	case cmdResize:
		a.resize(int(c.voices))
	case cmdStop, cmdPause, cmdResume:
		a.hold(c)
		a.each(c)
	case cmdSeek:
		a.each(c)
		if c.feed != nil && !c.taken {
			c.feed.Drop()
		}
	case cmdDuck:
		a.buses[c.target.bus].duck.change(c.part.ducking, a.now)
	case cmdInsert:
		a.setInsert(&a.buses[c.target.bus], c.part.insert)
	case cmdSet:
		if c.target.kind == busVoices {
			a.setBus(int(c.target.bus), c)
			return
		}
		a.each(c)
		if c.change.Fields&FieldProtect != 0 {
			a.shrink() // what was kept by its protection alone; all are set, so the policy has its choice
		}
	}
}

// each does c to every living voice that its target names, in the order of
// slots.
func (a *audio) each(c *command) {
	if c.target.kind == oneVoice {
		a.one(c)
		return
	}
	found := false
	for i := a.next(0); i >= 0; i = a.next(i + 1) {
		if a.names(&c.target, a.at(i)) {
			found = true
			a.act(i, c)
		}
	}
	if !found && c.target.kind == taggedVoices {
		a.stats.Missed++
		a.emit(&Event{Frame: a.now, Kind: EventMissed, Slot: -1, Ref: c.ref})
	}
}

func (a *audio) names(t *Target, s *slot) bool {
	switch t.kind {
	case taggedVoices:
		return s.tag == t.tag
	case soundVoices:
		return s.voice.Sound() == t.sound
	case busVoices:
		return a.tree.below(int(s.bus), int(t.bus))
	}
	return t.kind == allVoices
}

// one does c to the voice of a handle, if it lives. A stop also reaches a start
// that has not come yet.
func (a *audio) one(c *command) {
	id := c.target.voice.id
	r := a.record(id)
	switch {
	case r.live == id:
		a.act(int(r.slot.Load()), c)
	case pool.Handle(r.id.Load()) != id || State(r.state.Load()).Over(): // the record may be another's
	case c.kind == cmdStop:
		r.cancel = id
	default:
		a.foresee(r, c)
	}
}

// act does c to one voice.
func (a *audio) act(i int, c *command) {
	a.noteAct(i, c)
	s := a.at(i)
	switch c.kind {
	case cmdStop:
		a.stop(i, c.over)
	case cmdPause:
		a.pause(i, pausedBy(c.target.kind))
	case cmdResume:
		a.resume(i, pausedBy(c.target.kind))
	case cmdSet:
		over := a.smoothed(s, c.over)
		for f := range numChanges {
			if x, ok := c.change.get(f); ok {
				s.set(f, x, a.now, over, c.change.Shape)
			}
		}
		a.scores.set(i, s.prio, s.number, s.protect)
		a.rescore(i)
	case cmdSeek:
		a.seek(i, c)
	}
}

// seek takes a voice to another place of its sound.
func (a *audio) seek(i int, c *command) {
	if a.at(i).voice.Sound().Streamed() != (c.feed != nil) {
		return // of several sounds, those that the command is not for
	}
	c.taken = true
	a.seekTo(i, c.place, c.feed)
	a.rescore(i)
}

func (a *audio) seekTo(i int, to int64, feed *voice.Feed) {
	s := a.at(i)
	a.leaveTail(s, a.now)
	if feed == nil {
		to = min(to, s.voice.Sound().Frames())
	}
	s.voice.SeekTo(a.now, to, a.smooth, feed)
	a.seat(i)
}

// smoothed returns how long a move takes that was asked for over a time: what
// has not been heard yet need not be smoothed.
func (a *audio) smoothed(s *slot, over int64) int64 {
	if !s.sounded {
		return over
	}
	return max(over, a.smooth)
}

func (a *audio) stop(i int, over int64) {
	s := a.at(i)
	if over > 0 && s.paused == 0 {
		s.dying = true
		s.voice.FadeOut(a.now, over)
		a.rescore(i)
		return
	}
	a.leaveTail(s, a.now)
	a.finish(i, a.now, &Event{Kind: EventStopped})
}

func pausedBy(k targetKind) pauses {
	switch k {
	case busVoices:
		return pausedBus
	case allVoices:
		return pausedAll
	}
	return pausedItself
}

// hold remembers that a bus, or everything, is paused, for those that start
// there meanwhile.
func (a *audio) hold(c *command) {
	if c.kind == cmdStop {
		return
	}
	switch c.target.kind {
	case busVoices:
		a.buses[c.target.bus].paused = c.kind == cmdPause
		a.refresh()
	case allVoices:
		a.paused = c.kind == cmdPause
	}
}

func (a *audio) pause(i int, by pauses) {
	s := a.at(i)
	if s.dying { // it would hold its slot for nothing
		a.stop(i, 0)
		return
	}
	if s.paused == 0 {
		a.leaveTail(s, a.now)
		a.count(s.bus, 0, -1)
		s.held = a.now
	}
	s.paused |= by
	a.showState(i)
}

func (a *audio) resume(i int, by pauses) {
	s := a.at(i)
	if s.paused == 0 || by == pausedBus && a.buses[s.bus].held {
		return
	}
	if s.paused &^= by; s.paused != 0 {
		return
	}
	if s.endAt != never {
		s.endAt += a.now - s.held
	}
	if s.sounded {
		s.voice.Return(a.now, a.smooth)
	} else {
		s.voice.Delay(a.now)
	}
	a.count(s.bus, 0, 1)
	a.showState(i)
	a.rescore(i)
}

// receiveWords reads what stands in the records because the ring was full. By
// now all that was sent before has arrived.
func (a *audio) receiveWords() {
	if a.stopsWait.Load() && a.stopsWait.Swap(false) { // a swap costs more
		for _, r := range a.allRecords {
			if !a.takeStop(r) {
				a.stopsWait.Store(true)
			}
		}
	}
	if a.wantsWait.Load() && a.wantsWait.Swap(false) {
		for _, r := range a.allRecords {
			if r.live != 0 {
				a.applyWants(r, r.live, wants(r.dirty.Load()))
			}
		}
	}
	if a.placesWait.Load() && a.placesWait.Swap(false) {
		a.movePlaces()
	}
}

// applyWants moves a voice to what its record wants. A start that has not come
// yet finds it in its record.
func (a *audio) applyWants(r *record, id pool.Handle, fields wants) {
	if r.live == id {
		a.moveTo(r, fields, foreseen{}, a.smoothed(a.at(int(r.slot.Load())), 0))
	} else {
		r.forget(id, fields)
	}
}

// moveTo moves a voice to what its record wants, in fields, or to what was
// foreseen instead.
func (a *audio) moveTo(r *record, fields wants, ahead foreseen, over int64) {
	i := int(r.slot.Load())
	s := a.at(i)
	done := fields
	if a.wantsWait.Load() { // what the ring had no place for comes yet
		done &^= ahead.fields
	}
	r.dirty.And(^uint32(done))
	var values [numWants]float64 // once: the control side may be writing
	for f := range values {
		values[f] = math.Float64frombits(r.want[f].Load())
	}
	want := func(f settable) (float64, bool) {
		if ahead.fields&(1<<f) != 0 {
			return ahead.values[f], true
		}
		return values[f], fields&(1<<f) != 0
	}
	a.noteWants(i, want)
	for f := range numChanges {
		if x, ok := want(f); ok {
			s.set(f, x, a.now, over, voice.InDecibels)
		}
	}
	if x, ok := want(setSeek); ok {
		a.seekTo(i, int64(x), nil)
	}
	a.scores.set(i, s.prio, s.number, s.protect)
	a.rescore(i)
	if x, ok := want(setPause); ok {
		if x != 0 {
			a.pause(i, pausedItself)
		} else {
			a.resume(i, pausedItself)
		}
	}
	if _, ok := want(setProtect); ok {
		a.shrink()
	}
}
