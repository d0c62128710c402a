// Package lateness measures how late a machine lets a process run, as a control for measurements of time.
//
// A Control sleeps for 5 ms again and again and notes by how much each sleep is too long. A test subtracts the time
// that the control lost from the time that it measured, in the same seconds and on the same machine.
package lateness

import (
	"sync"
	"time"
)

const (
	sleepTime = 5 * time.Millisecond
	tolerance = time.Millisecond // lateness of a quiet machine
)

// Control measures lateness from Start to Stop. Its methods may be called from any goroutine.
type Control struct {
	mutex    sync.Mutex
	wakeTime time.Time // when the current sleep should end
	late     []oversleep
	stop     chan struct{}
	done     chan struct{}
}

// oversleep is a sleep that ended too late.
type oversleep struct{ due, woke time.Time }

// Start starts a control, whose goroutine runs until Stop.
func Start() *Control { return start(time.Sleep) }

// start starts a control that sleeps with the given function.
func start(sleep func(time.Duration)) *Control {
	c := &Control{wakeTime: time.Now().Add(sleepTime), stop: make(chan struct{}), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		for {
			select {
			case <-c.stop:
				return
			default:
			}
			c.mutex.Lock()
			c.wakeTime = time.Now().Add(sleepTime)
			c.mutex.Unlock()
			sleep(sleepTime)
			if woke := time.Now(); woke.Sub(c.wakeTime) > tolerance {
				c.mutex.Lock()
				c.late = append(c.late, oversleep{c.wakeTime, woke})
				c.mutex.Unlock()
			}
		}
	}()
	return c
}

// Stop ends the measurement. Its results can still be read.
func (c *Control) Stop() {
	close(c.stop)
	<-c.done
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.wakeTime = time.Now().Add(1 << 62)
}

// Lost returns the sum of the lateness between two times. Both may be in the past; to may be now.
func (c *Control) Lost(from, to time.Time) time.Duration {
	sum, _ := c.between(from, to)
	return sum
}

// Worst returns the longest lateness between two times, 0 without lateness. Only the part between them counts.
func (c *Control) Worst(from, to time.Time) time.Duration {
	_, worst := c.between(from, to)
	return worst
}

// between returns the sum and the maximum of the parts of all lateness between two times, including a sleep that is
// late now.
func (c *Control) between(from, to time.Time) (sum, worst time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	add := func(n oversleep) {
		if n.due.Before(from) {
			n.due = from
		}
		if n.woke.After(to) {
			n.woke = to
		}
		if d := n.woke.Sub(n.due); d > 0 {
			sum += d
			worst = max(worst, d)
		}
	}
	for i := len(c.late) - 1; i >= 0 && c.late[i].woke.After(from); i-- {
		add(c.late[i])
	}
	if now := time.Now(); now.Sub(c.wakeTime) > tolerance { // it should have woken by now
		add(oversleep{c.wakeTime, now})
	}
	return sum, worst
}
