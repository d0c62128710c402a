package cue

import (
	"sync/atomic"
	"time"

	"voicepool/internal/ring"
	"voicepool/pcm"
)

// hold pauses a whole player. It fades the output and then stops calling the mixer, so that the show later
// continues as if it had not been interrupted.
type hold struct {
	on     atomic.Bool
	window []float32 // a raised cosine from 1 to 0, over 10 ms
	faded  int       // progress of the fade; audio side
	wide   int       // interleaved outputs

	// Fields of the audio side. flips passes the changes to the control side.
	was    bool
	output int64 // number of output frames
	flips  *ring.Ring[flip]
	plan   []flip // scheduled changes
}

// flip is the beginning or end of a hold.
type flip struct {
	output int64
	on     bool
}

// mostFlips is the capacity of the queue of flips.
const mostFlips = 1024

func fadeFrames(rate int) int64 { return max(pcm.Frames(10*time.Millisecond, rate), 1) }

func newHold(rate, wide int) *hold {
	h := &hold{wide: wide, window: make([]float32, fadeFrames(rate)), flips: ring.New[flip](mostFlips)}
	for i := range h.window {
		h.window[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i+1)/float64(len(h.window)))))
	}
	return h
}

// Hold pauses or resumes voices, timeline, waits and follow-ons together at one frame. The output fades
// within 10 ms. Any goroutine.
func (p *Player) Hold(on bool) {
	p.hold.on.Store(on)
	p.live.wakeUp()
}

// look reads the requested state and reports whether render is needed. Audio side.
func (h *hold) look(frames int) bool {
	if on := h.on.Load(); on != h.was && h.flips.Push(flip{h.output, on}) {
		h.was = on
	}
	h.output += int64(frames)
	return h.was || h.faded > 0
}

// untilFlip applies the scheduled changes that are due and returns the number of frames before the next
// one. Audio side.
func (h *hold) untilFlip(frames int) int {
	for len(h.plan) > 0 {
		next := &h.plan[0]
		if n := next.output - h.output; n > 0 {
			return int(min(n, int64(frames)))
		}
		h.on.Store(next.on)
		h.plan = h.plan[1:]
	}
	return frames
}

// render fills dst during a hold and its fades. Audio side.
func (h *hold) render(dst []pcm.Frame, mix func([]pcm.Frame) []pcm.Frame) {
	for len(dst) > 0 {
		n := len(dst) / h.wide
		switch {
		case h.was && h.faded == len(h.window):
			clear(dst)
			return
		case h.was:
			n = min(n, len(h.window)-h.faded)
		case h.faded > 0:
			n = min(n, h.faded)
		}
		n *= h.wide
		mix(dst[:n])
		h.fade(dst[:n])
		dst = dst[n:]
	}
}

// fade applies the fade of a hold to dst.
func (h *hold) fade(dst []pcm.Frame) {
	if !h.was && h.faded == 0 {
		return
	}
	for i := 0; i < len(dst); i += h.wide {
		if !h.was {
			h.faded--
		}
		for k := range h.wide {
			h.dim(&dst[i+k])
		}
		if h.was {
			h.faded++
		}
	}
}

// dim applies the current fade gain to a frame.
func (h *hold) dim(f *pcm.Frame) {
	g := h.window[h.faded]
	f[0], f[1] = float32(f[0]*g), float32(f[1]*g)
}
