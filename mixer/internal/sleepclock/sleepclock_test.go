package sleepclock

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestFramesAdvanceInASleep checks that frames follow the rendered frames while the mixer is awake, follow the system
// clock in a sleep, and never decrease.
func TestFramesAdvanceInASleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c Clock
		c.Init(1000)
		if got := c.Frame(70); got != 70 {
			t.Errorf("awake: frame %d, want 70", got)
		}
		if _, asleep := c.Offset(); asleep {
			t.Error("a new clock sleeps")
		}
		begin := time.Now()
		c.Begin(70 - c.Due(begin))
		if offset, asleep := c.Offset(); !asleep || offset+c.Due(begin.Add(5*time.Second)) != 5070 {
			t.Errorf("after 5 s: frame %d, sleeping is %v", offset+c.Due(begin.Add(5*time.Second)), asleep)
		}
		for want := int64(70); want < 90; want++ {
			if got := c.Frame(70); got != want {
				t.Fatalf("after %d ms: frame %d, want %d", want-70, got, want)
			}
			time.Sleep(time.Millisecond)
		}
		if c.End(); c.Frame(71) < 89 {
			t.Errorf("after the sleep: frame %d, want at least 89", c.Frame(71))
		}
		if c.Due(begin.Add(-time.Hour)) != 0 {
			t.Error("a time before the creation is not 0")
		}
	})
}

// TestWakeIsRequestedOnce checks that requests are kept only in a sleep, and that several make one.
func TestWakeIsRequestedOnce(t *testing.T) {
	var c Clock
	c.Init(1000)
	if c.RequestWake(); len(c.Requests()) != 0 {
		t.Error("a request while awake is kept")
	}
	c.Begin(0)
	c.RequestWake()
	c.RequestWake()
	if len(c.Requests()) != 1 {
		t.Errorf("%d requests are kept, want 1", len(c.Requests()))
	}
	c.DropRequest()
	c.DropRequest()
	if len(c.Requests()) != 0 {
		t.Error("a request is kept after it was dropped")
	}
}
