package mixer

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"voicepool/internal/words"
	"voicepool/pcm"
	"voicepool/voice"
)

// EventKind is what happened.
type EventKind uint8

const (
	EventStarted   EventKind = iota + 1 // a voice sounds, or waits on a paused bus
	EventEnded                          // it came to its end, or to that of its For
	EventStopped                        // a Stop is done
	EventStolen                         // it gave way
	EventRejected                       // there was no voice for it
	EventLimited                        // a cooldown or a limit refused it
	EventMissed                         // a command for a tag found no voice
	EventCoalesced                      // it became a part of the voice By
	EventUnderrun                       // the stream of a voice has run dry
	EventVirtual                        // it gave up its slot and goes on unheard
	EventReal                           // it is heard again
	EventFault                          // a voice, or the insert of a bus, produced NaN or Inf or panicked, and was ended; or an effect or filter of a bus, which began anew
	EventBroken                         // the stream of a voice broke: it could not be decoded any further, and ends
	EventDevice                         // of reports: the device lost the sound, or has it back; a mixer knows no device
)

var kindNames = [...]string{"kind(0)", "started", "ended", "stopped", "stolen", "rejected", "limited", "missed", "coalesced", "underrun", "virtual", "real", "fault", "broken", "device"}

func (k EventKind) String() string { return words.Name("kind", k, kindNames[:]) }

// Reason is why a voice was stolen, or a start refused.
type Reason uint8

const (
	ReasonNone        Reason = iota
	ReasonPoolFull           // stolen, or rejected: the pool has no free voice
	ReasonGroupLimit         // stolen or limited: the limit of its group
	ReasonBusLimit           // stolen or limited: the limit of its bus
	ReasonCooldown           // limited: too soon after the last start
	ReasonResize             // stolen: the pool became smaller
	ReasonQuieter            // rejected: the newcomer would be missed least (Config.RejectQuietest)
	ReasonProtected          // rejected: every voice is protected
	ReasonOutranked          // rejected: every voice is of higher priority, or protected
	ReasonVirtualFull        // stolen: all virtual voices are taken, and it would be missed least of them
	ReasonExchanged          // virtual: another virtual voice is much louder now
)

var reasonNames = [...]string{"", "pool", "limit", "bus", "cooldown", "resize", "quieter", "protected", "priority", "virtual", "exchange"}

func (r Reason) String() string { return words.Name("reason", r, reasonNames[:]) }

// Event is something that happened on the audio side, at its exact frame.
// Events come in the order of their frames, a victim before its newcomer.
type Event struct {
	Frame  int64
	Kind   EventKind
	Reason Reason
	Slot   int          // the voice's slot; -1: none
	Voice  uint64       // the number of the start, from 1; 0: it never started
	Sound  *voice.Sound // nil for Missed, and for the Fault of a bus
	Group  *Group
	Ref    int64 // of the Options, or of the command that missed

	Endless bool // of what gave way: it never comes to an end by itself

	Bus Bus // of the Fault of an insert, an effect or a filter; of a BusLimit the bus whose limit it is

	// Of Stolen: who took its place (0: Resize). By is the newcomer's number; of
	// Coalesced it is that of the voice that the start became a part of.
	By      uint64
	BySound *voice.Sound
	ByGroup *Group
	ByRef   int64

	// Of Stolen, of what became virtual, and of Rejected where there was a choice: what
	// decided, as levels of the K-weighted power; silence is -Inf. Of others they are 0.
	Audibility pcm.Decibels // of the victim; of Rejected the newcomer's own
	Newcomer   pcm.Decibels // of the newcomer
	RunnerUp   pcm.Decibels // of the second least; +Inf: there was none
	Candidates int          // how many voices could have been taken
	Peers      int          // how many of them had the victim's priority, itself included: of those the policy chose
	Priority   int32        // of the victim
	Policy     Overflow

	// The priority of RunnerUp: Priority, but where the victim alone had the lowest. Of
	// ReasonOutranked the lowest that plays unprotected.
	RunnerUpPriority int32
	NewcomerPriority int32 // of By; of a start that was refused its own

	// Of Stolen, and of a voice that became virtual: a certificate of what can have
	// been lost. It is the largest K-weighted level, left and right together, that
	// the voice would have had in any 60 ms on the hops of its sound from here on,
	// at the speed of its sound and as long as no gain of it is raised; windows
	// between hops may have up to 3 dB more. +Inf where nobody knows: of a stream, of a voice that sends,
	// and of one on a bus with an equaliser or a send.
	Lost pcm.Decibels

	// Of Stolen, and of a voice that became virtual: by how much what it goes through makes the voice
	// less audible than its gains say: its filters, and the effects and sends of its buses; below 0 they
	// make it more. LowPass and HighPass are its own cutoffs in Hz; 0: off.
	Muffled           pcm.Decibels
	LowPass, HighPass float64

	powers powers // of the audio side, until Events makes decibels of them
	stem   *stem  // nil: none are kept
	play   uint64
}

// powers are the levels of an event as the audio side compares them.
type powers struct {
	audibility, newcomer float64
	runnerUp             float64 // negative: there was none
	lost                 float64
}

// finish makes of an event of the audio side one for those who poll.
func (e *Event) finish(m *Mixer) {
	if e.Bus.index > 0 || e.Kind == EventFault && e.Sound == nil { // the audio side knows no Mixer
		e.Bus.mixer = m
	}
	switch e.Kind {
	case EventStolen, EventVirtual, EventRejected, EventLimited:
	default:
		return // nothing was decided
	}
	p := &e.powers
	e.Audibility, e.Newcomer, e.Lost = pcm.FromPower(p.audibility), pcm.FromPower(p.newcomer), pcm.FromPower(p.lost)
	e.RunnerUp = pcm.Decibels(math.Inf(1))
	if p.runnerUp >= 0 {
		e.RunnerUp = pcm.FromPower(p.runnerUp)
	}
	if e.Muffled > 0 { // of the audio side: what is left, as a factor
		e.Muffled = pcm.Decibels(-float32(pcm.FromPower(float64(e.Muffled))))
	}
	e.powers = powers{}
}

// eventBlock is the length of the block, in seconds, of which Config.Events of 0 loses no
// event.
const eventBlock = 20

// blockEvents returns how many events a block of eventBlock makes at most.
//
// A voice that lives in it ends once, perhaps by a fault, or since its stream broke; a command is a start, or
// misses; an insert fails once; each real voice may run dry. With virtual voices a
// voice comes back into a slot that was free, or that an end or one Resize made free, and
// by exchanges on the grid. It becomes virtual once more often than it comes back.
func (c *Config) blockEvents() int {
	lived := c.MaxVoices + c.unheard() + c.Commands
	n := 2*lived + c.Commands + len(c.Buses) + c.MaxVoices
	n += 4 * c.endless
	if c.Virtual > 0 {
		grid := 2*eventBlock*c.Rate/int(hopOf(c.Rate)) + 1
		back := 2*c.MaxVoices + lived + exchanges*grid
		n += 2*back + c.MaxVoices + c.Commands
	}
	return min(n, maxEvents)
}

// pollEvents notes that events are read, so that lost ones count.
func (m *Mixer) pollEvents() {
	if !m.polled.Load() {
		m.polled.Store(true)
	}
}

// Events moves what has happened since the last call into dst, oldest first, and
// returns how many. Control side; callers share what there is. A part of the program that
// is to have all events, whoever else reads them, takes an EventReader.
func (m *Mixer) Events(dst []Event) int {
	m.refineNeeds()
	m.pollEvents()
	m.eventMutex.Lock()
	defer m.eventMutex.Unlock()
	if m.readers != nil {
		m.share()
		return m.readers[0].take(dst)
	}
	n := 0
	for n < len(dst) && m.takeEvent(&dst[n]) {
		n++
	}
	return n
}

// String returns the event in one line, for logs and the messages of tests:
//
//	frame 480: "coin" #7 stolen in slot 3 by "bell" #9 (pool): -34.5 dB against -12.3 dB, 8 candidates
func (e Event) String() string {
	var b strings.Builder
	say := func(applies bool, format string, values ...any) {
		if applies {
			fmt.Fprintf(&b, format, values...)
		}
	}
	name := func(s *voice.Sound) string {
		if s == nil {
			return ""
		}
		return strconv.Quote(s.Name()) + " "
	}
	say(true, "frame %d: %s", e.Frame, name(e.Sound))
	say(e.Voice != 0, "#%d ", e.Voice)
	say(true, "%v", e.Kind)
	say(e.Slot >= 0 && e.Voice != 0, " in slot %d", e.Slot)
	say(e.By != 0, " by %s#%d", name(e.BySound), e.By)
	say(e.Reason != ReasonNone, " (%v)", e.Reason)
	say(e.Candidates > 0, ": %.1f dB against %.1f dB, %d candidates", e.Audibility, e.Newcomer, e.Candidates)
	return b.String()
}
