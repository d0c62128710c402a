package bank

import (
	"voicepool/mixer"
	"voicepool/voice"
)

// A stream is opened without holding mu, because its disk may be slow and other plays must continue. Random
// choices must depend only on the order of the plays of a name. Therefore a play that opens a stream reserves
// (claims) every sound that it draws for, and plays that need the same sounds wait.

// collectParts collects the parts of a sound.
func (s *sound) collectParts() {
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

// isClaimed reports whether another play has claimed a part of the sound. The caller holds mu.
func (s *sound) isClaimed() bool {
	for _, part := range s.parts {
		if part.claimed {
			return true
		}
	}
	return false
}

// claim reserves a sound for one play. The caller holds mu.
func (b *Bank) claim(s *sound) {
	b.claims++
	for _, part := range s.parts {
		part.claimed = true
	}
}

// endClaim ends a claim. The caller holds mu.
func (b *Bank) endClaim(s *sound) {
	b.claims--
	for _, part := range s.parts {
		part.claimed = false
	}
	b.claimEnded.Broadcast()
}

// waitForClaims waits until no play is opening a stream. The caller holds mu, which is released while waiting.
func (b *Bank) waitForClaims() {
	for b.claims > 0 {
		b.claimEnded.Wait()
	}
}

// startUnlocked starts a voice and releases mu for that time if it opens a stream.
func (b *Bank) startUnlocked(
	play func(*voice.Sound, mixer.Options) (mixer.Handle, error), file *voice.Sound, m mixer.Options,
) (mixer.Handle, error) {
	if file.Streamed() {
		b.mu.Unlock()
		defer b.mu.Lock()
	}
	return play(file, m)
}
