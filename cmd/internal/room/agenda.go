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

// mostLater bounds what a room has to do later.
const mostLater = 1000

// agenda is what a show does at later frames of the mix: GO, standby, panic, stop, pause and scenes. It
// goes by a timer, since these are nothing that the mixer could do by itself.
type agenda struct {
	acting sync.Mutex // what is due is done one after another

	mutex  sync.Mutex
	all    []appointment // by their frames, and as they were asked for
	timer  *time.Timer   // of the first; nil: there was none yet
	closed bool
}

// appointment is something that is done at a frame.
type appointment struct {
	frame int64
	what  string // for people
	do    func() error
}

// Later has something done at a moment: with the first block behind it, within 20 ms where the machine
// keeps time. It returns false where the moment is not later than now: then nothing is done. What fails
// is told by the show. A panic, another mixer and the end of the room cancel all that waits.
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
		return 0, false, &Error{Kind: Limit, Detail: fmt.Sprintf("%d orders wait for their time, which is the limit", mostLater)}
	}
	at, _ := slices.BinarySearchFunc(a.all, frame+1, func(one appointment, frame int64) int { return cmp.Compare(one.frame, frame) })
	a.all = slices.Insert(a.all, at, appointment{frame, what, do})
	r.wind()
	return frame, true, nil
}

// wind sets the timer to the first appointment. The mutex of the agenda is held.
func (r *Room) wind() {
	a := &r.agenda
	if len(a.all) == 0 {
		return
	}
	left := min(a.all[0].frame-r.on().player.Mixer().Now(), int64(r.rate)*3600) // then it looks again
	wait := max(pcm.Duration(left, r.rate), time.Millisecond)
	if a.timer == nil {
		a.timer = time.AfterFunc(wait, r.keep)
		return
	}
	a.timer.Reset(wait)
}

// keep does what is due.
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
		_ = r.settle(func() error { return nil }) // it begins now; where the room has ended, nothing does
	}
}

// cancel forgets what waits.
func (a *agenda) cancel() {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	clear(a.all)
	a.all = a.all[:0]
}

// close forgets what waits, and takes nothing any more.
func (a *agenda) close() {
	a.mutex.Lock()
	a.closed = true
	if a.timer != nil {
		a.timer.Stop()
	}
	a.mutex.Unlock()
	a.cancel()
}
