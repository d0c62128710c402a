// Package successor keeps the starts of a mixer that follow another start without a gap: first while their predecessors
// play, then until they begin. A start is identified by its handle.
//
// Everything except New belongs to the audio side of the mixer: one goroutine at a time calls it, and it does not
// allocate.
package successor

import (
	"math"
	"slices"

	"voicepool/pool"
)

// Never is a LoopEndAt that is not reached.
const Never = math.MaxInt64

// Start is a start that follows its predecessor.
type Start struct {
	Predecessor, ID pool.Handle
	AtLoopEnd       bool  // it begins when the predecessor next reaches the end of its loop, not at its end
	LoopEndAt       int64 // set by the caller: the frame where the predecessor leaves its loop, or Never
}

// Queue holds starts in two lists: waiting for their predecessors, in the order of Wait, and ready to begin, in the
// order of becoming ready. The zero value has no room.
type Queue struct {
	waiting []Start
	ready   []readyStart
	begun   int // the number of starts at the beginning of ready that NextReady has returned
}

// readyStart is a start whose predecessor is over.
type readyStart struct {
	id      pool.Handle
	stopped bool // it never sounds
}

// New returns an empty queue with room for the given number of starts in each list. The queue does not grow; see
// MoveTo. Any goroutine may call New.
func New(starts int) Queue {
	return Queue{waiting: make([]Start, 0, starts), ready: make([]readyStart, 0, starts)}
}

// MoveTo moves all starts of q to the buffers of larger, which q uses from then on. larger is an unused result of New
// with at least as much room, and must not be used afterwards.
func (q *Queue) MoveTo(larger *Queue) {
	*q = Queue{append(larger.waiting, q.waiting...), append(larger.ready, q.ready...), q.begun}
}

// Wait adds s to the starts that wait. Its LoopEndAt becomes Never.
func (q *Queue) Wait(s Start) {
	s.LoopEndAt = Never
	q.waiting = append(q.waiting, s)
}

// Ready adds the start with the handle id to the starts that are ready. If stopped is true, it counts as stopped and
// never sounds.
func (q *Queue) Ready(id pool.Handle, stopped bool) {
	q.ready = append(q.ready, readyStart{id, stopped})
}

// Release makes the start ready that waits for the given predecessor, and returns its handle. If stopped is true, the
// start counts as stopped. Without such a start, Release has no effect and returns 0.
func (q *Queue) Release(predecessor pool.Handle, stopped bool) (id pool.Handle) {
	return q.remove(slices.IndexFunc(q.waiting, func(s Start) bool { return s.Predecessor == predecessor }), stopped)
}

// Cancel makes the start with the handle id ready, as a stopped one, if it waits.
func (q *Queue) Cancel(id pool.Handle) {
	q.remove(slices.IndexFunc(q.waiting, func(s Start) bool { return s.ID == id }), true)
}

// remove makes the waiting start i ready and returns its handle. It has no effect and returns 0 if i is -1.
func (q *Queue) remove(i int, stopped bool) (id pool.Handle) {
	if i < 0 {
		return 0
	}
	id = q.waiting[i].ID
	q.waiting = slices.Delete(q.waiting, i, i+1)
	q.Ready(id, stopped)
	return id
}

// Waiting returns the starts that wait. The caller may set LoopEndAt. The result is valid until the next call of Wait,
// Release, Cancel or MoveTo.
func (q *Queue) Waiting() []Start { return q.waiting }

// NextReady removes the start that became ready first, and returns its handle. stopped is true if it never sounds. If
// no start is ready, the handle is 0.
func (q *Queue) NextReady() (id pool.Handle, stopped bool) {
	if q.begun == len(q.ready) {
		q.ready, q.begun = q.ready[:0], 0
		return 0, false
	}
	s := q.ready[q.begun]
	q.begun++
	return s.id, s.stopped
}
