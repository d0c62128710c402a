package bank

import (
	"slices"

	"voicepool/mixer"
	"voicepool/sounds"
)

// A stream is opened without holding mu, because its disk may be slow and other plays must continue. Random
// choices must depend only on the order of the plays of a name. Therefore a play that opens a stream reserves
// (claims) every sound that it draws for, and plays that need the same sounds wait. It draws from the files that the
// sounds had at the claim, because Unload may replace them.

// collectParts sets s.parts to the sounds that a play of s draws for: s, its layers, and their successors by `then`.
// It sets s.streams if any of them is a stream. s.layers, and then of all sounds, must be set before.
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

// isClaimed reports whether a play has claimed any of s.parts, which include s. The caller holds mu.
func (s *sound) isClaimed() bool {
	return slices.ContainsFunc(s.parts, func(part *sound) bool { return part.claimed })
}

// claim reserves s and its parts for one play, which may release mu to open a stream. Other plays of them wait until
// endClaim. Requires that s is not claimed. The caller holds mu.
func (b *Bank) claim(s *sound) {
	b.claims++
	for _, part := range s.parts {
		part.claimed, part.claimedFiles = true, slices.Clone(part.files)
	}
}

// endClaim ends a claim of s and wakes the waiting plays. The caller holds mu.
func (b *Bank) endClaim(s *sound) {
	b.claims--
	for _, part := range s.parts {
		part.claimed, part.claimedFiles, part.stopped = false, nil, false
	}
	b.claimEnded.Broadcast()
}

// waitForClaims waits until no play is opening a stream. The caller holds mu, which is released while it waits.
func (b *Bank) waitForClaims() {
	for b.claims > 0 {
		b.claimEnded.Wait()
	}
}

// startUnlocked returns the result of play(file, m). If file is a stream, it releases mu during the call, because
// opening a stream takes time. The caller holds mu, also afterwards.
func (b *Bank) startUnlocked(
	play func(*sounds.Sound, mixer.Options) (mixer.Handle, error), file *sounds.Sound, m mixer.Options,
) (mixer.Handle, error) {
	if file.Streamed() {
		b.mu.Unlock()
		defer b.mu.Lock()
	}
	return play(file, m)
}
