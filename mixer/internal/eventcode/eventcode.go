// Package eventcode packs the events of a mixer into records of a ring buffer. All records have the same small
// size. Most events take one record; an event that explains a choice among voices takes more. Encode writes
// straight into the ring buffer and does not allocate.
package eventcode

import (
	"math"

	"voicepool/internal/ring"
	"voicepool/sounds"
)

// Event is an event as the audio side emits it. Kind, Reason and Policy are the enumerations of the mixer;
// Group and Stem are its types that an event points to. The zero value is an event of kind 0 in slot 0.
type Event[Kind, Reason, Policy ~uint8, Group, Stem any] struct {
	Frame int64
	Voice uint64 // the number of the start
	Sound *sounds.Sound
	Group *Group
	Ref   int64
	Stem  *Stem
	Slot  int32
	Bus   uint16 // an index
	Kind  Kind

	Explained bool // Choice is part of the event; otherwise Encode ignores it
	Choice[Reason, Policy, Group]
	Details
}

// Choice explains a choice among voices.
type Choice[Reason, Policy ~uint8, Group any] struct {
	Reason  Reason
	Policy  Policy
	Endless bool // the victim is endless

	By      uint64 // the number of the start that caused the event
	BySound *sounds.Sound
	ByGroup *Group
	ByRef   int64

	Powers
	Candidates, Peers                            int32
	Priority, RunnerUpPriority, NewcomerPriority int32
}

// Powers are the levels that a choice compared, as powers. Encode rounds the first three to a float32.
type Powers struct {
	Audibility, Newcomer float64
	RunnerUp             float64 // negative: no runner-up
	Lost                 float64
}

// Details are the fields that are 0 for most events.
type Details struct {
	Play              uint64
	Muffled           float32 // a power factor; 0: no filters
	LowPass, HighPass float32 // in Hz; 0: off

	Importance, NewcomerImportance float32 // in dB, of the victim and of the incoming start
}

// MaxRecords is the maximum number of records of an event. Without Details it is one less.
const MaxRecords = 4

// Record is an element of the ring buffer. Each event begins with a head; its parts name the records that
// follow. The fields of a record hold:
//
//	record   words                                                 sound, group  number            small   codes
//	head     Frame, Voice, Ref                                     Sound, Group  Slot              Bus     Kind, parts
//	cause    Lost, By, ByRef                                       By...         RunnerUpPriority  Reason  Policy, Endless
//	levels   Audibility:Newcomer, RunnerUp:Candidates, Peers:NewcomerPriority    Priority
//	details  Play, Importance:Muffled, LowPass:HighPass                          NewcomerImportance
//
// A colon joins the two halves of a word. Only a head has a stem.
type Record[Group, Stem any] struct {
	words  [3]uint64
	sound  *sounds.Sound
	group  *Group
	stem   *Stem
	number int32
	small  uint16
	codes  [2]uint8
}

// The parts of an event after its head.
const (
	hasChoice  = 1 << iota // a cause and levels
	hasDetails             // details
)

// Encode appends the event e to the ring buffer r, as one to MaxRecords records. It reports whether there was room
// for all of them; otherwise r is unchanged. Three of the levels in Powers are rounded to a float32. e.Choice is left
// out unless e.Explained is set. Encode does not allocate. Audio side.
func Encode[Kind, Reason, Policy ~uint8, Group, Stem any](r *ring.Ring[Record[Group, Stem]], e *Event[Kind, Reason, Policy, Group, Stem]) bool {
	n, parts := 1, uint8(0)
	if e.Explained {
		n, parts = 3, hasChoice
	}
	if e.Details != (Details{}) {
		n, parts = n+1, parts|hasDetails
	}
	// Assigned field by field, because building a record elsewhere and copying it is slower. Unassigned
	// fields are zero.
	at := ring.Back(r, n)
	if at == nil {
		return false
	}
	at.words[0], at.words[1], at.words[2] = uint64(e.Frame), e.Voice, uint64(e.Ref)
	at.sound, at.group = e.Sound, e.Group
	at.number, at.small, at.codes[0], at.codes[1] = e.Slot, e.Bus, uint8(e.Kind), parts
	if e.Stem != nil {
		at.stem = e.Stem
	}
	if e.Explained {
		c := &e.Choice
		at = ring.Next(r, 1)
		at.words[0], at.words[1], at.words[2] = math.Float64bits(c.Lost), c.By, uint64(c.ByRef)
		at.sound, at.group = c.BySound, c.ByGroup
		at.number, at.small, at.codes[0] = c.RunnerUpPriority, uint16(c.Reason), uint8(c.Policy)
		if c.Endless {
			at.codes[1] = 1
		}
		at = ring.Next(r, 2)
		at.words[0] = join(float32Bits(c.Audibility), float32Bits(c.Newcomer))
		at.words[1] = join(float32Bits(c.RunnerUp), uint32(c.Candidates))
		at.words[2], at.number = join(uint32(c.Peers), uint32(c.NewcomerPriority)), c.Priority
	}
	if parts&hasDetails != 0 {
		at = ring.Next(r, n-1)
		at.words[0], at.words[1] = e.Play, join(math.Float32bits(e.Importance), math.Float32bits(e.Muffled))
		at.words[2], at.number = join(math.Float32bits(e.LowPass), math.Float32bits(e.HighPass)), int32(math.Float32bits(e.NewcomerImportance))
	}
	ring.Send(r, n)
	return true
}

// Decode removes the oldest event from the ring buffer r and stores it in e. It reports whether there was an event;
// otherwise e is unchanged. Fields of e that Encode left out become zero. Control side; the caller holds the mutex of
// the events.
func Decode[Kind, Reason, Policy ~uint8, Group, Stem any](r *ring.Ring[Record[Group, Stem]], e *Event[Kind, Reason, Policy, Group, Stem]) bool {
	head := ring.Front(r)
	if head == nil {
		return false
	}
	parts := head.codes[1]
	e.Frame, e.Voice, e.Ref = int64(head.words[0]), head.words[1], int64(head.words[2])
	e.Sound, e.Group, e.Stem = head.sound, head.group, head.stem
	e.Slot, e.Bus, e.Kind, e.Explained = head.number, head.small, Kind(head.codes[0]), parts&hasChoice != 0
	e.Choice, e.Details = Choice[Reason, Policy, Group]{}, Details{}
	ring.Drop(r)
	if c := &e.Choice; e.Explained {
		cause, _ := ring.Pop(r)
		c.Lost, c.By, c.ByRef, c.BySound, c.ByGroup = math.Float64frombits(cause.words[0]), cause.words[1], int64(cause.words[2]), cause.sound, cause.group
		c.RunnerUpPriority, c.Reason, c.Policy, c.Endless = cause.number, Reason(cause.small), Policy(cause.codes[0]), cause.codes[1] != 0
		levels, _ := ring.Pop(r)
		c.Audibility, c.Newcomer, c.RunnerUp = float64(highFloat32(levels.words[0])), float64(lowFloat32(levels.words[0])), float64(highFloat32(levels.words[1]))
		c.Candidates, c.Peers, c.NewcomerPriority, c.Priority = int32(levels.words[1]), int32(levels.words[2]>>32), int32(levels.words[2]), levels.number
	}
	if parts&hasDetails != 0 {
		d, _ := ring.Pop(r)
		e.Details = Details{
			Play: d.words[0], Muffled: lowFloat32(d.words[1]), LowPass: highFloat32(d.words[2]), HighPass: lowFloat32(d.words[2]),
			Importance: highFloat32(d.words[1]), NewcomerImportance: math.Float32frombits(uint32(d.number)),
		}
	}
	return true
}

// join returns the word with the given upper and lower halves.
func join(high, low uint32) uint64 { return uint64(high)<<32 | uint64(low) }

// float32Bits returns the bits of x rounded to a float32.
func float32Bits(x float64) uint32 { return math.Float32bits(float32(x)) }

// highFloat32 and lowFloat32 return the float32 whose bits are the upper or the lower half of word.
func highFloat32(word uint64) float32 { return math.Float32frombits(uint32(word >> 32)) }
func lowFloat32(word uint64) float32  { return math.Float32frombits(uint32(word)) }
