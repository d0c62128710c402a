package mixer

import (
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
)

// output is the end of a mix: DC guard, limiter and meter.
type output struct {
	pair    int         // index of its channel pair of the device
	mixed   []pcm.Frame // one hop; nil: it is mixed into the destination
	into    []pcm.Frame // the buffer of the present stretch
	silent  bool        // into is silent
	root    int         // the only bus that feeds it; -1: several
	limiter *master.Limiter
	dc      *master.DCGuard // nil: off
	meter   *master.Meter   // after the limiter; nil: off
}

// outputs holds the outputs of the mixer.
type outputs struct {
	all       []output
	pairs     int         // the number of interleaved channel pairs
	discarded []pcm.Frame // buffer for frames that are discarded
}

// newOutputs creates the outputs of c, each with its limiter, DC guard and meter as configured. With Config.Fold there
// is one output. The defaults of c must be filled in. The parameter tail is the length of the tail of a stolen voice
// in frames.
func newOutputs(s *shared, c *Config, tail int64) outputs {
	outs := outputs{all: make([]output, 1), pairs: 1}
	if len(c.Outputs) > 0 && !c.Fold {
		outs.all, outs.pairs = make([]output, len(c.Outputs)), pairs(c.Outputs)
	}
	outs.discarded = make([]pcm.Frame, max(tail, 1)*int64(outs.pairs)) // as many frames as audio.scratch
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

// root returns the index of the master bus of the output with the index output. It panics if that output has no master
// bus.
func (t tree) root(output int) int {
	for i := range t {
		if t[i].above < 0 && t[i].output == output {
			return i
		}
	}
	panic("mixer: an output without a master bus")
}

// outputOf returns the output that plays a.buses[bus]. With Config.Fold this is the only output.
func (a *audio) outputOf(bus int) *output {
	if len(a.outputs.all) == 1 {
		return &a.outputs.all[0]
	}
	return &a.outputs.all[a.tree[bus].output]
}

// beginBlock selects the buffer of each output for the next frames, clears it and marks the output as silent. With one
// channel pair the buffer is dst itself. dst must consist of complete frames of all pairs. The result n is the number
// of these frames.
func (outs *outputs) beginBlock(dst []pcm.Frame) (n int64) {
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

// interleave copies the mixed frames of each output to its channel pair in dst. Unused pairs become silent. With a
// single pair it has no effect, because the output was mixed into dst itself.
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

// finishOutput processes o.into, the mixed block of the output o, in place. It silences invalid samples, then runs the
// DC guard, the limiter, the soft clip and the meter, as far as they are configured. Faults are counted in Stats. While
// the DC guard changes samples or has a tail, Stats.SilentFrom moves on. o.silent becomes false if the DC guard or the
// limiter has processed the block. a.now must already be the frame after the block.
func (a *audio) finishOutput(o *output) {
	n := int64(len(o.into))
	if !o.silent {
		a.stats.Faults += master.SilenceFaults(o.into)
	}
	if o.dc != nil && !(o.silent && o.dc.Skip(n)) {
		if changed := o.dc.Process(o.into); changed > 0 {
			a.noteSilentFrom(a.now - n + changed)
		}
		if o.dc.HasTail() { // the end depends on the next frames
			a.noteSilentFrom(a.now + 1)
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

// completeFrames returns the beginning of dst that consists of complete frames of all channel pairs. It clears the
// rest of dst. dst holds interleaved channel pairs.
func (outs *outputs) completeFrames(dst []pcm.Frame) []pcm.Frame {
	if outs.pairs == 1 {
		return dst
	}
	n := len(dst) / outs.pairs * outs.pairs
	clear(dst[n:])
	return dst[:n]
}
