package callclock

import (
	"testing"
	"time"
)

// TestCallsKeepTheirDistances renders blocks of 10 ms. Calls between two blocks must get frames a lead later, as far
// apart as the calls.
func TestCallsKeepTheirDistances(t *testing.T) {
	now := time.Hour // any origin
	c := New(20*time.Millisecond, 1000, func() time.Duration { return now })
	for block := range int64(50) {
		for _, at := range []int64{0, 1, 4, 9} {
			now = time.Hour + time.Duration(10*block+at)*time.Millisecond
			if got, want := c.Frame(10*block), 10*block+at+20; got != want {
				t.Fatalf("block %d, after %d ms: frame %d, want %d", block, at, got, want)
			}
		}
	}
}

// TestFramesNeverDecrease checks that the frames grow although the clock panics, or does not move for a while.
func TestFramesNeverDecrease(t *testing.T) {
	now, panics := time.Duration(0), false
	c := New(5*time.Millisecond, 1000, func() time.Duration {
		if panics {
			panic("no clock")
		}
		return now
	})
	last := int64(0)
	for i := range int64(300) {
		if i/50%2 == 0 {
			now += time.Millisecond
		}
		panics = i%7 == 3
		got := c.Frame(i / 10 * 10)
		if got < last || got < i/10*10 {
			t.Fatalf("step %d: frame %d after %d", i, got, last)
		}
		last = got
	}
}

// TestALongPauseRestartsTheLine checks that calls are not delayed more than a lead after a time without rendering.
func TestALongPauseRestartsTheLine(t *testing.T) {
	now := time.Duration(0)
	c := New(20*time.Millisecond, 1000, func() time.Duration { return now })
	c.Frame(100)
	now = 10 * time.Second // only 10 frames were rendered in this time
	if got := c.Frame(110); got != 130 {
		t.Errorf("frame %d, want 130", got)
	}
}
