package room

import (
	"voicepool/cue/report"
	"voicepool/mixer"
)

// tape is the last events, in pieces: what is old is dropped by the piece.
type tape struct {
	pieces [][]kept
	before int64 // events that were dropped
	last   int64 // the number of the last event; 0: there was none

	names book[string]
	calls book[report.Called]
}

// piece is how many events a piece has.
const piece = 1024

// kept is an event: of a beginning or an end all that it says.
type kept struct {
	frame       int64
	voice       uint64
	sound, call uint32 // in the books
	cue, slot   int32
	kind        mixer.EventKind
	reason      mixer.Reason
	whole       *report.Event // of all others, and of what does not fit; nil: the rest says all
}

// book gives short numbers to what comes again and again.
type book[T comparable] struct {
	places map[T]uint32
	all    []T
}

// place returns the number of something.
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

// add adds an event, and drops the oldest where there are enough.
func (t *tape) add(e *report.Event) {
	n := len(t.pieces)
	if n == 0 || len(t.pieces[n-1]) == piece {
		if t.last-t.before >= Kept+piece {
			t.before += int64(len(t.pieces[0]))
			t.pieces[0] = nil
			t.pieces = t.pieces[1:]
		}
		t.pieces = append(t.pieces, nil)
		n = len(t.pieces)
	}
	t.pieces[n-1] = append(t.pieces[n-1], t.pack(e))
	t.last++
}

// pack makes an event short.
func (t *tape) pack(e *report.Event) kept {
	k := kept{frame: e.Frame, voice: e.Voice, sound: t.names.place(e.Sound), call: t.calls.place(e.Called), cue: int32(e.Cue), slot: int32(e.Slot), kind: e.Kind, reason: e.Reason}
	short := k.short(t)
	if short.Ref = e.Ref; short != *e {
		whole := *e
		whole.Ref = 0
		k.whole = &whole
	}
	return k
}

// short returns what the short form says.
func (k *kept) short(t *tape) report.Event {
	e := report.EventOf(&mixer.Event{Frame: k.frame, Kind: k.kind, Voice: k.voice, Slot: int(k.slot), Reason: k.reason})
	e.Sound, e.Called, e.Cue = t.names.all[k.sound], t.calls.all[k.call], int(k.cue)
	return e
}

// first returns the number of the first event that is kept; where there is none that of the next.
func (t *tape) first() int64 { return t.before + 1 }

// at returns the event of a number, which is kept.
func (t *tape) at(number int64) report.Event {
	i := number - t.before - 1
	k := &t.pieces[i/piece][i%piece]
	if k.whole != nil {
		return *k.whole
	}
	return k.short(t)
}

// clear drops all. Numbers go on.
func (t *tape) clear() { *t = tape{before: t.last, last: t.last} }
