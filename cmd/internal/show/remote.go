package show

import (
	"time"
)

// What remotes ask for beside the words of control: a cue that begins or ends by itself, as QLab's
// remotes know it.

// Start begins the cue of a number, and what goes on from it. Standby stays where it is, and the guard
// of GO does not count.
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

// Cease has the cue of a number fade out, where it runs or waits.
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

// PanicIn fades everything out within a time, and cancels waits, follow-ons and the timeline.
func (s *Show) PanicIn(over time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.paused { // what is paused would never fade
		s.paused = false
		s.player.Hold(false)
	}
	s.fall(over)
	s.tell("panic")
}

// Guarded returns the guard of GO, and how long no GO counts from now on.
func (s *Show) Guarded() (guard, left time.Duration) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if !s.pressed.IsZero() {
		left = max(s.options.Guard-time.Since(s.pressed), 0)
	}
	return s.options.Guard, left
}
