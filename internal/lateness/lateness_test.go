package lateness

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		extra := 0
		c := start(func(d time.Duration) {
			if extra++; extra%10 == 0 { // each tenth sleep is 20 ms too long
				d += 20 * time.Millisecond
			}
			time.Sleep(d)
		})
		defer c.Stop()
		began := time.Now()
		time.Sleep(700 * time.Millisecond) // ten rounds of 9 × 5 + 25 ms
		synctest.Wait()
		for _, one := range []struct{ from, to, lost, worst time.Duration }{
			{0, 700, 200, 20},
			{0, 350, 100, 20},
			{0, 50, 0, 0}, // nine sleeps were on time, and the tenth is due at 50 ms
			{0, 60, 10, 10},
			{55, 120, 15, 15},
			{700, 700, 0, 0},
		} {
			from, to := began.Add(one.from*time.Millisecond), began.Add(one.to*time.Millisecond)
			if lost, worst := c.Lost(from, to), c.Worst(from, to); lost != one.lost*time.Millisecond || worst != one.worst*time.Millisecond {
				t.Errorf("from %d to %d ms: lost %v, worst %v, want %d and %d ms", one.from, one.to, lost, worst, one.lost, one.worst)
			}
		}
	})
}

// TestLostSoFar checks that an unfinished sleep counts from its due time.
func TestLostSoFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := start(func(time.Duration) { time.Sleep(time.Second) })
		defer c.Stop()
		began := time.Now()
		time.Sleep(105 * time.Millisecond)
		if lost := c.Lost(began, time.Now()); lost != 100*time.Millisecond {
			t.Errorf("lost %v, want 100 ms", lost)
		}
	})
}
