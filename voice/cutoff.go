package voice

import "voicepool/pcm"

// The range of a cutoff, in Hz. One beyond 0.49 of the rate counts as 0.49 of it. 0 is off.
const (
	MinCutoff = 20
	MaxCutoff = 20000
)

// highestCutoff is the share of the rate beyond which no cutoff goes.
const highestCutoff = 0.49

// Cutoff is a cutoff on its way: the Move is that of its binary logarithm, in Hz. Off is 0.49 of the
// rate for a low-pass, 20 Hz for a high-pass.
type Cutoff struct {
	Move
	depth Move // how much of the filter is heard, 0..1: 0 where it is off
}

// openAt returns the logarithm of the cutoff that is as good as no low-pass.
func openAt(rate int) float64 { return pcm.Log2(float64(highestCutoff * float64(rate))) }

var closedAt = pcm.Log2(MinCutoff) // as good as no high-pass

// LowPassAt and HighPassAt return where a cutoff comes to rest, as Cutoff has it; hz 0: off.
func LowPassAt(hz float64, rate int) float64 {
	if hz == 0 {
		return openAt(rate)
	}
	return min(pcm.Log2(hz), openAt(rate))
}

// HighPassAt is described at LowPassAt.
func HighPassAt(hz float64, rate int) float64 {
	if hz == 0 {
		return closedAt
	}
	return min(pcm.Log2(hz), openAt(rate))
}

// Hz returns the cutoff at a frame; 0: it is off.
func (c *Cutoff) Hz(frame int64) float64 {
	if c.heard(frame) == 0 {
		return 0
	}
	return pcm.Exp2(c.At(frame))
}

// Goal returns the cutoff to which it is on its way; 0: off.
func (c *Cutoff) Goal() float64 {
	if c.depth.To == 0 {
		return 0
	}
	return pcm.Exp2(c.To)
}

// heard returns how much of the filter is heard at a frame, in proportion to time.
func (c *Cutoff) heard(frame int64) float64 {
	if frame < c.depth.Start {
		return c.depth.From
	}
	return c.depth.At(frame)
}

// turn starts a move to a place. A filter that comes to be is heard within fade frames from here on;
// one that goes is not heard any more within the last of them.
func (c *Cutoff) turn(frame int64, to float64, off bool, frames, fade int64) {
	frames = max(frames, 0)
	fade = min(frames, fade)
	depth := Move{From: c.heard(frame), To: 1, Start: frame, Frames: fade}
	if off {
		depth.To, depth.Start = 0, frame+frames-fade
	}
	c.depth = depth
	c.Turn(frame, to, frames)
}
