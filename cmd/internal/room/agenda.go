package room

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"voicepool/mixer"
	"voicepool/pcm"
)

// mostLater is the largest number of scheduled actions of a room.
const mostLater = 1000

// agenda schedules show actions for later frames of the mix: GO, standby, panic, stop, pause and scenes. It
// uses a timer, because the mixer cannot carry them out by itself.
type agenda struct {
	acting sync.Mutex // due actions run one after another

	mutex  sync.Mutex
	all    []appointment // ordered by frame, then by request
	timer  *time.Timer   // for the first appointment; may be nil
	closed bool
}

// appointment is an action at a frame.
type appointment struct {
	frame int64
	what  string // description for messages
	do    func() error
}

// Later schedules an action for a moment. It runs with the first block after that moment, within 20 ms on a
// machine that keeps real time. If the moment is not in the future, Later returns false and does not schedule
// the action. Errors of the action are reported by the show. A panic, a replaced mixer and the end of the
// room cancel all scheduled actions.
func (r *Room) Later(when Moment, what string, do func() error) (frame int64, later bool, err error) {
	if err := when.check(); err != nil {
		return 0, false, err
	}
	if frame, later = r.frame(&when); !later || frame == mixer.Now {
		return 0, false, nil
	}
	a := &r.agenda
	a.mutex.Lock()
	defer a.mutex.Unlock()
	switch {
	case a.closed:
		return 0, false, errClosed
	case len(a.all) >= mostLater:
		return 0, false, &Error{Kind: Limit, Detail: fmt.Sprintf("the limit of %d waiting orders is reached", mostLater)}
	}
	at, _ := slices.BinarySearchFunc(a.all, frame+1, func(one appointment, frame int64) int { return cmp.Compare(one.frame, frame) })
	a.all = slices.Insert(a.all, at, appointment{frame, what, do})
	r.wind()
	return frame, true, nil
}

// wind sets the timer to the first appointment. The caller holds the mutex of the agenda.
func (r *Room) wind() {
	a := &r.agenda
	if len(a.all) == 0 {
		return
	}
	left := min(a.all[0].frame-r.on().player.Mixer().Now(), int64(r.rate)*3600) // at most an hour, then it checks again
	wait := max(pcm.Duration(left, r.rate), time.Millisecond)
	if a.timer == nil {
		a.timer = time.AfterFunc(wait, r.keep)
		return
	}
	a.timer.Reset(wait)
}

// keep runs the due actions.
func (r *Room) keep() {
	a := &r.agenda
	a.acting.Lock()
	defer a.acting.Unlock()
	for {
		a.mutex.Lock()
		if len(a.all) == 0 || a.all[0].frame > r.on().player.Mixer().Now() {
			r.wind()
			a.mutex.Unlock()
			return
		}
		one := a.all[0]
		a.all = slices.Delete(a.all, 0, 1)
		a.mutex.Unlock()
		if err := one.do(); err != nil {
			r.Show().Say(one.what + " at frame " + fmt.Sprint(one.frame) + ": " + err.Error())
		}
		_ = r.settle(func() error { return nil }) // start the next block now; no effect if the room has ended
	}
}

// cancel removes all appointments.
func (a *agenda) cancel() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	clear(a.all)
	a.all = a.all[:0]
}

// close removes all appointments and rejects new ones.
func (a *agenda) close() {
	a.mutex.Lock()
	a.closed = true
	if a.timer != nil {
		a.timer.Stop()
	}
	a.mutex.Unlock()
	a.cancel()
}
