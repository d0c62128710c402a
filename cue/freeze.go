package cue

import (
	"sync/atomic"
	"time"

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

// fadeFrames returns the length of the fades of a freeze in frames: 10 ms, but at least 1 frame. rate is in Hz.
func fadeFrames(rate int) int64 { return max(pcm.Frames(10*time.Millisecond, rate), 1) }

// newFreeze returns a freeze that is off. rate is in Hz, and outputs is the number of interleaved stereo outputs.
func newFreeze(rate, outputs int) *freeze {
	h := &freeze{outputs: outputs, window: make([]float32, fadeFrames(rate)), changes: ring.New[freezeChange](maxFreezeChanges)}
	for i := range h.window {
		h.window[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i+1)/float64(len(h.window)))))
	}
	return h
}

// Hold freezes the show if on is true and continues it otherwise: voices, timeline, waits and follow-ons pause and
// resume together at one frame. The output fades within 10 ms. Hold returns at once, and a second call with the same
// value has no effect. Any goroutine.
func (p *Player) Hold(on bool) {
	p.freeze.on.Store(on)
	p.live.wakeUp()
}

// update applies the state that Hold requested and counts the next block, of the given number of frames, as output. It
// returns true if the show is frozen or fading: the caller then fills the block with render, and otherwise mixes as
// usual. Audio side.
func (h *freeze) update(frames int) bool {
	if on := h.on.Load(); on != h.frozen && ring.Push(h.changes, freezeChange{h.output, on}) {
		h.frozen = on
	}
	h.output += int64(frames)
	return h.frozen || h.fadeProgress > 0
}

// framesUntilChange sets the state of Hold to the scheduled changes that are due. It returns the number of frames
// before the next scheduled change; at most frames. Audio side.
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

// render fills dst, interleaved outputs, during a freeze and its fades. It calls mix for the frames of a fade and
// ignores its result; the other frames are silent. If the fade back in ends within dst, the rest is mixed as usual.
// Audio side.
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

// fade multiplies the frames of dst, interleaved outputs, by the fade of a freeze and advances the fade by one gain
// per frame. Outside a freeze and its fades it does not change dst. Otherwise dst must not reach beyond the end of the
// fade. Audio side.
func (h *freeze) fade(dst []pcm.Frame) {
	if !h.frozen && h.fadeProgress == 0 {
		return
	}
	for i := 0; i < len(dst); i += h.outputs {
		if !h.frozen {
			h.fadeProgress--
		}
		for k := range h.outputs {
			h.applyGain(&dst[i+k])
		}
		if h.frozen {
			h.fadeProgress++
		}
	}
}

// applyGain multiplies both channels of f by the gain that the fade has reached. A fade must be running: h.fadeProgress
// is an index of its window.
func (h *freeze) applyGain(f *pcm.Frame) {
	g := h.window[h.fadeProgress]
	f[0], f[1] = float32(f[0]*g), float32(f[1]*g)
}
