package room

import (
	"sync"

	"voicepool/cue/report"
	"voicepool/mixer"
)

// NumberedEvent is an event with its number in the room, from 1.
type NumberedEvent struct {
	Number int64
	Text   string // one sentence
	report.Event
}

// MinStoredEvents is the minimum number of events that a room keeps.
const MinStoredEvents = 100_000

// eventLog keeps the last events of a room. The start or the end of a voice takes 40 bytes, a steal 120.
type eventLog struct {
	rate int

	mutex   sync.Mutex
	events  eventStore
	voices  map[uint64]voiceInfo  // living voices by number
	victims map[uint64]victimInfo // the victim of a voice, by the voice's number
	ref     mixer.Ref             // the last Ref that registerPlay has assigned
	pending map[mixer.Ref]*pendingPlay
	added   chan struct{} // closed at the next event; nil: no waiters
	closed  bool
}

// voiceInfo is the state of a voice according to its events.
type voiceInfo struct {
	sound string // name in the sheet
	real  bool   // it has a slot
}

// victimInfo is a voice that lost its slot.
type victimInfo struct {
	voice uint64
	name  string
}

// init makes l an empty log. It must be called before the other methods. The parameter rate is the sample rate in Hz,
// for times in texts.
func (l *eventLog) init(rate int) {
	l.rate, l.pending = rate, map[mixer.Ref]*pendingPlay{}
	l.forgetVoices()
}

// forgetVoices drops all stored events and all data about voices, because a new mixer numbers its voices from 1 again.
// The numbers of events continue. The caller holds l.mutex or has the only reference to l.
func (l *eventLog) forgetVoices() {
	l.voices, l.victims = map[uint64]voiceInfo{}, map[uint64]victimInfo{}
	l.events.clear()
}

// record stores a copy of the event e, passes e to the play request that registerPlay has registered for the Ref of e,
// updates the living voices and their victims, and wakes the goroutines that wait for events. It locks l.mutex.
func (l *eventLog) record(e *report.Event) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if e.Ref > 0 {
		l.recordFirst(e)
	}
	l.events.add(e)
	switch e.Kind {
	case mixer.EventStarted, mixer.EventReal:
		l.voices[e.Voice] = voiceInfo{e.Sound, e.Slot >= 0}
	case mixer.EventVirtual, mixer.EventStolen, mixer.EventEnded, mixer.EventStopped:
		if e.By != 0 && l.voices[e.Voice].real {
			l.victims[e.By] = victimInfo{e.Voice, e.Sound}
		}
		delete(l.victims, e.Voice)
		if delete(l.voices, e.Voice); e.Kind == mixer.EventVirtual {
			l.voices[e.Voice] = voiceInfo{sound: e.Sound}
		}
	}
	l.wakeWaiters()
}

// wakeWaiters wakes all goroutines that wait for events. The caller holds the mutex.
func (l *eventLog) wakeWaiters() {
	if l.added != nil {
		close(l.added)
		l.added = nil
	}
}

// addDetails sets the fields of v that only the stored events contain. These are Sound, and the voice that lost its
// slot to v: its number in Took and its sound in TookName. If the log has no such value for the voice number v.Voice,
// the field is unchanged.
func (l *eventLog) addDetails(v *Voice) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if known, ok := l.voices[v.Voice]; ok {
		v.Sound = known.sound
	}
	if victim, ok := l.victims[v.Voice]; ok {
		v.Took, v.TookName = victim.voice, victim.name
	}
}

// eventRange returns the stored events with numbers from..to, both inclusive. Events that are not stored are left out,
// so the result may be empty. It locks the log.
func (l *eventLog) eventRange(from, to int64) eventRange {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.events.eventRange(from, to)
}

// close ends the log and wakes the goroutines that wait for events. A watcher still gets the stored events, and then
// io.EOF.
func (l *eventLog) close() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.closed = true
	l.wakeWaiters()
}
