package play

import (
	"math"
	"sync/atomic"

	"voicepool/bank/rules"
	"voicepool/cue/report"
	"voicepool/internal/dsp"
	"voicepool/internal/loudness"
	"voicepool/pcm"
)

// outputMeter measures the output of a player. All fields except levels belong to the goroutine that produces
// the output.
type outputMeter struct {
	meter   *loudness.Meter
	peak    float32
	samples [512]float32
	levels  [2]atomic.Uint32 // left and right since the last call of Levels, as float32 bits

	pairCount        int         // pairs of channels
	pairs            []pairMeter // one per pair; nil: there is only one pair
	measuresTruePeak bool        // true peaks are measured, which only Read does
}

// pairMeter measures one pair of channels.
type pairMeter struct {
	meter    *loudness.Meter // nil: no output uses the pair
	truePeak *loudness.PeakMeter
	peak     float32
}

// setUp creates the meters of the whole mix and of each stereo output in named. rate is in Hz, and pairs is the number
// of outputs (channel pairs) in the mix. If pairs is 1, only the whole mix gets a meter.
func (h *outputMeter) setUp(rate, pairs int, named []rules.Output) {
	h.pairCount, h.meter = pairs, loudness.NewMeter(rate, weights(pairs))
	if pairs == 1 {
		return
	}
	h.pairs = make([]pairMeter, pairs)
	for i := range named {
		h.pairs[pairOf(&named[i])] = pairMeter{meter: loudness.NewMeter(rate, weights(1)), truePeak: loudness.NewPeakMeter(rate, 2)}
	}
}

// pairOf returns the index of the channel pair of output o: 0 for channels 1 and 2.
func pairOf(o *rules.Output) int { return (o.Channel - 1) / 2 }

// weights returns the weights of the channels for the loudness of BS.1770. Front channels have the weight 1, so the
// result has 2*pairs ones.
func weights(pairs int) (w []float64) {
	for range pairs {
		w = append(w, 1, 1)
	}
	return w
}

// measure adds frames, the next frames of the output, to the loudness and peak meters, and to the levels that Levels of
// Player returns. frames has one element per frame and stereo output, interleaved. Only the goroutine of Render or Read
// may call it. Audio side.
func (h *outputMeter) measure(frames []pcm.Frame) {
	left, right := dsp.Levels(frames)
	h.peak = max(h.peak, left, right)
	for c, x := range [...]float32{left, right} { // Levels only resets a level to 0
		level, bits := &h.levels[c], math.Float32bits(x)
		for old := level.Load(); bits > old && !level.CompareAndSwap(old, bits); {
			old = level.Load()
		}
	}
	for k := range h.pairs {
		if p := &h.pairs[k]; p.meter != nil {
			h.measurePair(p, frames[min(k, len(frames)):])
		}
	}
	h.meter.Write(dsp.Interleaved(frames))
}

// measurePair adds the frames of one stereo output to its meter p. frames has the interleaved frames of all outputs
// and begins with the first frame of that output. The other outputs are skipped.
func (h *outputMeter) measurePair(p *pairMeter, frames []pcm.Frame) {
	for len(frames) > 0 {
		n := 0
		for ; n < len(h.samples) && len(frames) > 0; n += 2 {
			f := frames[0]
			h.samples[n], h.samples[n+1] = f[0], f[1]
			p.peak = max(p.peak, f[0], -f[0], f[1], -f[1])
			frames = frames[min(h.pairCount, len(frames)):]
		}
		p.meter.Write(h.samples[:n])
		if h.measuresTruePeak {
			p.truePeak.Write(h.samples[:n])
		}
	}
}

// outputs returns the measured peak, true peak and loudness of each output in named, in the same order. Only Read
// measures the true peak. The result is nil if the mix has only one stereo output, such as a downmix.
func (h *outputMeter) outputs(named []rules.Output) (all []report.Output) {
	for i := range named {
		k := pairOf(&named[i])
		if k >= len(h.pairs) {
			return nil // a downmix, or only the first pair
		}
		p := &h.pairs[k]
		all = append(all, report.Output{
			Name: named[i].Name, Channels: named[i].Channels(), Peak: report.Level(pcm.FromLinear(float64(p.peak))),
			TruePeak: report.Level(pcm.FromLinear(p.truePeak.TruePeak())), Loudness: report.Level(p.meter.Integrated()),
		})
	}
	return all
}
