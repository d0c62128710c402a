package cue

import (
	"sync/atomic"
	"time"

	"voicepool/internal/ring"
	"voicepool/pcm"
)

// hold has all stand still: what Render gives is faded, and then the mixer is not asked any more, so
// that everything goes on later as if nothing had been.
type hold struct {
	on     atomic.Bool
	window []float32 // a raised cosine from 1 to 0, over 10 ms
	faded  int       // of the window; the audio side's
	wide   int       // outputs that are interleaved

	// The audio side's, but for what it tells.
	was    bool
	output int64 // frames given
	flips  *ring.Ring[flip]
	plan   []flip // that are to come by themselves
}

// flip is where a hold begins, or ends.
type flip struct {
	output int64
	on     bool
}

// mostFlips is how many wait to be read.
const mostFlips = 1024

func fadeFrames(rate int) int64 { return max(pcm.Frames(10*time.Millisecond, rate), 1) }

func newHold(rate, wide int) *hold {
	h := &hold{wide: wide, window: make([]float32, fadeFrames(rate)), flips: ring.New[flip](mostFlips)}
	for i := range h.window {
		h.window[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i+1)/float64(len(h.window)))))
	}
	return h
}

// Hold has everything stand still at one frame, voices, timeline, waits and follow-ons alike, and
// go on from there, as if nothing had been: what is heard fades out and in within 10 ms. Any goroutine.
func (p *Player) Hold(on bool) {
	p.hold.on.Store(on)
	p.live.rouse()
}

// look takes in whether all is held now, and reports whether render is needed. Audio side.
func (h *hold) look(frames int) bool {
	if on := h.on.Load(); on != h.was && h.flips.Push(flip{h.output, on}) {
		h.was = on
	}
	h.output += int64(frames)
	return h.was || h.faded > 0
}

// untilFlip returns how many of some frames come before the next flip by itself, which it makes where
// none does. Audio side.
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

// render is Render, through a hold. Audio side.
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

// fade takes frames as far down as a pause that begins or ends is.
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

// dim takes a frame down as far as the fade is.
func (h *hold) dim(f *pcm.Frame) {
	g := h.window[h.faded]
	f[0], f[1] = float32(f[0]*g), float32(f[1]*g)
}
