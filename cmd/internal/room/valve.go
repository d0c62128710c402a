package room

import (
	"sync/atomic"
	"time"

	"voicepool/pcm"
)

// valve is the last thing that a mix goes through before it is heard, in a room that has a Permit: it fades
// in and out, and is shut while the permit does not hold. The room plays on behind it, and is in time when it opens.
type valve struct {
	permit *Permit      // nil: it is always open
	asked  atomic.Int64 // frames of the last fade that was asked for; below 0: out; 0: none was yet, and it is shut
	gain   float32      // of the last frame; the audio side's
	barred bool         // by the permit; the audio side's
}

const (
	// reopening is how long a room fades in that may be heard again.
	reopening = 10 * time.Millisecond

	// soon is how long before the end of a permit a room fades out, at least.
	soon = 20 * time.Millisecond
)

// Enter has a room be heard that was opened with a Permit, after a fade. Before, it plays unheard.
func (r *Room) Enter(fade time.Duration) { r.valve.asked.Store(max(pcm.Frames(fade, r.rate), 1)) }

// Leave has a room be heard no more, after a fade. It does not wait for that.
func (r *Room) Leave(fade time.Duration) { r.valve.asked.Store(-max(pcm.Frames(fade, r.rate), 1)) }

// shape fades a block of frames of so many outputs, which is heard after a time. Audio side.
func (v *valve) shape(block []pcm.Frame, outputs, rate int, ahead time.Duration) {
	if v.permit == nil {
		return
	}
	frames := len(block) / outputs
	asked := v.asked.Load()
	step := float32(1)
	lasts := pcm.Duration(int64(frames), rate)
	switch ahead += lasts; {
	case !v.permit.Holds(ahead):
		v.gain, v.barred = 0, true
		step = -1
	case !v.permit.Holds(ahead + max(lasts, soon)): // it ends with the next block: this one fades
		step, v.barred = -v.gain/float32(max(frames, 1)), true
	case asked > 0 && v.barred:
		step = 1 / float32(pcm.Frames(reopening, rate))
	case asked != 0:
		step = 1 / float32(asked)
	default:
		step = -1
	}
	if v.gain == 1 && step > 0 {
		return
	}
	if v.gain == 0 && step <= 0 {
		clear(block)
		return
	}
	gain := v.gain
	for i := range frames {
		gain = min(max(gain+step, 0), 1)
		for o := range outputs {
			f := &block[i*outputs+o]
			f[0], f[1] = f[0]*gain, f[1]*gain
		}
	}
	if v.barred && step <= 0 {
		gain = 0 // whatever was rounded
		clear(block[max(len(block)-outputs, 0):])
	}
	if gain == 1 {
		v.barred = false
	}
	v.gain = gain
}
