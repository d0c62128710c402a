package pace_test

import (
	"testing"
	"testing/synctest"
	"time"

	"voicepool/device"
	"voicepool/device/internal/pace"
	"voicepool/pcm"
)

// At 3 frames per second a block of one frame is not a whole number of nanoseconds: accumulated deadlines would
// drift.
func TestClockDoesNotDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := pace.NewClock(start, 3, 1)
		for range 3*3600 + 1 {
			c.Wait(nil)
		}
		if got := time.Since(start); got != time.Hour {
			t.Errorf("block 10800 of 1 frame at 3 Hz was due after %v, want 1h0m0s", got)
		}
	})
}

func TestClockCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		c := pace.NewClock(start, 1000, 10)
		c.Wait(nil)
		time.Sleep(95 * time.Millisecond)
		for range 9 {
			c.Wait(nil)
		}
		if got := time.Since(start); got != 95*time.Millisecond {
			t.Errorf("blocks 1..9 were given after %v, want 95ms: all overdue", got)
		}
		c.Wait(nil)
		if got := time.Since(start); got != 100*time.Millisecond {
			t.Errorf("block 10 was due after %v, want 100ms", got)
		}
	})
}

func TestClockStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		stop := make(chan struct{})
		time.AfterFunc(time.Second, func() { close(stop) })
		c := pace.NewClock(start, 1, 60)
		if !c.Wait(stop) {
			t.Error("the first block was not due at once")
		}
		if c.Wait(stop) {
			t.Error("Wait returned true after stop")
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("Wait returned after %v, want 1s", got)
		}
		if pace.NewClock(start, 1000, 1).Wait(stop) {
			t.Error("an overdue block was given after stop")
		}
	})
}

// silence is a silent source.
type silence struct{}

func (silence) Render(dst []pcm.Frame) { clear(dst) }

func TestPull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace.Lifecycle
		frames := 0
		keep := func(dst []pcm.Frame) { frames += len(dst) }
		if err := p.Pull(nil, 8, 1, 4, keep); err != device.ErrNoSource {
			t.Errorf("Start without a source: %v, want %v", err, device.ErrNoSource)
		}
		if err := p.Pull(silence{}, 8, 1, 4, keep); err != nil {
			t.Fatal(err)
		}
		if err := p.Pull(silence{}, 8, 1, 4, keep); err != device.ErrStarted {
			t.Errorf("second Start: %v, want %v", err, device.ErrStarted)
		}
		time.Sleep(10*time.Second - 1)
		synctest.Wait()
		ends := 0
		for range 2 {
			p.Close(func() { ends++ })
		}
		if ends != 1 {
			t.Errorf("two calls of Close ended it %d times, want once", ends)
		}
		time.Sleep(time.Minute)
		if frames != 80 {
			t.Errorf("%d frames were pulled in 10 s at 8 Hz, want 80", frames)
		}
		if err := p.Pull(silence{}, 8, 1, 4, keep); err != device.ErrClosed {
			t.Errorf("Start after Close: %v, want %v", err, device.ErrClosed)
		}
	})
}

func TestPullCloseWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace.Lifecycle
		hold := make(chan struct{})
		if err := p.Pull(silence{}, 8, 1, 4, func([]pcm.Frame) { <-hold }); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // until the call has started
		closed := false
		go func() {
			p.Close(func() {})
			closed = true
		}()
		synctest.Wait()
		if closed {
			t.Error("Close came back while a call was under way")
		}
		close(hold)
		synctest.Wait()
		if !closed {
			t.Error("Close did not come back after the last call")
		}
	})
}
