package sound

import (
	"sync/atomic"

	"voicepool/mixer"
	"voicepool/pcm"
)

// output is what the device plays: one mixer, and for one block, as another takes its place, both.
// A policy belongs to a mixer for life, so a change of policy is a change of mixer.
type output struct {
	next atomic.Pointer[mixer.Mixer] // set by the game
	now  atomic.Pointer[mixer.Mixer] // set by Render: what it plays

	scratch [512]pcm.Frame
}

// Rate returns the frames per second.
func (o *output) Rate() int { return o.next.Load().Rate() }

// Render is the audio side: it allocates nothing and takes no lock.
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
