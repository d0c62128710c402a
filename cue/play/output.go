package play

import (
	"math"

	"voicepool/mixer"
	"voicepool/pcm"
)

// output produces the frames of a show for a device. Its methods belong to the audio side: they take no lock and do not
// allocate.
type output struct {
	mixer   *mixer.Mixer
	cut     int64 // length of the sheet in frames; never: unlimited
	outputs int   // interleaved outputs
	freeze  *freeze
	meter   outputMeter
	mix     func([]pcm.Frame) []pcm.Frame // mixUntilCut as a function value
}

// Outputs returns the number of stereo outputs (pairs of channels) in the slices of Render and Read. Frame i of output
// k, both from 0, is dst[i*Outputs()+k]. The result is 1 for a sheet without `outputs` and for a downmix.
func (p *Player) Outputs() int { return p.outputs }

// Rate returns the sample rate of the sheet in Hz. It implements device.Rated.
func (p *Player) Rate() int { return p.rate }

// Levels returns the highest absolute samples of the left and of the right channels since the last call. They are
// linear factors over all outputs of Render or Read. Each call resets them to 0. Any goroutine.
func (p *Player) Levels() (left, right float32) {
	levels := &p.output.meter.levels
	return math.Float32frombits(levels[0].Swap(0)), math.Float32frombits(levels[1].Swap(0))
}

// Render fills dst with the next frames of the show, for a device. Each frame has one element of dst per stereo output;
// see Outputs. An incomplete frame at the end of dst is cleared. While the show is held, and after the sheet's length,
// the output is silent. The output is measured for Levels and Report. Audio side: Render takes no lock and does not
// allocate.
func (p *Player) Render(dst []pcm.Frame) { p.output.render(dst) }

// render fills dst as Player.Render does.
func (o *output) render(dst []pcm.Frame) {
	for dst = o.completeFrames(dst); len(dst) > 0; {
		now := dst[:o.freeze.framesUntilChange(len(dst)/o.outputs)*o.outputs]
		dst = dst[len(now):]
		if o.freeze.update(len(now) / o.outputs) {
			o.freeze.render(now, o.mix)
		} else {
			now = o.mixUntilCut(now)
		}
		o.meter.measure(now)
	}
}

// completeFrames returns the part of dst that has complete frames, and clears the rest of dst. A frame has o.outputs
// elements, one for each stereo output.
func (o *output) completeFrames(dst []pcm.Frame) []pcm.Frame {
	if o.outputs == 1 {
		return dst
	}
	n := len(dst) / o.outputs * o.outputs
	clear(dst[n:])
	return dst[:n]
}

// mixUntilCut mixes the next frames of the show into dst, at most up to the sheet's length plus the latency of the
// mixer. dst is interleaved: for each instant of the mix it has one element per output, o.outputs in all. The rest of
// dst is cleared. It returns the part of dst that was mixed, which is all of dst if the sheet has no length.
func (o *output) mixUntilCut(dst []pcm.Frame) []pcm.Frame {
	remaining := o.cut - o.mixer.Now() + int64(o.mixer.LatencyFrames())
	if o.cut != never && int64(len(dst)/o.outputs) > remaining {
		n := max(remaining, 0) * int64(o.outputs)
		clear(dst[n:])
		dst = dst[:n]
	}
	if len(dst) > 0 {
		o.mixer.Render(dst)
	}
	return dst
}
