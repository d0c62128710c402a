package cue

import (
	"math"
	"sync/atomic"

	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// Render is the source of a device. Audio side: it takes no lock and does not
// allocate. After the sheet's length it is silent.
func (p *Player) Render(dst []pcm.Frame) {
	if room := p.cut - p.mixer.Now(); p.cut != never && int64(len(dst)) > room+int64(p.mixer.LatencyFrames()) {
		n := max(room+int64(p.mixer.LatencyFrames()), 0)
		clear(dst[n:])
		dst = dst[:n]
	}
	if len(dst) > 0 {
		p.mixer.Render(dst)
	}
	p.heard.hear(dst)
}

// Levels returns the highest samples, left and right, that Render or Read gave
// since the last call, as linear factors. Any goroutine.
func (p *Player) Levels() (left, right float32) {
	return math.Float32frombits(p.heard.levels[0].Swap(0)), math.Float32frombits(p.heard.levels[1].Swap(0))
}

// heard measures what a player gives. But for its levels it belongs to the side
// that gives it.
type heard struct {
	meter   *loudness.Meter
	peak    float32
	samples [512]float32
	levels  [2]atomic.Uint32 // left and right, float32 bits, since somebody looked
}

// hear measures some frames. Audio side.
func (h *heard) hear(frames []pcm.Frame) {
	left, right := float32(0), float32(0)
	for _, f := range frames {
		left = max(left, f[0], -f[0])
		right = max(right, f[1], -f[1])
	}
	h.peak = max(h.peak, left, right)
	for c, x := range [...]float32{left, right} { // whoever reads a level only ever sets it back to 0
		level, bits := &h.levels[c], math.Float32bits(x)
		for old := level.Load(); bits > old && !level.CompareAndSwap(old, bits); {
			old = level.Load()
		}
	}
	for len(frames) > 0 {
		n := min(len(frames), len(h.samples)/2)
		for i, f := range frames[:n] {
			h.samples[2*i], h.samples[2*i+1] = f[0], f[1]
		}
		h.meter.Write(h.samples[:2*n])
		frames = frames[n:]
	}
}
