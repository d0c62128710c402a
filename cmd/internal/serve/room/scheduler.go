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

// maxScheduled is the largest number of scheduled actions of a room.
const maxScheduled = 1000

// scheduler schedules show actions for later frames of the mix: GO, standby, panic, stop, pause and scenes. It
// uses a timer, because the mixer cannot carry them out by itself.
type scheduler struct {
	running sync.Mutex // due actions run one after another

	mutex  sync.Mutex
	all    []scheduledAction // ordered by frame, then by request
	timer  *time.Timer       // for the first action; may be nil
	closed bool
}

// scheduledAction is an action at a frame.
type scheduledAction struct {
	frame int64
	name  string // description for messages
	do    func() error
}

// Schedule schedules do for the moment when in the future and returns the frame of that moment and true. do is called,
// on another goroutine, when the mixer has reached that frame, within 20 ms on a machine that keeps real time. name
// describes the action in the event if do fails. If when is not in the future, Schedule returns 0 and false and does
// not schedule do; the caller acts at once.
//
// An invalid when is an *Error of Kind Range. If 1,000 actions wait already, the error is of Kind Limit; in an ended
// room it is of Kind Closed. A panic of the show, a replaced mixer and the end of the room cancel all actions.
func (r *Room) Schedule(when Moment, name string, do func() error) (frame int64, later bool, err error) {
	if err := when.check(); err != nil {
		return 0, false, err
	}
	if frame, later = r.frame(&when); !later || frame == mixer.Now {
		return 0, false, nil
	}
	a := &r.scheduler
	a.mutex.Lock()
	defer a.mutex.Unlock()
	switch {
	case a.closed:
		return 0, false, errClosed
	case len(a.all) >= maxScheduled:
		return 0, false, &Error{Kind: Limit, Detail: fmt.Sprintf("the limit of %d waiting orders is reached", maxScheduled)}
	}
	at, _ := slices.BinarySearchFunc(a.all, frame+1, func(one scheduledAction, frame int64) int { return cmp.Compare(one.frame, frame) })
	a.all = slices.Insert(a.all, at, scheduledAction{frame, name, do})
	r.setTimer()
	return frame, true, nil
}

// setTimer sets the timer of the scheduler to the time of the first waiting action, but at most an hour from now. The
// timer then calls runDue. Without a waiting action, setTimer has no effect. The caller holds the mutex of the
// scheduler.
func (r *Room) setTimer() {
	a := &r.scheduler
	if len(a.all) == 0 {
		return
	}
	frames := min(a.all[0].frame-r.current().player.Mixer().Now(), int64(r.rate)*3600) // at most an hour, then it checks again
	wait := max(pcm.Duration(frames, r.rate), time.Millisecond)
	if a.timer == nil {
		a.timer = time.AfterFunc(wait, r.runDue)
		return
	}
	a.timer.Reset(wait)
}

// runDue runs, in order, the scheduled actions whose frames the mixer has reached, and sets the timer for the next
// action. If an action fails, the show reports its error as a line of text. After each action, runDue wakes a room
// without a device. The timer calls runDue; a call waits until earlier calls have returned.
func (r *Room) runDue() {
	a := &r.scheduler
	a.running.Lock()
	defer a.running.Unlock()
	for {
		a.mutex.Lock()
		if len(a.all) == 0 || a.all[0].frame > r.current().player.Mixer().Now() {
			r.setTimer()
			a.mutex.Unlock()
			return
		}
		one := a.all[0]
		a.all = slices.Delete(a.all, 0, 1)
		a.mutex.Unlock()
		if err := one.do(); err != nil {
			r.Show().Report(one.name + " at frame " + fmt.Sprint(one.frame) + ": " + err.Error())
		}
		_ = r.execute(func() error { return nil }) // start the next block now; no effect if the room has ended
	}
}

// cancel removes all scheduled actions without running them. A running action continues, and new actions may be
// scheduled.
func (a *scheduler) cancel() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	clear(a.all)
	a.all = a.all[:0]
}

// close stops the timer, removes all scheduled actions and makes Schedule return errClosed. It does not wait for a
// running action.
func (a *scheduler) close() {
	a.mutex.Lock()
	a.closed = true
	if a.timer != nil {
		a.timer.Stop()
	}
	a.mutex.Unlock()
	a.cancel()
}
