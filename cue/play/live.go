package play

import (
	"sync"
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/cue"
	"voicepool/cue/internal/pauseclock"
)

// live is the state of commands from other goroutines, such as Fire, Do and Panic.
type live struct {
	mutex       sync.Mutex
	requests    []func() // run by the goroutine of Run
	playing     []Running
	ids, owners names
	firstSound  int           // index in the sounds of show.sheet of the first sound of the current sheet
	finished    atomic.Bool   // Finish has been called
	closed      chan struct{} // closed when Run has returned
	wake        chan struct{} // holds an item while Run has not seen all requests
	onWake      func()        // Options.Wake; may be nil

	// Fields of the goroutine of Run.
	finish           bool
	active           []int    // launches that have not ended, in order
	resumeAfterPanic int64    // the frame after the last panic
	goes             []cue.Go // commands carried out, by the clock of the mixer
	pauses           *pauseclock.Clock
	reportedUpTo     int // Fired has been called for every launch before this one
}

// Running is a list cue that plays or waits to begin.
type Running struct {
	List       int   // index in Sheet.List; -1: an edit has removed the cue
	StartFrame int64 // the frame where it begins; -1: unknown, it waits for the end of a cue or voice
	Remaining  int64 // frames until everything that it plays has ended; -1: unknown
	Waiting    bool  // it has not begun
}

// enqueue queues the function do. The goroutine of Run will call all queued functions in the order of the calls of
// enqueue. enqueue wakes that goroutine and does not wait for do. After the end of the show do is never called. It
// takes l.mutex. Any goroutine.
func (l *live) enqueue(do func()) {
	l.mutex.Lock()
	l.requests = append(l.requests, do)
	l.mutex.Unlock()
	l.wakeUp()
}

// wakeUp wakes the goroutine of Run and then calls Options.Wake, if it is set. It does not wait for Run. It takes
// l.mutex, but does not hold it during Options.Wake. Any goroutine.
func (l *live) wakeUp() {
	l.mutex.Lock()
	select {
	case l.wake <- struct{}{}: // nil before Run has begun
	default:
	}
	l.mutex.Unlock()
	if l.onWake != nil {
		l.onWake()
	}
}

// openWakeChannel creates the channel l.wake and returns it. From then on wakeUp sends to this channel. Run calls it
// once. It takes l.mutex.
func (l *live) openWakeChannel() <-chan struct{} {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.wake = make(chan struct{}, 1)
	return l.wake
}

// recordGo adds the command g, such as a GO or a panic that was carried out, to the result of Player.Goes. The time
// g.At must be of the mixer's clock, which stops during pauses. It takes l.mutex.
func (l *live) recordGo(g cue.Go) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.goes = append(l.goes, g)
}

// runRequests calls the functions that enqueue has queued, in their order, and empties the queue. If they queue
// further functions, these wait for the next call. It runs on the goroutine of Run and holds no mutex during the
// calls.
func (l *live) runRequests() {
	l.mutex.Lock()
	requests := l.requests
	l.requests = nil
	l.mutex.Unlock()
	for _, do := range requests {
		do()
	}
}

// recordPause adds the beginning or the end of a pause at a frame of the output to the result of Player.Goes. rate is
// the sample rate in Hz. It takes l.mutex.
func (l *live) recordPause(output int64, on bool, rate int) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.pauses.SetPaused(output, on)
	g := cue.Go{At: rules.FrameTime(output, rate), Action: cue.ActionResume}
	if on {
		g.Action = cue.ActionPause
	}
	l.goes = append(l.goes, g)
}
