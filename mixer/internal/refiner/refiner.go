// Package refiner computes the mip levels of sounds in the background: the band-limited versions that pitched voices
// read, and their spectra.
package refiner

import (
	"runtime"
	"slices"
	"sync"

	"voicepool/sounds"
)

// Refiner computes mip levels in the order of the requests. Its goroutines end when they are idle. There are at most
// GOMAXPROCS-1 of them, or one, because the audio side may need a processor.
type Refiner struct {
	mutex   sync.Mutex
	idle    sync.Cond
	queued  []Level // in the order of the requests
	running []Level // being computed
}

// Level is a mip level of a sound.
type Level struct {
	Sound  *sounds.Sound
	Level  int  // as in sounds.Sound.Refine
	Looped bool // for playing in a loop
}

// Request makes the refiner compute the mip level l in the background. It has no effect if the level exists, cannot
// exist, or is already requested. It starts a goroutine for l if fewer than the maximum run; otherwise l waits in a
// queue. Request does not wait for the computation. Any goroutine may call it.
func (r *Refiner) Request(l Level) {
	if l.Sound.Refined(l.Level, l.Looped) {
		return
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if slices.Contains(r.queued, l) || slices.Contains(r.running, l) {
		return
	}
	r.idle.L = &r.mutex
	if len(r.running) < max(1, runtime.GOMAXPROCS(0)-1) {
		r.running = append(r.running, l)
		go r.run(l)
		return
	}
	r.queued = append(r.queued, l)
}

// run computes the level l, which must be in r.running, and then the queued levels until the queue is empty. It wakes
// Wait when the last goroutine has finished. It runs on a goroutine of its own and locks the mutex.
func (r *Refiner) run(l Level) {
	for more := true; more; {
		l.Sound.Refine(l.Level, l.Looped)
		r.mutex.Lock()
		at := slices.Index(r.running, l)
		if more = len(r.queued) > 0; more {
			l = r.queued[0]
			r.running[at], r.queued = l, slices.Delete(r.queued, 0, 1)
		} else {
			r.running = slices.Delete(r.running, at, at+1)
		}
		if len(r.running) == 0 {
			r.queued, r.running = nil, nil
			r.idle.Broadcast()
		}
		r.mutex.Unlock()
	}
}

// Wait blocks until all requested levels are computed or cancelled. A request during the wait is waited for, too.
func (r *Refiner) Wait() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for len(r.running) > 0 {
		r.idle.Wait()
	}
}

// CancelQueued drops the requests whose computation has not begun. It does not wait for running computations, which
// continue.
func (r *Refiner) CancelQueued() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.queued = nil
}
