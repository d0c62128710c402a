package bank

import (
	"voicepool/mixer"
	"voicepool/voice"
)

// A stream is opened without the bank's mutex: its disk may be slow, and other plays go on. So
// that chances depend on nothing but the order of the plays of a name, a play that opens one claims
// all that it draws for, and plays that draw for the same wait.

// list gathers the parts of a sound.
func (s *sound) list() {
	s.parts = append(s.parts[:0], s)
	for _, l := range s.layers {
		for part := l.sound; part != nil; part = part.then {
			s.parts = append(s.parts, part)
		}
	}
	for part := s.then; part != nil; part = part.then {
		s.parts = append(s.parts, part)
	}
	for _, part := range s.parts {
		s.streams = s.streams || part.rules.Stream
	}
}

// taken reports whether another play has claimed a part of the sound. The mutex is held.
func (s *sound) taken() bool {
	for _, part := range s.parts {
		if part.claimed {
			return true
		}
	}
	return false
}

// claim keeps a sound for one play. The mutex is held.
func (b *Bank) claim(s *sound) {
	b.claims++
	for _, part := range s.parts {
		part.claimed = true
	}
}

// leave ends a claim. The mutex is held.
func (b *Bank) leave(s *sound) {
	b.claims--
	for _, part := range s.parts {
		part.claimed = false
	}
	b.settled.Broadcast()
}

// wait waits until no play is opening a stream. The mutex is held, but not meanwhile.
func (b *Bank) wait() {
	for b.claims > 0 {
		b.settled.Wait()
	}
}

// outside asks the mixer for a start, without the mutex if that opens a stream.
func (b *Bank) outside(
	play func(*voice.Sound, mixer.Options) (mixer.Handle, error), file *voice.Sound, m mixer.Options,
) (mixer.Handle, error) {
	if file.Streamed() {
		b.mu.Unlock()
		defer b.mu.Lock()
	}
	return play(file, m)
}
