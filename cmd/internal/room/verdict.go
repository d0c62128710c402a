package room

import (
	"time"

	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/mixer"
)

// Verdict is what became of an order.
type Verdict struct {
	Voice  uint64   `json:"voice"`
	Voices []uint64 `json:"voices,omitempty"` // of several layers
	Sound  string   `json:"sound"`
	ID     string   `json:"id,omitempty"`
	Frame  int64    `json:"frame"`
	State  string   `json:"state"` // playing, pending, virtual or coalesced
	Slot   int      `json:"slot"`  // -1: none
}

// ask is a start that waits for its verdict.
type ask struct {
	ref     int64
	handles []mixer.Handle
	first   *report.Event // the first event of it; under the mutex of the log
	told    chan struct{} // has one with that
}

// ask returns a mark for a start whose verdict somebody waits for.
func (l *log) ask() *ask {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.ref++
	a := &ask{ref: l.ref, told: make(chan struct{}, 1)}
	l.asked[a.ref] = a
	return a
}

// forget says that nobody waits for a verdict any more.
func (l *log) forget(a *ask) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.asked, a.ref)
}

// answer gives an event to who waits for it. The mutex is held.
func (l *log) answer(e *report.Event) {
	if a := l.asked[e.Ref]; a != nil && (a.first == nil || a.first.Kind != mixer.EventStarted && e.Kind == mixer.EventStarted) {
		one := *e
		if a.first == nil {
			a.told <- struct{}{}
		}
		a.first = &one
	}
}

// first returns the first event of a start, a beginning before all others; nil: there is none.
func (l *log) firstOf(a *ask) *report.Event {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return a.first
}

// verdict returns what has become of a start.
func (r *Room) verdict(o *Order, a *ask) (Verdict, error) {
	v := Verdict{Sound: o.Sound, ID: o.ID, State: "pending", Slot: -1}
	e := r.log.firstOf(a)
	if e == nil {
		if r.card == nil { // it has a delay, or all stands still
			return v, nil
		}
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case <-a.told:
			e = r.log.firstOf(a)
		case <-r.done:
			return Verdict{}, errClosed
		case <-timer.C:
			for _, h := range a.handles {
				_ = h.Stop() // it is not to sound when nobody waits for it any more
			}
			return Verdict{}, errBusy
		}
	}
	v.Frame, v.Voice, v.Slot = e.Frame, e.Voice, e.Slot
	switch e.Kind {
	case mixer.EventRejected, mixer.EventLimited:
		return Verdict{}, &Error{
			Kind: Refused, Field: "sound", Reason: reason(e.Reason), Event: e,
			Detail: explain.Outcome(e, r.head(), nil),
		}
	case mixer.EventCoalesced:
		v.State, v.Voice = "coalesced", e.By
	case mixer.EventVirtual:
		v.State = "virtual"
	default:
		if v.State = "playing"; v.Slot < 0 {
			v.State = "virtual"
		}
	}
	if len(a.handles) > 1 {
		for _, h := range a.handles {
			if n := h.Number(); n != 0 {
				v.Voices = append(v.Voices, n)
			}
		}
	}
	return v, nil
}

// reason says in words why a start was refused.
func reason(r mixer.Reason) string {
	switch r {
	case mixer.ReasonPoolFull:
		return "pool full"
	case mixer.ReasonGroupLimit:
		return "limit of the sound"
	case mixer.ReasonBusLimit:
		return "limit of the bus"
	}
	return r.String()
}
