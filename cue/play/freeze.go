package play

import (
	"sync/atomic"

	"voicepool/cue"
	"voicepool/cue/internal/pauseclock"
	"voicepool/internal/ring"
	"voicepool/pcm"
)

// freeze pauses a whole player. It fades the output and then stops calling the mixer, so that the show later
// continues as if it had not been interrupted.
type freeze struct {
	on           atomic.Bool
	window       []float32 // a raised cosine from 1 to 0, over 10 ms
	fadeProgress int       // progress of the fade; audio side
	outputs      int       // interleaved outputs

	// Fields of the audio side. changes passes the changes to the control side.
	frozen    bool
	output    int64 // number of output frames
	changes   *ring.Ring[freezeChange]
	scheduled []freezeChange // scheduled changes
}

// freezeChange is the beginning or end of a freeze.
type freezeChange struct {
	output int64
	on     bool
}

// maxFreezeChanges is the capacity of the queue of changes.
const maxFreezeChanges = 1024

// newFreeze returns the pause state of a player that is not paused. rate is in Hz, and outputs is the number of
// interleaved stereo outputs.
func newFreeze(rate, outputs int) *freeze {
	h := &freeze{outputs: outputs, window: make([]float32, pauseclock.FadeFrames(rate)), changes: ring.New[freezeChange](maxFreezeChanges)}
	for i := range h.window {
		h.window[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i+1)/float64(len(h.window)))))
	}
	return h
}

// update prepares the pause state for the next block of output. First it takes over the state that Hold requested
// last, and queues that change in h.changes for the goroutine of Run. If that queue is full, the change waits for a
// later block. Then it adds frames, the length of the block, to the count of output frames.
//
// The result is true if the show is paused or fades for a pause. The caller then fills the block with render.
// Otherwise the caller mixes as usual. Audio side.
func (h *freeze) update(frames int) bool {
	if on := h.on.Load(); on != h.frozen && ring.Push(h.changes, freezeChange{h.output, on}) {
		h.frozen = on
	}
	h.output += int64(frames)
	return h.frozen || h.fadeProgress > 0
}

// framesUntilChange requests the scheduled beginnings and ends of pauses that are due at the current frame of the
// output. It removes each from h.scheduled and sets h.on, as Hold does; the next update begins or ends the pause. The
// result is the number of frames before the next scheduled change, but at most the parameter frames. Audio side.
func (h *freeze) framesUntilChange(frames int) int {
	for len(h.scheduled) > 0 {
		next := &h.scheduled[0]
		if n := next.output - h.output; n > 0 {
			return int(min(n, int64(frames)))
		}
		h.on.Store(next.on)
		h.scheduled = h.scheduled[1:]
	}
	return frames
}

// render fills dst while the show is paused or fades for a pause. dst holds h.outputs elements for each frame of the
// output, one per stereo output. During a fade render calls mix for the next frames and applies the fade to them. When
// the fade-out is complete, the rest of dst is silent, and mix is not called. After a fade-in the rest of dst is mixed
// without a fade. The result of mix is ignored. Audio side.
func (h *freeze) render(dst []pcm.Frame, mix func([]pcm.Frame) []pcm.Frame) {
	for len(dst) > 0 {
		n := len(dst) / h.outputs
		switch {
		case h.frozen && h.fadeProgress == len(h.window):
			clear(dst)
			return
		case h.frozen:
			n = min(n, len(h.window)-h.fadeProgress)
		case h.fadeProgress > 0:
			n = min(n, h.fadeProgress)
		}
		n *= h.outputs
		mix(dst[:n])
		h.fade(dst[:n])
		dst = dst[n:]
	}
}

// fade applies the fade of a pause to dst, in place. dst holds h.outputs elements for each frame of the output, one per
// stereo output. fade multiplies the elements of each frame by the current gain, and moves the fade by one step per
// frame: out if the show is paused, otherwise in. If the show is neither paused nor fading, dst is unchanged. dst must
// not reach beyond the end of the fade; after a complete fade-out, fade must not be called. Audio side.
func (h *freeze) fade(dst []pcm.Frame) {
	if !h.frozen && h.fadeProgress == 0 {
		return
	}
	for i := 0; i < len(dst); i += h.outputs {
		if !h.frozen {
			h.fadeProgress--
		}
		g := h.window[h.fadeProgress]
		for k := range h.outputs {
			f := &dst[i+k]
			f[0], f[1] = float32(f[0]*g), float32(f[1]*g)
		}
		if h.frozen {
			h.fadeProgress++
		}
	}
}

// pauseChanges returns the beginnings and ends of pauses among goes, in the same order, as frames of the output.
// Without pauses the result is nil. rate is the sample rate in Hz.
func pauseChanges(goes []cue.Go, rate int) (changes []freezeChange) {
	for i := range goes {
		if d := goes[i].Action; d == cue.ActionPause || d == cue.ActionResume {
			changes = append(changes, freezeChange{goes[i].At.Frames(rate), d == cue.ActionPause})
		}
	}
	return changes
}
