package sound

import (
	"sync/atomic"

	"voicepool/mixer"
	"voicepool/pcm"
)

// output is the renderer for the device. It plays one mixer and crossfades to another one within a block. The
// policy of a mixer is fixed, so a new policy needs a new mixer.
type output struct {
	next atomic.Pointer[mixer.Mixer] // set by the game
	now  atomic.Pointer[mixer.Mixer] // set by Render: the mixer that plays

	scratch [512]pcm.Frame
}

// Rate returns the sample rate in frames per second.
func (o *output) Rate() int { return o.next.Load().Rate() }

// Render fills dst with the next frames of the mix. After a change of the mixer it crossfades within the first 512
// frames of dst or fewer. It is called by the audio goroutine, and does not allocate or lock.
func (o *output) Render(dst []pcm.Frame) {
	now, next := o.now.Load(), o.next.Load()
	next.Render(dst)
	if now != nil && now != next {
		n := min(len(dst), len(o.scratch))
		now.Render(o.scratch[:n])
		for i, old := range o.scratch[:n] {
			in := float32(i+1) / float32(n)
			for c := range dst[i] {
				dst[i][c] = float32(dst[i][c]*in) + float32(old[c]*(1-in))
			}
		}
	}
	o.now.Store(next)
}
