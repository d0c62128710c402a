package passfilter

import (
	"voicepool/internal/move"
	"voicepool/internal/property"
	"voicepool/pcm"
)

// highestCutoff limits cutoffs to this share of the sample rate. 0 means off.
const highestCutoff = 0.49

// Cutoff is a moving cutoff. The Move is in the binary logarithm of Hz. A low-pass that is off has 0.49 of
// the sample rate, a high-pass that is off has 20 Hz.
type Cutoff struct {
	move.Move
	wet move.Move // mix of the filtered signal, 0..1; 0: off
}

// openLowPass returns the cutoff of a low-pass that is practically off, 0.49 of the sample rate, as the binary
// logarithm of Hz. rate is in Hz.
func openLowPass(rate int) float64 { return pcm.Log2(float64(highestCutoff * float64(rate))) }

var openHighPass = pcm.Log2(property.MinCutoff) // at this cutoff a high-pass is practically off

// At converts hz, the cutoff of the filter id in Hz, to the binary logarithm of Hz. Cutoffs above 0.49 of rate, the
// sample rate in Hz, are lowered to 0.49 of it. If hz is 0 (off), the result is that upper limit for a low-pass, and
// the logarithm of 20 Hz for a high-pass.
func At(id property.ID, hz float64, rate int) float64 {
	switch {
	case hz != 0:
		return min(pcm.Log2(hz), openLowPass(rate))
	case id == property.HighPass:
		return openHighPass
	}
	return openLowPass(rate)
}

// Hz returns the cutoff in Hz at frame of the mix. It returns 0 if the filter is off then, so that the output has no
// filtered part. frame must not be before the beginning of the move.
func (c *Cutoff) Hz(frame int64) float64 {
	if c.wetAt(frame) == 0 {
		return 0
	}
	return pcm.Exp2(c.At(frame))
}

// Target returns the cutoff in Hz at the end of its move. It returns 0 if the filter is off then.
func (c *Cutoff) Target() float64 {
	if c.wet.To == 0 {
		return 0
	}
	return pcm.Exp2(c.To)
}

// wetAt returns the share of the filtered signal in the output at frame of the mix. 0 means that the filter is off, 1
// that the whole output is filtered. The share moves linearly in time; frame may also lie before or after its move.
func (c *Cutoff) wetAt(frame int64) float64 {
	if frame < c.wet.Start {
		return c.wet.From
	}
	return c.wet.At(frame)
}

// ramp starts a move of the cutoff at frame of the mix, from the value that it has there. The move lasts the given
// number of frames. The parameter to is the final cutoff, in log2 Hz. The filter also fades in or out, by moving the
// share of the filtered signal. If off is true, the filter fades out within the last fade frames of the move. Otherwise
// it fades in within the first fade frames, or stays on.
func (c *Cutoff) ramp(frame int64, to float64, off bool, frames, fade int64) {
	frames = max(frames, 0)
	fade = min(frames, fade)
	depth := move.Move{From: c.wetAt(frame), To: 1, Start: frame, Frames: fade}
	if off {
		depth.To, depth.Start = 0, frame+frames-fade
	}
	c.wet = depth
	c.Ramp(frame, to, frames)
}
