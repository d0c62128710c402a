package mixer

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"voicepool/internal/words"
	"voicepool/mixer/internal/busmix"
	"voicepool/mixer/internal/eventcode"
	"voicepool/pcm"
	"voicepool/sounds"
)

// EventKind is the kind of an Event.
type EventKind uint8

const (
	EventStarted   EventKind = iota + 1 // a voice began, or waits on a paused bus
	EventEnded                          // it reached its end or the end of Options.For
	EventStopped                        // a stop completed
	EventStolen                         // it was stolen
	EventRejected                       // the start got no voice
	EventLimited                        // a cooldown or a limit refused the start
	EventMissed                         // a command for a tag found no voice
	EventCoalesced                      // the start was merged into the voice By
	EventUnderrun                       // the stream of a voice ran dry
	EventVirtual                        // it lost its slot and is now virtual
	EventReal                           // it was restored and is heard again
	EventFault                          // a voice or an insert panicked or produced NaN or Inf, and was removed; or an effect or filter of a bus did, and was reset
	EventBroken                         // the stream of a voice could not be decoded any further, and the voice ends
	EventDevice                         // for reports: the device lost the sound or has it back; a mixer does not emit it
)

var kindNames = [...]string{"kind(0)", "started", "ended", "stopped", "stolen", "rejected", "limited", "missed", "coalesced", "underrun", "virtual", "real", "fault", "broken", "device"}

// String returns the name of the kind, such as "started"; for an unknown kind a text such as "kind(99)".
func (k EventKind) String() string { return words.Name("kind", k, kindNames[:]) }

// Reason is the reason why a voice was stolen or a start refused.
type Reason uint8

const (
	ReasonNone        Reason = iota
	ReasonPoolFull           // stolen or rejected: the pool has no free voice
	ReasonGroupLimit         // stolen or limited: the limit of its group
	ReasonBusLimit           // stolen or limited: the limit of its bus
	ReasonCooldown           // limited: too soon after the last start
	ReasonResize             // stolen: the pool became smaller
	ReasonQuieter            // rejected: 6 dB less audible than its victim (Config.RejectQuietest)
	ReasonProtected          // rejected: every voice is protected
	ReasonOutranked          // rejected: every voice has a higher priority or is protected
	ReasonVirtualFull        // stolen: all virtual voices are in use, and it is the least audible of them
	ReasonExchanged          // virtual: it lost its slot to a virtual voice that is much louder now
	ReasonUnloaded           // rejected: the sound is not loaded, see sounds.NewUnloaded
)

var reasonNames = [...]string{"", "pool", "limit", "bus", "cooldown", "resize", "quieter", "protected", "priority", "virtual", "exchange", "unloaded"}

// String returns a short name of the reason, such as "pool"; "" for ReasonNone, and a text such as "reason(99)" for
// an unknown reason.
func (r Reason) String() string { return words.Name("reason", r, reasonNames[:]) }

// Ref is a number of the caller's choice that events repeat, see Options.Ref and Moment.WithRef. The default is 0. The
// compiler does not accept a Ref as a frame.
type Ref int64

// Event is an occurrence on the audio side at an exact frame. Events are ordered by frame; a victim comes
// before the incoming start.
type Event struct {
	Frame  int64
	Kind   EventKind
	Reason Reason
	Slot   int           // the voice's slot, or -1
	Voice  uint64        // the number of the start, from 1; 0: it never started
	Sound  *sounds.Sound // nil for Missed and for the Fault of a bus
	Group  *Group
	Ref    Ref // Options.Ref or, for Missed, the reference of the command, see Moment.WithRef

	Bus Bus // of the Fault of an insert, an effect or a filter; with ReasonBusLimit the bus at its limit

	// Steal explains an event whose Kind has a Decision, see EventKind.HasDecision; zero for all other events.
	Steal Decision

	stem *busmix.Stem // nil without Config.Stems
	play uint64
}

// Decision explains why a voice lost its slot or a start got no voice.
type Decision struct {
	// By is the number of the start that took the place of the voice, for a coalesced start the number of
	// the voice that it was merged into; 0: Resize, or a refused start. BySound, ByGroup and ByRef belong
	// to the same start.
	By      uint64
	BySound *sounds.Sound
	ByGroup *Group
	ByRef   Ref

	// The levels that were compared, as K-weighted power plus Options.Importance. Silence is -Inf. They are 0
	// for a coalesced start.
	Audibility pcm.Decibels // of the victim; for Rejected, of the incoming start
	Newcomer   pcm.Decibels // of the incoming start
	RunnerUp   pcm.Decibels // of the second least audible candidate; +Inf: no second candidate
	Candidates int          // the number of voices that could have been stolen
	Peers      int          // the number of candidates with the victim's priority; the policy chose one of them
	Priority   int32        // of the victim
	Policy     Overflow
	Endless    bool // the victim is endless

	// RunnerUpPriority is the priority of RunnerUp. It equals Priority unless the victim alone had the
	// lowest priority. With ReasonOutranked it is the lowest priority of an unprotected voice.
	RunnerUpPriority int32
	NewcomerPriority int32 // of By; for a refused start its own

	// Importance is the Options.Importance in Audibility, and NewcomerImportance that in Newcomer. For a
	// refused start, NewcomerImportance is its own and Importance is 0.
	Importance, NewcomerImportance pcm.Decibels

	// Lost is, for Stolen and Virtual, an upper bound of the loss. It is the largest level that the rest
	// of the voice would have had in any 60 ms. The level is K-weighted, left and right together. Only
	// windows that start at a multiple of about 20 ms are measured; a window in between may have up to 3
	// dB more. The bound holds at the speed of the sound, as long as no gain of the voice is raised.
	//
	// Lost is +Inf if it is unknown: for a stream, for a voice with sends, and for a voice on a bus with
	// an equalizer or a send.
	Lost pcm.Decibels

	// Muffled is, for Stolen and Virtual, how much the filters of the voice and the effects and sends of
	// its buses reduce its audibility. It is negative if they increase it. LowPass and HighPass are the
	// cutoffs of the voice in Hz; 0: off.
	Muffled           pcm.Decibels
	LowPass, HighPass float64
}

// Types of the events as the audio side emits them.
type (
	audioEvent  = eventcode.Event[EventKind, Reason, Overflow, Group, busmix.Stem]
	eventChoice = eventcode.Choice[Reason, Overflow, Group]
	eventRecord = eventcode.Record[Group, busmix.Stem]
)

// HasDecision reports whether events of this kind have a Decision in Event.Steal: stolen, virtual, rejected, limited
// and coalesced.
func (k EventKind) HasDecision() bool {
	switch k {
	case EventStolen, EventVirtual, EventRejected, EventLimited, EventCoalesced:
		return true
	}
	return false
}

// emit queues a copy of e for the control side and sets e.Explained. If the queue is full, the event is lost.
// Stats.EventsLost counts lost events as soon as the control side reads events.
func (a *audio) emit(e *audioEvent) {
	e.Explained = e.Kind.HasDecision()
	if !eventcode.Encode(a.events, e) && a.polled.Load() {
		a.stats.EventsLost++
	}
}

// popEvent moves the oldest event of the audio side from the queue to e. It converts powers to decibels. If the queue
// is empty, e is unchanged and the result is false. The caller holds m.eventMutex.
func (m *Mixer) popEvent(e *Event) bool {
	var from audioEvent
	if !eventcode.Decode(m.events, &from) {
		return false
	}
	*e = Event{
		Frame: from.Frame, Kind: from.Kind, Reason: from.Reason, Slot: int(from.Slot), Voice: from.Voice, Sound: from.Sound, Group: from.Group, Ref: Ref(from.Ref),
		Bus: Bus{index: from.Bus}, stem: from.Stem, play: from.Play,
	}
	if e.Bus.index > 0 || e.Kind == EventFault && e.Sound == nil {
		e.Bus.mixer = m
	}
	if from.Explained {
		e.Steal = decisionOf(&from)
	}
	return true
}

// decisionOf returns the Decision of the event from.
func decisionOf(from *audioEvent) Decision {
	d := Decision{
		By: from.By, BySound: from.BySound, ByGroup: from.ByGroup, ByRef: Ref(from.ByRef),
		Candidates: int(from.Candidates), Peers: int(from.Peers), Priority: from.Priority, Policy: from.Policy, Endless: from.Endless,
		RunnerUpPriority: from.RunnerUpPriority, NewcomerPriority: from.NewcomerPriority,
		Importance: pcm.Decibels(from.Importance), NewcomerImportance: pcm.Decibels(from.NewcomerImportance),
		Muffled: pcm.Decibels(from.Muffled), LowPass: float64(from.LowPass), HighPass: float64(from.HighPass),
	}
	if from.Kind == EventCoalesced {
		return d // no choice was made
	}
	d.Audibility, d.Newcomer, d.Lost = pcm.FromPower(from.Audibility), pcm.FromPower(from.Newcomer), pcm.FromPower(from.Lost)
	d.RunnerUp = pcm.Decibels(math.Inf(1))
	if from.RunnerUp >= 0 {
		d.RunnerUp = pcm.FromPower(from.RunnerUp)
	}
	if d.Muffled > 0 { // the audio side stores the remaining factor
		d.Muffled = pcm.Decibels(-float32(pcm.FromPower(float64(from.Muffled))))
	}
	return d
}

// eventBlockSeconds is the length in seconds of the longest block that loses no events with Config.Events
// of 0.
const eventBlockSeconds = 20

// maxBlockEvents returns how many events a block of eventBlockSeconds seconds can have, at most maxEvents. It is the
// default size of the event queue. The defaults of c must be filled in.
//
// Each voice ends once, perhaps after a fault or a broken stream. Each command is a start or misses. Each insert fails
// at most once. Each real voice may run dry. A virtual voice is restored into a slot that was free, that an end or a
// Resize freed, or by an exchange every 10 ms. A voice becomes virtual at most once more often than it is restored.
func (c *Config) maxBlockEvents() int {
	lived := c.MaxVoices + c.maxVirtual() + c.Commands
	n := 2*lived + c.Commands + len(c.Buses) + c.MaxVoices
	n += 4 * c.maxVirtualEndless
	if c.Virtual > 0 {
		grid := 2*eventBlockSeconds*c.Rate/int(hopOf(c.Rate)) + 1
		back := 2*c.MaxVoices + lived + exchanges*grid
		n += 2*back + c.MaxVoices + c.Commands
	}
	return min(n, maxEvents)
}

// pollEvents records that the control side reads events. From now on lost events are counted.
func (m *Mixer) pollEvents() {
	if !m.polled.Load() {
		m.polled.Store(true)
	}
}

// Events moves the oldest events that were not read yet into dst and returns their number, at most len(dst). If dst is
// full, the rest waits for the next call. From the first call on, lost events are counted. Concurrent callers share
// the events: each event reaches one caller. Use an EventReader to read all events independently of other callers.
// Control side.
func (m *Mixer) Events(dst []Event) int {
	m.pitches.requestMissingMips()
	m.pollEvents()
	m.eventMutex.Lock()
	defer m.eventMutex.Unlock()
	if m.readers != nil {
		m.distributeEvents()
		return m.readers[0].dequeue(dst)
	}
	n := 0
	for n < len(dst) && m.popEvent(&dst[n]) {
		n++
	}
	return n
}

// String returns the event in one line, for logs and test messages. An empty part is left out:
//
//	frame 480: "coin" #7 stolen in slot 3 by "bell" #9 (pool): -34.5 dB against -12.3 dB, 8 candidates
//
// The word in brackets is the Reason. The levels are the Audibility of the victim and of the newcomer, among a number
// of candidates. If they include importance, its values follow.
func (e Event) String() string {
	var b strings.Builder
	writeIf := func(applies bool, format string, values ...any) {
		if applies {
			fmt.Fprintf(&b, format, values...)
		}
	}
	name := func(s *sounds.Sound) string {
		if s == nil {
			return ""
		}
		return strconv.Quote(s.Name()) + " "
	}
	writeIf(true, "frame %d: %s", e.Frame, name(e.Sound))
	writeIf(e.Voice != 0, "#%d ", e.Voice)
	writeIf(true, "%v", e.Kind)
	writeIf(e.Slot >= 0 && e.Voice != 0, " in slot %d", e.Slot)
	d := &e.Steal
	writeIf(d.By != 0, " by %s#%d", name(d.BySound), d.By)
	writeIf(e.Reason != ReasonNone, " (%v)", e.Reason)
	writeIf(d.Candidates > 0, ": %.1f dB against %.1f dB, %d candidates", d.Audibility, d.Newcomer, d.Candidates)
	own := d.Importance
	if e.Kind == EventRejected || e.Kind == EventLimited {
		own = d.NewcomerImportance // both levels are of the start
	}
	writeIf(d.Candidates > 0 && (own != 0 || d.NewcomerImportance != 0), ", with importance %+g dB against %+g dB", own, d.NewcomerImportance)
	return b.String()
}
