package refiner

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	"voicepool/sounds"
)

// held returns a sound whose levels wait until release is closed; made counts the levels.
func held(t *testing.T, release chan struct{}, made *atomic.Int32) *sounds.Sound {
	t.Helper()
	s, err := sounds.NewSound(sounds.Samples{
		Rate: 8000, Channels: 1, Data: make([]float32, 9000),
		Refine: func(_ *sounds.Sound, _ int, _ bool, _, frames int64) []float32 {
			<-release
			made.Add(1)
			return make([]float32, frames)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRequests checks that a level is computed once however often it is requested, that Wait waits for all levels,
// and that a later request of an existing level does not compute it again.
func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Refiner
		release, made := make(chan struct{}), new(atomic.Int32)
		s := held(t, release, made)
		for range 3 {
			r.Request(Level{Sound: s, Level: 1})
			r.Request(Level{Sound: s, Level: 2})
		}
		synctest.Wait()
		waited := false
		go func() { r.Wait(); waited = true }()
		if synctest.Wait(); waited {
			t.Error("Wait returns before the levels exist")
		}
		close(release)
		if synctest.Wait(); !waited {
			t.Error("Wait does not return")
		}
		r.Request(Level{Sound: s, Level: 1})
		r.Wait()
		if made.Load() != 2 || !s.Refined(1, false) || !s.Refined(2, false) || s.Refined(1, true) {
			t.Errorf("%d levels were computed, want 2", made.Load())
		}
	})
}

// TestCancel checks that CancelQueued leaves the levels that are being computed, and computes no others.
func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Refiner
		release, made := make(chan struct{}), new(atomic.Int32)
		s := held(t, release, made)
		for level := range sounds.Levels {
			r.Request(Level{Sound: s, Level: level})
		}
		synctest.Wait()
		running := len(r.running)
		r.CancelQueued()
		close(release)
		r.Wait()
		if int(made.Load()) != running || running == 0 {
			t.Errorf("%d levels were computed, want the %d that were begun", made.Load(), running)
		}
	})
}
