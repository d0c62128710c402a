package bank

import (
	"fmt"

	"voicepool/mixer"
	"voicepool/space"
)

// SetPositions moves plays[i] to spots[i], with all its layers and followers, like mixer.SetPositions. It skips plays
// that have ended or were started without an Emitter. On an error it moves no voice: ErrMixer without a mixer, or an
// error that wraps mixer.ErrOption if the lengths differ, a spot is invalid or a play belongs to another bank.
// Control side. SetPositions allocates only if it moves more voices than in any earlier call.
func (b *Bank) SetPositions(plays []Handle, spots []space.Spot) error {
	if len(plays) != len(spots) {
		return fmt.Errorf("%w: %d plays and %d places", mixer.ErrOption, len(plays), len(spots))
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mixer == nil {
		return ErrMixer
	}
	b.voiceBuffer, b.spotBuffer = b.voiceBuffer[:0], b.spotBuffer[:0]
	for i, h := range plays {
		one := [1]mixer.Handle{h.Handle}
		voices := one[:]
		if p := h.play; p != nil {
			if p.bank != b {
				return fmt.Errorf("%w: play %d is another bank's", mixer.ErrOption, i)
			}
			voices = p.voices
			if p.age != h.age {
				one[0] = mixer.Handle{} // its spot is still validated
				voices = one[:]
			}
		}
		for _, v := range voices {
			b.voiceBuffer, b.spotBuffer = append(b.voiceBuffer, v), append(b.spotBuffer, spots[i])
		}
	}
	return b.mixer.SetPositions(b.voiceBuffer, b.spotBuffer)
}
