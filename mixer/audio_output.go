package mixer

import (
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
)

// output is the end of a mix on its way to the device: what guards it and what measures it.
type output struct {
	pair    int         // which pair of channels of the device
	mixed   []pcm.Frame // one hop; nil: it is mixed where it is to go
	into    []pcm.Frame // of this stretch: where it is mixed
	silent  bool        // into is
	root    int         // the one bus that goes into it; -1: there are several
	limiter *master.Limiter
	dc      *master.DCGuard // nil: off
	meter   *master.Meter   // of what is heard; nil: off
}

// outputs are the ends of all mixes.
type outputs struct {
	all     []output
	pairs   int         // how many pairs of channels are interleaved
	nowhere []pcm.Frame // where frames go that nobody wants
}

// newOutputs returns the outputs of a configuration. With Config.Fold it is one.
func newOutputs(s *shared, c *Config, tail int64) outputs {
	outs := outputs{all: make([]output, 1), pairs: 1}
	if len(c.Outputs) > 0 && !c.Fold {
		outs.all, outs.pairs = make([]output, len(c.Outputs)), pairs(c.Outputs)
	}
	outs.nowhere = make([]pcm.Frame, max(tail, 1)*int64(outs.pairs)) // as many frames as audio.spare
	for k := range outs.all {
		o := &outs.all[k]
		if o.root = s.tree.root(k); c.Fold && len(c.Outputs) > 1 {
			o.root = -1
		}
		if outs.pairs > 1 {
			o.pair, o.mixed = c.Outputs[k].pair(), make([]pcm.Frame, s.hop)
		}
		if !c.NoLimiter {
			o.limiter = master.NewLimiter(c.Rate)
		}
		if c.DCGuard {
			o.dc = master.NewDCGuard(c.Rate)
		}
		if s.meters != nil {
			o.meter = s.meters[s.tree.root(k)]
		}
	}
	return outs
}

// root returns the master bus of an output.
func (t tree) root(output int) int {
	for i := range t {
		if t[i].above < 0 && t[i].output == output {
			return i
		}
	}
	panic("mixer: an output without a master bus")
}

// end returns the output on which a bus is heard.
func (a *audio) end(bus int) *output {
	if len(a.outputs.all) == 1 {
		return &a.outputs.all[0]
	}
	return &a.outputs.all[a.tree[bus].output]
}

// begin clears what the next frames of all outputs are mixed into: dst, if there is but one.
func (outs *outputs) begin(dst []pcm.Frame) (n int64) {
	n = int64(len(dst) / outs.pairs)
	for k := range outs.all {
		o := &outs.all[k]
		if o.into = dst; o.mixed != nil {
			o.into = o.mixed[:n]
		}
		clear(o.into)
		o.silent = true
	}
	return n
}

// interleave puts the frames of the outputs where the device wants them.
func (outs *outputs) interleave(dst []pcm.Frame) {
	if outs.pairs == 1 {
		return
	}
	if len(outs.all) < outs.pairs {
		clear(dst)
	}
	for k := range outs.all {
		o := &outs.all[k]
		for i, x := range o.into {
			dst[i*outs.pairs+o.pair] = x
		}
	}
}

// guard takes the mix of an output through what guards it.
func (a *audio) guard(o *output) {
	n := int64(len(o.into))
	if !o.silent {
		a.stats.Faults += master.SilenceFaults(o.into)
	}
	if o.dc != nil && !(o.silent && o.dc.Skip(n)) {
		if changed := o.dc.Process(o.into); changed > 0 {
			a.silentFrom(a.now - n + changed)
		}
		if o.dc.Rings() { // until when, the frames that come say
			a.silentFrom(a.now + 1)
		}
		o.silent = false
	}
	if o.limiter != nil && !(o.silent && o.limiter.Skip(n)) {
		o.limiter.Limit(o.into)
		o.silent = false
	}
	if a.softClip {
		master.SoftClip(o.into)
	}
	switch {
	case o.meter == nil:
	case o.silent:
		o.meter.Skip(n)
	default:
		o.meter.Feed(o.into)
	}
}

// whole returns the part of dst that has whole frames of all pairs, and clears the rest.
func (outs *outputs) whole(dst []pcm.Frame) []pcm.Frame {
	if outs.pairs == 1 {
		return dst
	}
	n := len(dst) / outs.pairs * outs.pairs
	clear(dst[n:])
	return dst[:n]
}
