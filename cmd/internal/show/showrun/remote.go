package showrun

import (
	"time"
)

// Actions of remote controls that the text commands lack, such as starting or stopping a single cue
// as in QLab.

// Start starts the cue called number, and so its follow-ons, and reports an event. Unlike Go, it does not move standby,
// and the guard does not apply. An unknown or disarmed cue is an error; in a paused show the error is ErrPaused.
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

// StopCue fades out the cue called number in the time over, cancels its waits and reports an event, if that cue is
// running or waiting. Otherwise it has no effect. Only an unknown number is an error.
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

// PanicIn is a Panic whose fade takes the time over, also if it is the second one. It cancels waits, follow-ons and the
// timeline, resumes a paused show, calls Options.Panicked and reports an event.
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

// Guarded returns the guard, the time after a GO during which further GOs are ignored, and remaining, the remaining
// part of it now. remaining is 0 if a GO is accepted.
func (s *Show) Guarded() (guard, remaining time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.lastGo.IsZero() {
		remaining = max(s.options.Guard-time.Since(s.lastGo), 0)
	}
	return s.options.Guard, remaining
}
