package room

import (
	"iter"
	"slices"

	"voicepool/cue/report"
	"voicepool/mixer"
)

// eventStore stores a room's last events in chunks. The oldest chunk is dropped as a whole. Except for the rare events
// in others, a chunk contains no pointers, so that the garbage collector need not scan it. A stored event never
// changes; eventRange relies on that.
type eventStore struct {
	chunks  []eventChunk
	dropped int64 // number of dropped events
	last    int64 // number of the last event; 0: no event

	names valueTable[string]
	calls valueTable[report.CueLabel]
}

// chunkLength is the number of events per chunk.
const chunkLength = 1024

// eventChunk is a block of consecutive events.
type eventChunk struct {
	events []storedEvent
	losses []lossFields
	others []report.Event
}

// storedEvent is the short form of an event. It is complete for the beginning and end of a voice.
type storedEvent struct {
	frame       int64
	voice       uint64
	sound, call uint32 // indexes in names and calls
	cue, slot   int32
	extra       int32 // the other fields: 1 + index in losses, or -1 - index in others; 0: only these fields
	kind        mixer.EventKind
	reason      mixer.Reason
}

// lossFields holds the further fields of events about stolen voices and rejected starts.
type lossFields struct {
	by                                           uint64
	audibility, newcomer, runnerUp, lost         report.Level
	bySound, bus, cooldown                       uint32 // indexes in names
	candidates, peers, limit                     int32
	priority, newcomerPriority, runnerUpPriority int32
	muffled, lowPass, highPass                   float32
	importance, newcomerImportance               float32
	policy                                       mixer.Overflow
	endless, hasRunnerUp, perOwner               bool
}

// valueTable assigns indexes to recurring values.
type valueTable[T comparable] struct {
	indexes map[T]uint32
	values  []T
}

// index returns the index of x in b.values. If b.values lacks x, index appends it.
func (b *valueTable[T]) index(x T) uint32 {
	i, ok := b.indexes[x]
	if !ok {
		if b.indexes == nil {
			b.indexes = map[T]uint32{}
		}
		i = uint32(len(b.values))
		b.indexes[x] = i
		b.values = append(b.values, x)
	}
	return i
}

// add stores a copy of the event e, without its Ref. The number of the event is t.last+1, which becomes t.last. A full
// chunk of 1024 events is followed by a new one. add then drops the oldest chunk if at least MinStoredEvents other
// events remain. The caller holds the mutex of the log.
func (t *eventStore) add(e *report.Event) {
	n := len(t.chunks)
	if n == 0 || len(t.chunks[n-1].events) == chunkLength {
		if n > 0 {
			t.chunks[n-1].losses = slices.Clone(t.chunks[n-1].losses) // drop the spare capacity
		}
		if t.last-t.dropped >= MinStoredEvents+chunkLength {
			t.dropped += chunkLength
			t.chunks[0] = eventChunk{}
			t.chunks = t.chunks[1:]
		}
		t.chunks = append(t.chunks, eventChunk{})
		if n = len(t.chunks); n > 1 {
			t.chunks[n-1].events = make([]storedEvent, 0, chunkLength)
		}
	}
	t.pack(&t.chunks[n-1], e)
	t.last++
}

// pack appends the event e to the chunk p, without its Ref. It uses the shortest form that loses no field: a
// storedEvent alone, a storedEvent with lossFields in p.losses, or a storedEvent with a copy of e in p.others. New
// names are added to t.names and t.calls.
func (t *eventStore) pack(p *eventChunk, e *report.Event) {
	k := storedEvent{frame: e.Frame, voice: e.Voice, sound: t.names.index(e.Sound), call: t.calls.index(e.CueLabel), cue: int32(e.Cue), slot: int32(e.Slot), kind: e.Kind, reason: e.Reason}
	plain := *e
	plain.Ref = 0
	if t.short(&k) != plain {
		w := lossFields{
			by: e.By, audibility: e.Audibility, newcomer: e.Newcomer, runnerUp: e.RunnerUp, lost: e.Lost,
			bySound: t.names.index(e.BySound), bus: t.names.index(e.Bus), cooldown: t.names.index(e.Cooldown),
			candidates: int32(e.Candidates), peers: int32(e.Peers), limit: int32(e.Limit),
			priority: int32(e.Priority), newcomerPriority: int32(e.NewcomerPriority), runnerUpPriority: int32(e.RunnerUpPriority),
			importance: float32(e.Importance), newcomerImportance: float32(e.NewcomerImportance),
			muffled: float32(e.Muffled), lowPass: float32(e.LowPass), highPass: float32(e.HighPass),
			policy: e.Policy, endless: e.Endless, hasRunnerUp: e.HasRunnerUp, perOwner: e.PerOwner,
		}
		if t.long(&k, &w) == plain {
			p.losses = append(p.losses, w)
			k.extra = int32(len(p.losses))
		} else { // a device event, with a varying text
			p.others = append(p.others, plain)
			k.extra = -int32(len(p.others))
		}
	}
	p.events = append(p.events, k)
}

// short returns the event that the short form k alone describes. Ref and all fields that k does not contain are zero.
func (t *eventStore) short(k *storedEvent) report.Event {
	e := report.EventOf(&mixer.Event{Frame: k.frame, Kind: k.kind, Voice: k.voice, Slot: int(k.slot), Reason: k.reason})
	e.Sound, e.CueLabel, e.Cue = t.names.values[k.sound], t.calls.values[k.call], int(k.cue)
	return e
}

// long returns the event that the short form k and the further fields w describe together. Ref is 0.
func (t *eventStore) long(k *storedEvent, w *lossFields) report.Event {
	e := t.short(k)
	e.By, e.Audibility, e.Newcomer, e.RunnerUp, e.Lost = w.by, w.audibility, w.newcomer, w.runnerUp, w.lost
	e.BySound, e.Bus, e.Cooldown = t.names.values[w.bySound], t.names.values[w.bus], t.names.values[w.cooldown]
	e.Candidates, e.Peers, e.Limit = int(w.candidates), int(w.peers), int(w.limit)
	e.Priority, e.NewcomerPriority, e.RunnerUpPriority = int(w.priority), int(w.newcomerPriority), int(w.runnerUpPriority)
	e.Importance, e.NewcomerImportance = report.Level(w.importance), report.Level(w.newcomerImportance)
	e.Muffled, e.LowPass, e.HighPass = report.Level(w.muffled), float64(w.lowPass), float64(w.highPass)
	e.Policy, e.Endless, e.HasRunnerUp, e.PerOwner = w.policy, w.endless, w.hasRunnerUp, w.perOwner
	return e
}

// first returns the number of the oldest stored event. If the store is empty, it is the number of the next event.
func (t *eventStore) first() int64 { return t.dropped + 1 }

// at returns the stored event with the number number, which counts the events of the room from 1. Its Ref is 0. at
// panics if the event is not stored.
func (t *eventStore) at(number int64) report.Event {
	i := number - t.dropped - 1
	p := &t.chunks[i/chunkLength]
	switch k := &p.events[i%chunkLength]; {
	case k.extra > 0:
		return t.long(k, &p.losses[k.extra-1])
	case k.extra < 0:
		return p.others[-k.extra-1]
	default:
		return t.short(k)
	}
}

// clear drops all events and names. Later events continue the numbering.
func (t *eventStore) clear() { *t = eventStore{dropped: t.last, last: t.last} }

// eventRange is a range of events. It may be read by any goroutine while the store changes.
type eventRange struct {
	stored      eventStore
	first, last int64
}

// eventRange returns the stored events with numbers from..to, both inclusive. Events that are not stored are left out,
// so the result may be empty. The result shares the stored data, which never changes, so it stays valid while events
// are added. The caller holds the mutex of the log.
func (t *eventStore) eventRange(from, to int64) eventRange {
	s := eventRange{first: max(from, t.first()), last: min(to, t.last)}
	if s.first <= s.last {
		skipped := (s.first - t.first()) / chunkLength
		s.stored.dropped = t.dropped + skipped*chunkLength
		s.stored.chunks = slices.Clone(t.chunks[skipped : (s.last-t.first())/chunkLength+1])
		s.stored.names.values, s.stored.calls.values = t.names.values, t.calls.values
	}
	return s
}

// all iterates over the events of the range with their numbers, in ascending order.
func (s *eventRange) all() iter.Seq2[int64, report.Event] {
	return func(yield func(int64, report.Event) bool) {
		for n := s.first; n <= s.last && yield(n, s.stored.at(n)); n++ {
		}
	}
}

// describe returns the events of the range in order, with their numbers and a sentence about each. rate is the sample
// rate in Hz, for times in the sentences. For an empty range the result is an empty slice, not nil.
func (s *eventRange) describe(rate int) []NumberedEvent {
	events := make([]NumberedEvent, 0, max(s.last-s.first+1, 0))
	head := &report.Report{Version: 1, Rate: rate}
	for n, e := range s.all() {
		events = append(events, NumberedEvent{n, describeEvent(&e, head), e})
	}
	return events
}
