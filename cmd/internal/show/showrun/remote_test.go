package showrun_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"voicepool/cmd/internal/show/showrun"
	"voicepool/cue/play"
)

// TestStart checks that a cue starts without standby and guard, unless the show is paused.
func TestStart(t *testing.T) {
	s, p := newShow(t, showrun.Options{Guard: time.Hour})
	for _, number := range []string{"3", "3", "4"} {
		if err := s.Start(number); err != nil {
			t.Error(err)
		}
	}
	for number, why := range map[string]string{"2.5": "arm: false", "9": `the number "9"`} {
		if err := s.Start(number); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("start %s: %v", number, err)
		}
	}
	if got := p.take(); got != "fire 3, fire 3, fire 4" || s.State().Standby != "1" {
		t.Errorf("asked for %q, %q stands by", got, s.State().Standby)
	}
	s.Pause(true)
	if err := s.Start("3"); err == nil || p.take() != "hold true" {
		t.Errorf("a cue starts in a pause: %v", err)
	}
}

// TestCease checks that only the cue with the number ends, and only if it is running or waiting.
func TestCease(t *testing.T) {
	s, p := newShow(t, showrun.Options{})
	p.playing = []play.Running{{List: 1}, {List: 1}, {List: 4, Waiting: true}}
	for _, number := range []string{"2", "4", "1"} {
		if err := s.StopCue(number, time.Second); err != nil {
			t.Error(err)
		}
	}
	if err := s.StopCue("9", time.Second); err == nil {
		t.Error("a cue that there is not ends")
	}
	if got := p.take(); got != "cease 1 1s, cease 4 1s" {
		t.Errorf("asked for %q", got)
	}
}

// TestPanicIn checks the length of the fade, even from a pause.
func TestPanicIn(t *testing.T) {
	s, p := newShow(t, showrun.Options{})
	s.PanicIn(3 * time.Second)
	s.Pause(true)
	s.PanicIn(time.Second)
	if got := p.take(); got != "panic 3s, hold true, hold false, panic 1s" || s.Paused() {
		t.Errorf("asked for %q", got)
	}
}

// TestGuarded checks the remaining time of the guard.
func TestGuarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newShow(t, showrun.Options{Guard: 300 * time.Millisecond})
		for _, c := range []struct{ wait, left time.Duration }{
			{0, 0}, {0, 300 * time.Millisecond}, {100 * time.Millisecond, 200 * time.Millisecond}, {time.Second, 0},
		} {
			time.Sleep(c.wait)
			if guard, left := s.Guarded(); guard != 300*time.Millisecond || left != c.left {
				t.Errorf("%v of %v are left, want %v", left, guard, c.left)
			}
			if c.wait == 0 {
				_ = s.Go("")
			}
		}
	})
}
