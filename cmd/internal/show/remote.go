package show

import (
	"time"
)

// Actions of remote controls that the text commands lack, such as starting or stopping a single cue
// as in QLab.

// Start starts the cue with a number and its follow-ons. Standby does not move, and the guard of GO does
// not apply. It returns an error for an unknown or disarmed cue, and ErrPaused in a paused show.
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
	s.tell("start " + s.number(i))
	return nil
}

// Cease fades out the cue with a number within over, if it is running or waiting; otherwise it changes no
// state and returns nil. Only an unknown number is an error.
func (s *Show) Cease(number string, over time.Duration) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	i, err := s.sheet.Place(number)
	if err != nil {
		return err
	}
	for _, r := range s.player.Playing() {
		if r.List == i {
			s.player.Cease(i, over)
			s.tell("stop " + s.number(i))
			break
		}
	}
	return nil
}

// PanicIn fades everything out within over, and cancels waits, follow-ons and the timeline. It resumes a
// paused show.
func (s *Show) PanicIn(over time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.paused { // a paused voice would never fade
		s.paused = false
		s.player.Hold(false)
	}
	s.fall(over)
	s.tell("panic")
}

// Guarded returns the guard of GO (for this time after a GO, others are ignored) and the rest of it that
// still runs, or 0.
func (s *Show) Guarded() (guard, left time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.pressed.IsZero() {
		left = max(s.options.Guard-time.Since(s.pressed), 0)
	}
	return s.options.Guard, left
}
