package room

import (
	"context"
	"fmt"
	"math"
	"time"

	"voicepool/internal/expect"
	"voicepool/internal/listening"
	"voicepool/pcm"
)

// eventLag is the time after which all events of a frame are in the log.
const eventLag = 250 * time.Millisecond

// expectInterval is the time between two checks of Expect. If a check takes more than a tenth of it, the time is
// ten times as long as the check.
const expectInterval = 20 * time.Millisecond

// MaxExpectEvents is the largest number of earlier events that count for a call of Expect.
const MaxExpectEvents = 10_000

// MaxExpectStarts is the largest number of starts, also refused ones, in a call of Expect.
const MaxExpectStarts = 20_000

// Expect compares the sounds of the room with list. It returns as soon as no later sound can change the result. After
// limit it judges all rules by the sounds until then. The rules count times from the call. If from is greater than 0, the
// stored events from that number on count, too, and the rules count times from the frame of that event. Levels, sides,
// silence and peaks are measured from the call on, over the sum of all outputs.
//
// A sound that the sheet lacks is a rules.Errors. If from is 0 and limit ends less than 250 ms after the last time of a
// rule, the error is an *Error of Kind Range. An event that is not stored is an *Error of Kind NotFound. If the room
// ends, a changed sheet replaces the mixer, events were dropped, or there are more than MaxExpectStarts, the error is an
// *Error of Kind Refused. If the room had already ended, its Kind is Closed. If ctx ends, the error is the error of ctx.
func (r *Room) Expect(ctx context.Context, list *expect.Rules, from int64, limit time.Duration) (*expect.Verdict, error) {
	st := r.current()
	m := st.player.Mixer()
	names := soundNames(st.player.Sheet())
	if err := list.CheckNames(names); err != nil {
		return nil, err
	}
	e := &expect.Evidence{Names: names, Rate: r.rate, Zero: m.Now(), Lag: pcm.Frames(eventLag, r.rate)}
	next := r.LastEvent() + 1
	if last := list.LastFrame(r.rate); from == 0 && last > 0 && last > pcm.Frames(limit, r.rate)-e.Lag {
		return nil, invalidField("within", "%v is too short; want at least %v more than the last time of the rules, %v", limit, eventLag, pcm.Duration(last, r.rate))
	}
	if from > 0 {
		if r.LastEvent()-from >= MaxExpectEvents {
			return nil, &Error{Kind: NotFound, Field: "from", Detail: fmt.Sprintf("from: only the last %d events count; name a later one", MaxExpectEvents)}
		}
		s := r.eventLog.eventRange(from, from)
		if s.first > s.last {
			return nil, &Error{Kind: NotFound, Field: "from", Detail: fmt.Sprintf("from: the event %d is not stored", from)}
		}
		for _, first := range s.all() {
			next, e.Zero = from, first.Frame
		}
	}
	e.Range.From = e.Zero
	first := m.Now()
	l := &Listener{room: r, pair: -1, ready: make(chan struct{}, 1), latency: m.LatencyFrames(), meter: listening.NewMeter(r.rate, first)}
	e.Audio = listening.NewMeter(r.rate, first)
	if err := r.listeners.add(l); err != nil {
		return nil, err
	}
	defer l.Close()
	r.wake()
	again, end := time.NewTimer(0), time.After(limit)
	defer again.Stop()
	for {
		s := r.eventLog.eventRange(next, math.MaxInt64)
		if s.first != next || r.current() != st || r.ended() {
			return nil, &Error{Kind: Refused, Field: "room", Reason: "changed", Detail: "the room has ended, or a changed sheet or dropped events interrupted the expectations; call again"}
		}
		for _, event := range s.all() {
			e.Log.Add(&event)
		}
		if e.Log.Len() > MaxExpectStarts {
			return nil, &Error{Kind: Refused, Field: "room", Reason: "starts", Detail: fmt.Sprintf("more than %d sounds were started during the call; wait for a shorter time", MaxExpectStarts)}
		}
		next = s.last + 1
		begun := time.Now()
		v := l.check(e, list, m.Now())
		if v.Settled() {
			return v, nil
		}
		again.Reset(max(expectInterval, 10*time.Since(begun)))
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-end:
			e.Over = true
		case <-again.C:
		}
	}
}

// check compares e, with the audio of l up to now, with list. now is the next frame that the mixer mixes. The mixing
// waits only while the audio is copied.
func (l *Listener) check(e *expect.Evidence, list *expect.Rules, now int64) *expect.Verdict {
	l.mutex.Lock()
	e.Audio.Update(l.meter)
	l.mutex.Unlock()
	e.Range.To = max(now, e.Range.From)
	return e.Check(list)
}
