package room

import (
	"container/heap"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// step is how often a room without a card is mixed, and how long a block of it is at most. All rooms are
	// mixed at the same ticks: a worker wakes once for all of them.
	step = 10 * time.Millisecond

	// lateBy is from when on a block counts as late, and standstill from when on frames are left out.
	lateBy     = 20 * time.Millisecond
	standstill = time.Second
)

// Workers mix rooms that have no card: a few goroutines for any number of rooms. A room that sleeps is
// in none of their lists, and costs nothing. Any goroutine.
type Workers struct {
	began  time.Time // of the ticks
	mutex  sync.Mutex
	due    schedule
	timed  int // workers that sleep until the first of them is due
	closed bool

	wake  chan struct{} // has one when somebody is to look at the schedule anew
	done  chan struct{} // closed by Close
	group sync.WaitGroup

	rooms, awake          atomic.Int64
	blocks, late, skipped atomic.Int64
	longest               atomic.Int64 // nanoseconds
}

// NewWorkers starts n workers; 0: as many as there are processors.
func NewWorkers(n int) *Workers {
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	w := &Workers{began: time.Now(), wake: make(chan struct{}, 1), done: make(chan struct{})}
	for range n {
		w.group.Go(w.work)
	}
	return w
}

// Close ends them. Rooms that they mix stand still then.
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

// Pace is how well workers keep time.
type Pace struct {
	Rooms, Awake int           // rooms they mix, and those that are not silent
	Blocks       int64         // mixed since they began
	Late         int64         // of those, more than 20 ms after they were due
	Skipped      int64         // frames left out, after a standstill of more than a second
	Longest      time.Duration // that a block was mixed for
}

// Pace returns how well they keep time. Any goroutine.
func (w *Workers) Pace() Pace {
	return Pace{
		Rooms: int(w.rooms.Load()), Awake: int(w.awake.Load()), Blocks: w.blocks.Load(), Late: w.late.Load(),
		Skipped: w.skipped.Load(), Longest: time.Duration(w.longest.Load()),
	}
}

// add has a room be mixed at a time, and then until its turn says that it sleeps.
func (w *Workers) add(p *pace, at time.Time) {
	w.awake.Add(1)
	w.mutex.Lock()
	p.next = at
	heap.Push(&w.due, p)
	first := w.due[0] == p
	w.mutex.Unlock()
	if first {
		w.rouse()
	}
}

// rouse has a worker look at the schedule.
func (w *Workers) rouse() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// tick returns the last tick until a time.
func (w *Workers) tick(now time.Time) time.Time { return now.Add(-(now.Sub(w.began) % step)) }

// work is the life of a worker.
func (w *Workers) work() {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		p, wait := w.next()
		if p != nil {
			if at, again := p.turn(w); again {
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
			w.timed--
			w.mutex.Unlock()
		}
	}
}

// next takes the room that is due, or returns how long none is; 0: none is awake.
func (w *Workers) next() (p *pace, wait time.Duration) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.closed || len(w.due) == 0 {
		return nil, 0
	}
	now := time.Now()
	if wait = w.due[0].next.Sub(now); wait > 0 {
		w.timed++
		return nil, wait
	}
	p = heap.Pop(&w.due).(*pace)
	if len(w.due) > 0 && (w.timed == 0 || !w.due[0].next.After(now)) { // another worker takes the next
		w.rouse()
	}
	return p, 0
}

// mixed notes a block that was due at a time, and how long it took.
func (w *Workers) mixed(due, begun, now time.Time) {
	w.blocks.Add(1)
	if now.Sub(due) > lateBy {
		w.late.Add(1)
	}
	for took := int64(now.Sub(begun)); ; {
		longest := w.longest.Load()
		if took <= longest || w.longest.CompareAndSwap(longest, took) {
			return
		}
	}
}

// schedule is a heap of rooms by when they are due.
type schedule []*pace

func (s schedule) Len() int           { return len(s) }
func (s schedule) Less(i, j int) bool { return s[i].next.Before(s[j].next) }
func (s schedule) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *schedule) Push(p any)        { *s = append(*s, p.(*pace)) }
func (s *schedule) Pop() any {
	last := len(*s) - 1
	p := (*s)[last]
	(*s)[last] = nil
	*s = (*s)[:last]
	return p
}
