package room

import (
	"time"

	"voicepool/cue/report"
	"voicepool/internal/explain"
	"voicepool/mixer"
)

// PlayResult is the result of a PlayRequest.
type PlayResult struct {
	Voice  uint64   `json:"voice"`
	Voices []uint64 `json:"voices,omitempty"` // if there are several layers
	Sound  string   `json:"sound"`
	ID     string   `json:"id,omitempty"`
	Frame  int64    `json:"frame"`
	State  string   `json:"state"` // playing, pending, virtual or coalesced
	Slot   int      `json:"slot"`  // -1: no slot
}

// pendingPlay is a start that waits for its result.
type pendingPlay struct {
	ref     mixer.Ref
	handles []mixer.Handle
	first   *report.Event // first event of the start; guarded by the mutex of the log
	started chan struct{} // receives an item when first is set
}

// registerPlay registers a start, so that the log keeps the start's first event in the result. The caller must pass the
// ref of the result to the mixer with the start, and must call unregisterPlay later. registerPlay does not wait.
func (l *eventLog) registerPlay() *pendingPlay {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.ref++
	a := &pendingPlay{ref: l.ref, started: make(chan struct{}, 1)}
	l.pending[a.ref] = a
	return a
}

// unregisterPlay ends the registration a, which registerPlay has made. The event kept in a remains.
func (l *eventLog) unregisterPlay(a *pendingPlay) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	delete(l.pending, a.ref)
}

// recordFirst stores a copy of e as the first event of its start, if registerPlay has registered a start with the Ref
// of e. It then wakes playResult. Later events are ignored, with one exception: an EventStarted replaces an event of
// another kind. The caller holds l.mutex.
func (l *eventLog) recordFirst(e *report.Event) {
	if a := l.pending[e.Ref]; a != nil && (a.first == nil || a.first.Kind != mixer.EventStarted && e.Kind == mixer.EventStarted) {
		one := *e
		if a.first == nil {
			a.started <- struct{}{}
		}
		a.first = &one
	}
}

// firstEvent returns the event that recordFirst has stored for the start a. It returns nil if no event has arrived.
func (l *eventLog) firstEvent(a *pendingPlay) *report.Event {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return a.first
}

// playResult returns the result of the start a, which the request o has caused. A start that the pool has rejected is
// an *Error of Kind Refused with the event. If the start was joined with a playing voice, the State is "coalesced", and
// Voice is the number of that voice.
//
// On a device, playResult waits for the first event of the start. After 2 s it stops the voices and returns errBusy; if
// the room ends, it returns errClosed. Without a device it does not wait. If no event has arrived then, the State is
// "pending".
func (r *Room) playResult(o *PlayRequest, a *pendingPlay) (PlayResult, error) {
	v := PlayResult{Sound: o.Sound, ID: o.ID, State: "pending", Slot: -1}
	e := r.eventLog.firstEvent(a)
	if e == nil {
		if r.output == nil { // delayed, or the show is paused
			return v, nil
		}
		select {
		case <-a.started:
			e = r.eventLog.firstEvent(a)
		case <-r.done:
			return PlayResult{}, errClosed
		case <-time.After(resultTimeout):
			for _, h := range a.handles {
				_ = h.Stop(0) // do not let it sound after the caller has given up
			}
			return PlayResult{}, errBusy
		}
	}
	v.Frame, v.Voice, v.Slot = e.Frame, e.Voice, e.Slot
	switch e.Kind {
	case mixer.EventRejected, mixer.EventLimited:
		return PlayResult{}, &Error{
			Kind: Refused, Field: "sound", Reason: reason(e.Reason), Event: e,
			Detail: explain.Outcome(e, r.reportHeader(), nil),
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

// reason returns the name that the API uses for the rejection reason r, such as "pool full".
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
