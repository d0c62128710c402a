package room

import (
	"container/heap"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// mixInterval is the mixing interval of rooms without a device, and the longest block. All rooms are mixed at
	// the same ticks, so that a worker wakes only once for all of them.
	mixInterval = 10 * time.Millisecond

	// A block is late after lateAfter. After skipAfter, frames are skipped.
	lateAfter = 20 * time.Millisecond
	skipAfter = time.Second
)

// Workers is a pool of goroutines that mix rooms without a device. A few goroutines serve any number of rooms. A
// sleeping room is not in the schedule. Any goroutine may call its methods.
type Workers struct {
	startTime time.Time // time of tick 0
	mutex     sync.Mutex
	queue     schedule
	sleepers  int // workers that sleep until the first room is due
	closed    bool

	wake  chan struct{} // receives an item when a worker must read the schedule again
	done  chan struct{} // closed by Close
	group sync.WaitGroup

	rooms, awake          atomic.Int64
	blocks, late, skipped atomic.Int64
	longest               atomic.Int64 // nanoseconds
}

// NewWorkers starts a pool of n goroutines that mix rooms. If n is 0 or less, it starts GOMAXPROCS goroutines. Rooms
// are mixed every 10 ms, counted from now. The caller must Close the result.
func NewWorkers(n int) *Workers {
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	w := &Workers{startTime: time.Now(), wake: make(chan struct{}, 1), done: make(chan struct{})}
	for range n {
		w.group.Go(w.work)
	}
	return w
}

// Close stops the workers and waits until they have returned. A worker that is mixing a room first mixes all blocks of
// that room that are due. After that, the rooms of the workers are not mixed any longer. Close may be called again.
func (w *Workers) Close() {
	w.mutex.Lock()
	closed := w.closed
	w.closed = true
	w.mutex.Unlock()
	if !closed {
		close(w.done)
	}
	w.group.Wait()
}

// WorkerStats holds statistics of workers.
type WorkerStats struct {
	Rooms, Awake int           // rooms of the workers, and rooms that are not asleep
	Blocks       int64         // blocks mixed
	Late         int64         // blocks mixed more than 20 ms after they were due
	Skipped      int64         // frames skipped after delays of more than a second
	Longest      time.Duration // longest time for a block
}

// Stats returns the statistics of the workers. The numbers of rooms are the present ones. The other values cover the
// time since the workers were started: Longest is a maximum, and the rest are totals.
func (w *Workers) Stats() WorkerStats {
	return WorkerStats{
		Rooms: int(w.rooms.Load()), Awake: int(w.awake.Load()), Blocks: w.blocks.Load(), Late: w.late.Load(),
		Skipped: w.skipped.Load(), Longest: time.Duration(w.longest.Load()),
	}
}

// add schedules the room p to be mixed at the time at, sets p.nextMix, and counts p as awake. If p is now the first to
// be mixed, add wakes a worker. p must not be scheduled already.
func (w *Workers) add(p *clockedOutput, at time.Time) {
	w.awake.Add(1)
	w.mutex.Lock()
	p.nextMix = at
	heap.Push(&w.queue, p)
	first := w.queue[0] == p
	w.mutex.Unlock()
	if first {
		w.wakeWorker()
	}
}

// wakeWorker makes one worker read the schedule again. If no worker is sleeping, the next worker that would sleep reads
// it. wakeWorker does not wait.
func (w *Workers) wakeWorker() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// tick returns the last tick at or before now. Rooms are mixed when a tick comes. Ticks are 10 ms apart (the constant
// mixInterval) and count from w.startTime.
func (w *Workers) tick(now time.Time) time.Time {
	return now.Add(-(now.Sub(w.startTime) % mixInterval))
}

// work mixes rooms when they are due and schedules them again, until the workers are closed. Rooms that sleep or have
// ended are not scheduled again. Each worker runs it on its own goroutine.
func (w *Workers) work() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		p, wait := w.next()
		if p != nil {
			if at, again := p.step(w); again {
				w.awake.Add(-1)
				w.add(p, at)
			}
			continue
		}
		var tick <-chan time.Time
		if wait > 0 {
			timer.Reset(wait)
			tick = timer.C
		}
		select {
		case <-w.done:
			return
		case <-w.wake:
		case <-tick:
		}
		if wait > 0 {
			w.mutex.Lock()
			w.sleepers--
			w.mutex.Unlock()
		}
	}
}

// next removes the first room from the schedule and returns it as p, if it is due. If other rooms are scheduled, next
// may wake another worker for them.
//
// If no room is due, p is nil, and wait is the time until the first room is due. A wait above 0 is counted in
// w.sleepers, which the caller must decrement after the wait. The result wait is 0 if the schedule is empty or the
// workers are closed.
func (w *Workers) next() (p *clockedOutput, wait time.Duration) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.closed || len(w.queue) == 0 {
		return nil, 0
	}
	now := time.Now()
	if wait = w.queue[0].nextMix.Sub(now); wait > 0 {
		w.sleepers++
		return nil, wait
	}
	p = heap.Pop(&w.queue).(*clockedOutput)
	if len(w.queue) > 0 && (w.sleepers == 0 || !w.queue[0].nextMix.After(now)) { // let another worker take the next room
		w.wakeWorker()
	}
	return p, 0
}

// recordBlock adds one block to the statistics. The block was due at dueTime and was mixed from startTime to now; it
// counts as late if now is more than 20 ms after dueTime.
func (w *Workers) recordBlock(dueTime, startTime, now time.Time) {
	w.blocks.Add(1)
	if now.Sub(dueTime) > lateAfter {
		w.late.Add(1)
	}
	for duration := int64(now.Sub(startTime)); ; {
		longest := w.longest.Load()
		if duration <= longest || w.longest.CompareAndSwap(longest, duration) {
			return
		}
	}
}

// schedule is a heap of rooms, ordered by the time of their next mix.
type schedule []*clockedOutput

// Len implements heap.Interface.
func (s schedule) Len() int { return len(s) }

// Less implements heap.Interface. The room that must be mixed first comes first.
func (s schedule) Less(i, j int) bool { return s[i].nextMix.Before(s[j].nextMix) }

// Swap implements heap.Interface.
func (s schedule) Swap(i, j int) { s[i], s[j] = s[j], s[i] }

// Push implements heap.Interface. It appends p, which must be a *clockedOutput.
func (s *schedule) Push(p any) { *s = append(*s, p.(*clockedOutput)) }

// Pop implements heap.Interface. It removes and returns the last element, a *clockedOutput.
func (s *schedule) Pop() any {
	last := len(*s) - 1
	p := (*s)[last]
	(*s)[last] = nil
	*s = (*s)[:last]
	return p
}
