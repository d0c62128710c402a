package room

import (
	"sync/atomic"
	"time"

	"voicepool/pcm"
)

// outputGate is the last stage of the mix in a room with a Lease. It fades the room in and out, and is closed
// while the lease does not hold. The room keeps playing behind a closed gate and stays in time.
type outputGate struct {
	lease       *Lease       // nil: always open
	requested   atomic.Int64 // length of the last requested fade in frames; negative: fade-out; 0: no request yet, closed
	gain        float32      // of the last frame; audio side
	leaseClosed bool         // closed by the lease; audio side
}

const (
	// reopenFade is the fade-in when the lease holds again.
	reopenFade = 10 * time.Millisecond

	// fadeOutMargin is the minimum time between a fade-out and the end of the lease.
	fadeOutMargin = 20 * time.Millisecond
)

// FadeIn makes a room that was opened with a Lease audible while the lease holds, with a fade-in of the length fade. It
// does not wait. Before the first FadeIn the room plays silently. A room without a Lease is always audible.
func (r *Room) FadeIn(fade time.Duration) { r.gate.requested.Store(max(pcm.Frames(fade, r.rate), 1)) }

// FadeOut makes a room with a Lease inaudible, with a fade-out of the given length, and returns at once. The room keeps
// playing, and FadeIn makes it audible again. On a room without a Lease, FadeOut has no effect.
func (r *Room) FadeOut(fade time.Duration) { r.gate.requested.Store(-max(pcm.Frames(fade, r.rate), 1)) }

// apply applies the fade that FadeIn or FadeOut has requested to block in place; before the first request block becomes
// silent. If the lease will not hold at the end of the block, apply silences the block. If the lease ends during the
// next block or within 20 ms, apply fades the block out. When the lease holds again after that, a room with a requested
// fade-in fades in over 10 ms instead.
//
// delay is the time from now until the block is heard. outputs is the number of stereo outputs that are interleaved in
// block, and rate is in Hz. Without a lease apply has no effect. Audio side.
func (v *outputGate) apply(block []pcm.Frame, outputs, rate int, delay time.Duration) {
	if v.lease == nil {
		return
	}
	frames := len(block) / outputs
	requested := v.requested.Load()
	step := float32(1)
	duration := pcm.Duration(int64(frames), rate)
	switch delay += duration; {
	case !v.lease.ValidFor(delay):
		v.gain, v.leaseClosed = 0, true
		step = -1
	case !v.lease.ValidFor(delay + max(duration, fadeOutMargin)): // the lease ends during the next block: fade out now
		step, v.leaseClosed = -v.gain/float32(max(frames, 1)), true
	case requested > 0 && v.leaseClosed:
		step = 1 / float32(pcm.Frames(reopenFade, rate))
	case requested != 0:
		step = 1 / float32(requested)
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
	if v.leaseClosed && step <= 0 {
		gain = 0 // exact despite rounding
		clear(block[max(len(block)-outputs, 0):])
	}
	if gain == 1 {
		v.leaseClosed = false
	}
	v.gain = gain
}
