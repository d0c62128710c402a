package mixer

import (
	"math"

	"voicepool/pcm"
	"voicepool/voice"
)

// eventRecord is a part of an event in the ring buffer to the control side. Most events take one record.
// The event of a choice takes three.
type eventRecord struct {
	frame int64
	voice uint64
	sound *voice.Sound
	group *Group
	ref   int64
	stem  *stem
	slot  int32
	bus   uint16
	kind  EventKind
	flags uint8 // in the first record: which records follow
}

const (
	hasDecision = 1 << iota // two records with the levels of a choice
	hasDetails              // one record with Event.play and the filters of a victim
)

// explainsDecision reports whether events of this kind explain a choice.
func (k EventKind) explainsDecision() bool {
	switch k {
	case EventStolen, EventVirtual, EventRejected, EventLimited, EventCoalesced:
		return true
	}
	return false
}

// records returns the number of records, 1 to 4, that an event takes in the queue, and the flags of the first one.
func (e *Event) records() (n int, flags uint8) {
	n = 1
	if e.Kind.explainsDecision() {
		n, flags = 3, hasDecision
	}
	if e.play != 0 || e.Muffled != 0 || e.LowPass != 0 || e.HighPass != 0 {
		return n + 1, flags | hasDetails
	}
	return n, flags
}

// emit queues a copy of e for the control side. If the queue is full, the event is lost; once events are read, it
// counts in Stats.EventsLost.
func (a *audio) emit(e *Event) {
	n, flags := e.records()
	at := a.events.Back(n)
	if at == nil {
		if a.polled.Load() {
			a.stats.EventsLost++
		}
		return
	}
	// Assigned field by field, because building a record elsewhere and copying it is slower. Unassigned
	// fields are zero.
	at.frame, at.voice, at.sound, at.group, at.ref = e.Frame, e.Voice, e.Sound, e.Group, e.Ref
	at.slot, at.bus, at.kind, at.flags = int32(e.Slot), e.Bus.index, e.Kind, flags
	if e.stem != nil {
		at.stem = e.stem
	}
	if flags&hasDecision != 0 {
		p := &e.powers // all but lost fit into a float32
		at = a.events.Next(1)
		at.frame, at.voice, at.sound, at.group, at.ref = int64(math.Float64bits(p.lost)), e.By, e.BySound, e.ByGroup, e.ByRef
		at.slot, at.bus, at.kind, at.flags = e.RunnerUpPriority, uint16(e.Reason), EventKind(e.Policy), uint8(boolInt(e.Endless))
		at = a.events.Next(2)
		at.frame = int64(pack32(math.Float32bits(float32(p.audibility)), math.Float32bits(float32(p.newcomer))))
		at.voice = pack32(math.Float32bits(float32(p.runnerUp)), uint32(e.Candidates))
		at.ref, at.slot = int64(pack32(uint32(e.Peers), uint32(e.NewcomerPriority))), e.Priority
	}
	if flags&hasDetails != 0 {
		at = a.events.Next(n - 1)
		at.voice, at.ref = e.play, int64(math.Float32bits(float32(e.Muffled)))
		at.frame = int64(pack32(math.Float32bits(float32(e.LowPass)), math.Float32bits(float32(e.HighPass))))
	}
	a.events.Send(n)
}

// popEvent removes the oldest event of the audio side from the queue, decodes it into e and reports whether there was
// an event. The event mutex is held.
func (m *Mixer) popEvent(e *Event) bool {
	c, ok := m.events.Pop()
	if !ok {
		return false
	}
	*e = Event{Frame: c.frame, Voice: c.voice, Sound: c.sound, Group: c.group, Ref: c.ref, stem: c.stem, Slot: int(c.slot), Bus: Bus{index: c.bus}, Kind: c.kind}
	if c.flags&hasDecision != 0 {
		d, _ := m.events.Pop()
		e.By, e.BySound, e.ByGroup, e.ByRef = d.voice, d.sound, d.group, d.ref
		e.RunnerUpPriority, e.Reason, e.Policy, e.Endless = d.slot, Reason(d.bus), Overflow(d.kind), d.flags != 0
		p := &e.powers
		p.lost = math.Float64frombits(uint64(d.frame))
		d, _ = m.events.Pop()
		p.audibility, p.newcomer = float64(math.Float32frombits(high32(uint64(d.frame)))), float64(math.Float32frombits(uint32(d.frame)))
		p.runnerUp, e.Candidates = float64(math.Float32frombits(high32(d.voice))), int(uint32(d.voice))
		e.Peers, e.NewcomerPriority, e.Priority = int(high32(uint64(d.ref))), int32(uint32(d.ref)), d.slot
	}
	if c.flags&hasDetails != 0 {
		d, _ := m.events.Pop()
		e.play, e.Muffled = d.voice, pcm.Decibels(math.Float32frombits(uint32(d.ref)))
		e.LowPass, e.HighPass = float64(math.Float32frombits(high32(uint64(d.frame)))), float64(math.Float32frombits(uint32(d.frame)))
	}
	e.complete(m)
	return true
}

// pack32 packs x into the upper and y into the lower 32 bits.
func pack32(x, y uint32) uint64 { return uint64(x)<<32 | uint64(y) }

// high32 returns the upper 32 bits of x.
func high32(x uint64) uint32 { return uint32(x >> 32) }
