package mixer

import (
	"math"

	"voicepool/pcm"
	"voicepool/pool"
)

// do carries out one command at the present frame.
func (a *audio) do(c *command) {
	switch c.kind {
	case cmdPlay:
		a.start(c)
	case cmdWant:
		a.applyWants(a.m.record(c.record), c.record, c.fields)
	case cmdResize:
		a.resize(int(c.over))
	case cmdStop, cmdPause, cmdResume:
		a.hold(c)
		a.each(c)
	case cmdSet:
		if c.target.kind == busVoices {
			a.setBus(int(c.target.bus), c)
			return
		}
		a.each(c)
	}
}

// record returns the record of a handle that the control side sent. It is not
// looked up in the pool, which is the control side's.
func (m *Mixer) record(id pool.Handle) *record { return m.allRecords[id.Slot()] }

// each does c to every living voice that its target names, in the order of
// slots.
func (a *audio) each(c *command) {
	if c.target.kind == oneVoice {
		a.one(c)
		return
	}
	found := false
	for i := a.slots.Next(0); i >= 0; i = a.slots.Next(i + 1) {
		if a.names(&c.target, a.slots.At(i)) {
			found = true
			a.act(i, c)
		}
	}
	if !found && c.target.kind == taggedVoices {
		a.stats.Missed++
		a.emit(Event{Frame: a.now, Kind: Missed, Slot: -1, Ref: c.ref})
	}
}

func (a *audio) names(t *Target, s *slot) bool {
	switch t.kind {
	case taggedVoices:
		return s.tag == t.tag
	case soundVoices:
		return s.voice.Sound() == t.sound
	case busVoices:
		return s.bus == t.bus
	}
	return t.kind == allVoices
}

// one does c to the voice of a handle, if it lives. A stop also reaches a start
// that has not come yet.
func (a *audio) one(c *command) {
	id := c.target.voice.id
	r := a.m.record(id)
	switch {
	case r.live == id:
		a.act(r.slot, c)
	case pool.Handle(r.id.Load()) != id: // long over; the record is another's
	case c.kind == cmdStop:
		r.cancel = id
	default:
		r.foresee(c)
	}
}

// foresee notes a change of a start that has not come yet: it starts so.
func (r *record) foresee(c *command) {
	want := func(f wants, value float64, ok bool) {
		if ok {
			r.want[f].Store(math.Float64bits(value))
			r.dirty.Or(1 << f)
		}
	}
	set := func(f Fields) bool { return c.kind == cmdSet && c.change.Fields&f != 0 }
	want(wantGain, float64(c.change.Gain), set(Gain))
	want(wantPan, c.change.Pan, set(Pan))
	want(wantPitch, float64(c.change.Pitch), set(Pitch))
	want(wantSpeed, c.change.Speed, set(Speed))
	want(wantPause, 1, c.kind == cmdPause)
	want(wantPause, 0, c.kind == cmdResume)
}

// act does c to one voice.
func (a *audio) act(i int, c *command) {
	s := a.slots.At(i)
	switch c.kind {
	case cmdStop:
		a.stop(i, c.over)
	case cmdPause:
		a.pause(i, pausedBy(c.target.kind))
	case cmdResume:
		a.resume(i, pausedBy(c.target.kind))
	case cmdSet:
		over := a.smoothed(s, c.over)
		v := &s.voice
		if c.change.Fields&Gain != 0 {
			v.SetGain(a.now, c.change.Gain, over)
		}
		if c.change.Fields&Pan != 0 {
			v.SetPan(a.now, c.change.Pan, over)
		}
		if c.change.Fields&Pitch != 0 {
			v.SetPitch(a.now, c.change.Pitch, over)
		}
		if c.change.Fields&Speed != 0 {
			v.SetSpeed(a.now, c.change.Speed, over)
		}
		a.rescore(i)
	}
}

// smoothed returns how long a move takes that was asked for over a time: what
// has not been heard yet need not be smoothed.
func (a *audio) smoothed(s *slot, over int64) int64 {
	if !s.sounded {
		return over
	}
	return max(over, a.m.smooth)
}

func (a *audio) stop(i int, over int64) {
	s := a.slots.At(i)
	if over > 0 && s.paused == 0 {
		s.dying = true
		s.voice.FadeOut(a.now, over)
		a.rescore(i)
		return
	}
	a.leaveTail(s, a.now)
	a.finish(i, a.now, Event{Kind: Stopped})
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
	case allVoices:
		a.paused = c.kind == cmdPause
	}
}

func (a *audio) pause(i int, by pauses) {
	s := a.slots.At(i)
	if s.dying { // it would hold its slot for nothing
		a.stop(i, 0)
		return
	}
	if s.paused == 0 {
		a.leaveTail(s, a.now)
		a.buses[s.bus].leave()
		s.held = a.now
		s.record.state.Store(uint32(Paused))
	}
	s.paused |= by
}

func (a *audio) resume(i int, by pauses) {
	s := a.slots.At(i)
	if s.paused == 0 {
		return
	}
	if s.paused &^= by; s.paused != 0 {
		return
	}
	if s.endAt != never {
		s.endAt += a.now - s.held
	}
	if s.sounded {
		s.voice.Return(a.now, a.m.smooth)
	} else {
		s.voice.Delay(a.now)
	}
	a.buses[s.bus].enter()
	s.record.state.Store(uint32(Playing))
	a.rescore(i)
}

// receiveWords reads what stands in the records because the ring was full. By
// now all that was sent before has arrived.
func (a *audio) receiveWords() {
	m := a.m
	if m.stopsWait.Swap(false) {
		for _, r := range m.allRecords {
			id := pool.Handle(r.stop.Swap(0))
			switch {
			case id == 0:
			case r.live == id:
				a.stop(r.slot, r.stopOver.Load())
			case pool.Handle(r.id.Load()) == id:
				r.cancel = id
			}
		}
	}
	if m.wantsWait.Swap(false) {
		for _, r := range m.allRecords {
			if r.live != 0 {
				a.applyWants(r, r.live, wants(r.dirty.Load()))
			}
		}
	}
	if seq := m.stopAll.Load(); seq != 0 && m.commands.Popped() >= seq-1 && m.stopAll.CompareAndSwap(seq, 0) {
		over := m.stopOver.Load()
		for i := a.slots.Next(0); i >= 0; i = a.slots.Next(i + 1) {
			if a.slots.At(i).seq < seq {
				a.stop(i, over)
			}
		}
	}
}

// applyWants moves a voice to what its record wants. A start that has not come
// yet finds it in its record.
func (a *audio) applyWants(r *record, id pool.Handle, fields wants) {
	if r.live == id {
		a.moveTo(r, fields, a.smoothed(a.slots.At(r.slot), 0))
	}
}

func (a *audio) moveTo(r *record, fields wants, over int64) {
	i := r.slot
	v := &a.slots.At(i).voice
	r.dirty.And(^uint32(fields))
	want := func(f wants) (float64, bool) {
		return math.Float64frombits(r.want[f].Load()), fields&(1<<f) != 0
	}
	if x, ok := want(wantGain); ok {
		v.SetGain(a.now, pcm.Decibels(x), over)
	}
	if x, ok := want(wantPan); ok {
		v.SetPan(a.now, x, over)
	}
	if x, ok := want(wantPitch); ok {
		v.SetPitch(a.now, pcm.Semitones(x), over)
	}
	if x, ok := want(wantSpeed); ok {
		v.SetSpeed(a.now, x, over)
	}
	a.rescore(i)
	if x, ok := want(wantPause); ok {
		if x != 0 {
			a.pause(i, pausedItself)
		} else {
			a.resume(i, pausedItself)
		}
	}
}
