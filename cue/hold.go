package cue

import (
	"sync/atomic"
	"time"

	"voicepool/pcm"
)

// hold has all stand still: what Render gives is faded, and then the mixer is not asked any more, so
// that everything goes on later as if nothing had been.
type hold struct {
	on     atomic.Bool
	window []float32 // a raised cosine from 1 to 0, over 10 ms
	faded  int       // of the window; the audio side's
}

func newHold(rate int) *hold {
	h := &hold{window: make([]float32, max(pcm.Frames(10*time.Millisecond, rate), 1))}
	for i := range h.window {
		h.window[i] = float32(0.5 + float64(0.5*pcm.CosPi(float64(i+1)/float64(len(h.window)))))
	}
	return h
}

// Hold has everything stand still at one frame, voices, timeline, waits and follow-ons alike, and
// go on from there, as if nothing had been: what is heard fades out and in within 10 ms. Any goroutine.
func (p *Player) Hold(on bool) { p.hold.on.Store(on) }

// render is Render, through a hold. Audio side.
func (h *hold) render(dst []pcm.Frame, mix func([]pcm.Frame) []pcm.Frame) {
	for on := h.on.Load(); len(dst) > 0; {
		n := len(dst)
		switch {
		case on && h.faded == len(h.window):
			clear(dst)
		case on:
			n = min(n, len(h.window)-h.faded)
			mix(dst[:n])
			for i := range dst[:n] {
				h.dim(&dst[i])
				h.faded++
			}
		case h.faded > 0:
			n = min(n, h.faded)
			mix(dst[:n])
			for i := range dst[:n] {
				h.faded--
				h.dim(&dst[i])
			}
		default:
			mix(dst)
		}
		dst = dst[n:]
	}
}

// dim takes a frame down as far as the fade is.
func (h *hold) dim(f *pcm.Frame) {
	g := h.window[h.faded]
	f[0], f[1] = float32(f[0]*g), float32(f[1]*g)
}
