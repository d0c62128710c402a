package room

import (
	"iter"
	"slices"

	"voicepool/cue/report"
	"voicepool/mixer"
)

// tape stores a room's last events in pieces. The oldest piece is dropped as a whole. Except for the odd
// events, a piece contains no pointers, so that the garbage collector need not scan it. A stored event never
// changes; stretch relies on that.
type tape struct {
	pieces []piece
	before int64 // number of dropped events
	last   int64 // number of the last event; 0: no event

	names book[string]
	calls book[report.Called]
}

// pieceLength is the number of events per piece.
const pieceLength = 1024

// piece is a block of consecutive events.
type piece struct {
	all  []kept
	wide []wide
	odd  []report.Event
}

// kept is the short form of an event. It is complete for the beginning and end of a voice.
type kept struct {
	frame       int64
	voice       uint64
	sound, call uint32 // indexes in the books
	cue, slot   int32
	more        int32 // the other fields: 1 + index in wide, or -1 - index in odd; 0: no others
	kind        mixer.EventKind
	reason      mixer.Reason
}

// wide holds the other fields of losses and rejections.
type wide struct {
	by                                           uint64
	audibility, newcomer, runnerUp, lost         report.Level
	bySound, bus, cooldown                       uint32 // indexes in names
	candidates, peers, limit                     int32
	priority, newcomerPriority, runnerUpPriority int32
	muffled, lowPass, highPass                   float32
	policy                                       mixer.Overflow
	endless, hasRunnerUp, perOwner               bool
}

// book assigns indexes to recurring values.
type book[T comparable] struct {
	places map[T]uint32
	all    []T
}

// place returns the index of a value and adds it if necessary.
func (b *book[T]) place(x T) uint32 {
	i, ok := b.places[x]
	if !ok {
		if b.places == nil {
			b.places = map[T]uint32{}
		}
		i = uint32(len(b.all))
		b.places[x] = i
		b.all = append(b.all, x)
	}
	return i
}

// add adds an event and drops the oldest piece if the tape is full.
func (t *tape) add(e *report.Event) {
	n := len(t.pieces)
	if n == 0 || len(t.pieces[n-1].all) == pieceLength {
		if n > 0 {
			t.pieces[n-1].wide = slices.Clone(t.pieces[n-1].wide) // drop the spare capacity
		}
		if t.last-t.before >= Kept+pieceLength {
			t.before += pieceLength
			t.pieces[0] = piece{}
			t.pieces = t.pieces[1:]
		}
		t.pieces = append(t.pieces, piece{})
		if n = len(t.pieces); n > 1 {
			t.pieces[n-1].all = make([]kept, 0, pieceLength)
		}
	}
	t.pack(&t.pieces[n-1], e)
	t.last++
}

// pack adds an event to a piece in the shortest form that represents it.
func (t *tape) pack(p *piece, e *report.Event) {
	k := kept{frame: e.Frame, voice: e.Voice, sound: t.names.place(e.Sound), call: t.calls.place(e.Called), cue: int32(e.Cue), slot: int32(e.Slot), kind: e.Kind, reason: e.Reason}
	plain := *e
	plain.Ref = 0
	if t.short(&k) != plain {
		w := wide{
			by: e.By, audibility: e.Audibility, newcomer: e.Newcomer, runnerUp: e.RunnerUp, lost: e.Lost,
			bySound: t.names.place(e.BySound), bus: t.names.place(e.Bus), cooldown: t.names.place(e.Cooldown),
			candidates: int32(e.Candidates), peers: int32(e.Peers), limit: int32(e.Limit),
			priority: int32(e.Priority), newcomerPriority: int32(e.NewcomerPriority), runnerUpPriority: int32(e.RunnerUpPriority),
			muffled: float32(e.Muffled), lowPass: float32(e.LowPass), highPass: float32(e.HighPass),
			policy: e.Policy, endless: e.Endless, hasRunnerUp: e.HasRunnerUp, perOwner: e.PerOwner,
		}
		if t.long(&k, &w) == plain {
			p.wide = append(p.wide, w)
			k.more = int32(len(p.wide))
		} else { // a device event, with a varying text
			p.odd = append(p.odd, plain)
			k.more = -int32(len(p.odd))
		}
	}
	p.all = append(p.all, k)
}

// short expands the short form.
func (t *tape) short(k *kept) report.Event {
	e := report.EventOf(&mixer.Event{Frame: k.frame, Kind: k.kind, Voice: k.voice, Slot: int(k.slot), Reason: k.reason})
	e.Sound, e.Called, e.Cue = t.names.all[k.sound], t.calls.all[k.call], int(k.cue)
	return e
}

// long expands the short form with the other fields.
func (t *tape) long(k *kept, w *wide) report.Event {
	e := t.short(k)
	e.By, e.Audibility, e.Newcomer, e.RunnerUp, e.Lost = w.by, w.audibility, w.newcomer, w.runnerUp, w.lost
	e.BySound, e.Bus, e.Cooldown = t.names.all[w.bySound], t.names.all[w.bus], t.names.all[w.cooldown]
	e.Candidates, e.Peers, e.Limit = int(w.candidates), int(w.peers), int(w.limit)
	e.Priority, e.NewcomerPriority, e.RunnerUpPriority = int(w.priority), int(w.newcomerPriority), int(w.runnerUpPriority)
	e.Muffled, e.LowPass, e.HighPass = report.Level(w.muffled), float64(w.lowPass), float64(w.highPass)
	e.Policy, e.Endless, e.HasRunnerUp, e.PerOwner = w.policy, w.endless, w.hasRunnerUp, w.perOwner
	return e
}

// first returns the number of the first stored event, or of the next event if the tape is empty.
func (t *tape) first() int64 { return t.before + 1 }

// at returns the stored event with a number.
func (t *tape) at(number int64) report.Event {
	i := number - t.before - 1
	p := &t.pieces[i/pieceLength]
	switch k := &p.all[i%pieceLength]; {
	case k.more > 0:
		return t.long(k, &p.wide[k.more-1])
	case k.more < 0:
		return p.odd[-k.more-1]
	default:
		return t.short(k)
	}
}

// clear drops all events. Numbers continue.
func (t *tape) clear() { *t = tape{before: t.last, last: t.last} }

// stretch is a range of events. It may be read by any goroutine while the tape changes.
type stretch struct {
	tape        tape
	first, last int64
}

// stretch returns the stored events in a range of numbers. It copies no events, so that readers hardly delay
// add.
func (t *tape) stretch(from, to int64) stretch {
	s := stretch{first: max(from, t.first()), last: min(to, t.last)}
	if s.first <= s.last {
		skipped := (s.first - t.first()) / pieceLength
		s.tape.before = t.before + skipped*pieceLength
		s.tape.pieces = slices.Clone(t.pieces[skipped : (s.last-t.first())/pieceLength+1])
		s.tape.names.all, s.tape.calls.all = t.names.all, t.calls.all
	}
	return s
}

// all iterates over the events with their numbers.
func (s *stretch) all() iter.Seq2[int64, report.Event] {
	return func(yield func(int64, report.Event) bool) {
		for n := s.first; n <= s.last && yield(n, s.tape.at(n)); n++ {
		}
	}
}

// say returns the events with their sentences.
func (s *stretch) say(rate int) []Numbered {
	events := make([]Numbered, 0, max(s.last-s.first+1, 0))
	head := &report.Report{Version: 1, Rate: rate}
	for n, e := range s.all() {
		events = append(events, Numbered{n, sentence(&e, head), e})
	}
	return events
}
