package showrun

import (
	"time"
)

// Actions of remote controls that the text commands lack, such as starting or stopping a single cue
// as in QLab.

// Start starts the cue called number from its beginning, and with it the cues that follow automatically. It reports an
// event. Unlike Go it does not change which cue is on standby for the next GO, and it ignores the guard time. A cue
// that is unknown or disabled in the sheet is an error. In a paused show the error is ErrPaused. Other errors are from
// the player.
func (s *Show) Start(number string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i, err := s.find(number)
	if err != nil {
		return err
	}
	if s.paused {
		return ErrPaused
	}
	if err := s.player.FireFrom(i, 0); err != nil {
		return err
	}
	s.report("start " + s.number(i))
	return nil
}

// StopCue fades out the cue called number, cancels its waits and reports an event. The parameter over is the length of
// the fade. A cue that follows it automatically still begins. If the cue is neither running nor waiting, StopCue has no
// effect and returns nil. The only error is an unknown number.
func (s *Show) StopCue(number string, over time.Duration) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i, err := s.sheet.ListIndex(number)
	if err != nil {
		return err
	}
	for _, r := range s.player.Playing() {
		if r.List == i {
			s.player.StopCue(i, over)
			s.report("stop " + s.number(i))
			break
		}
	}
	return nil
}

// PanicIn fades all sound out; the parameter over is the length of the fade. Unlike Panic it uses the same length for a
// second call, and it does not shorten the fade of a later Panic. It cancels cues that wait for their start, automatic
// starts of following cues, and the timeline. If the show is paused, PanicIn resumes it. It calls Options.Panicked and
// reports an event.
func (s *Show) PanicIn(over time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.paused { // a paused voice would never fade
		s.paused = false
		s.player.Hold(false)
	}
	s.stopAll(over)
	s.report("panic")
}

// Guarded returns the guard time of the show and the remaining part of it now. The guard is the time after a GO during
// which further GOs are ignored. If a GO would be accepted now, remaining is 0.
func (s *Show) Guarded() (guard, remaining time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.lastGo.IsZero() {
		remaining = max(s.options.Guard-time.Since(s.lastGo), 0)
	}
	return s.options.Guard, remaining
}
