package busmix

import (
	"voicepool/mixer/internal/bustree"
	"voicepool/mixer/internal/master"
	"voicepool/pcm"
)

// output is the end of a mix: DC guard, limiter and meter.
type output struct {
	pair    int         // the index of its pair of channels
	mixed   []pcm.Frame // one hop; nil: it is mixed into the destination
	into    []pcm.Frame // the buffer of the present block
	silent  bool        // into is silent
	root    int         // the only bus that feeds it; -1: several
	limiter *master.Limiter
	dc      *master.DCGuard // nil: off
	meter   *master.Meter   // after the limiter; nil: off
}

// outputs holds the outputs of a Graph.
type outputs struct {
	all      []output
	pairs    int // the number of interleaved pairs of channels
	softClip bool
}

// newOutputs creates the outputs of c, each with its limiter, DC guard and meter as configured. With Config.Fold there
// is one output.
func newOutputs(tree *bustree.Tree, c *Config) outputs {
	outs := outputs{all: make([]output, 1), pairs: 1, softClip: c.SoftClip}
	if len(c.Pairs) > 0 && !c.Fold {
		outs.all = make([]output, len(c.Pairs))
		for _, pair := range c.Pairs {
			outs.pairs = max(outs.pairs, pair+1)
		}
	}
	for k := range outs.all {
		o, root := &outs.all[k], tree.Roots[k]
		if o.root = root; c.Fold && len(c.Pairs) > 1 {
			o.root = -1
		}
		if outs.pairs > 1 {
			o.pair, o.mixed = c.Pairs[k], make([]pcm.Frame, c.Hop)
		}
		if !c.NoLimiter {
			o.limiter = master.NewLimiter(c.Rate)
		}
		if c.DCGuard {
			o.dc = master.NewDCGuard(c.Rate)
		}
		if c.Meters != nil {
			o.meter = c.Meters[root]
		}
	}
	return outs
}

// Outputs returns the number of outputs; 1 with Config.Fold.
func (outs *outputs) Outputs() int { return len(outs.all) }

// Pairs returns the number of pairs of channels that Graph.Mix interleaves. Unused pairs below the highest one count.
func (outs *outputs) Pairs() int { return outs.pairs }

// Latency returns the lookahead of the limiters in frames; 0 without a limiter.
func (outs *outputs) Latency() int {
	if l := outs.all[0].limiter; l != nil {
		return l.Ahead()
	}
	return 0
}

// outputOf returns the output that plays the bus with index bus. With Config.Fold this is the only output.
func (g *Graph) outputOf(bus int) *output {
	if len(g.outputs.all) == 1 {
		return &g.outputs.all[0]
	}
	return &g.outputs.all[g.tree.Nodes[bus].Output]
}

// beginBlock selects the buffer of each output for the next block, clears it and marks the output as silent. With one
// pair of channels the buffer is dst itself. dst holds one pcm.Frame per pair for each frame of the mix. The result n
// is the length of the block in frames of the mix.
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

// interleave copies the mixed frames of each output to its pair of channels in dst. Unused pairs become silent. With a
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

// finish processes o.into, the mixed block of the output, in place. It silences invalid samples, then runs the DC
// guard, the limiter, the soft clip and the meter, as far as they are configured. The parameter frame is the first
// frame of the block. finish adds to m: the number of invalid frames, the end of the tail of the DC guard, and whether
// the DC guard or the limiter has processed the block.
func (o *output) finish(frame int64, softClip bool, m *Mixed) {
	n := int64(len(o.into))
	if !o.silent {
		m.Faults += master.SilenceFaults(o.into)
	}
	if o.dc != nil && !(o.silent && o.dc.Skip(n)) {
		if changed := o.dc.Process(o.into); changed > 0 {
			m.SilentFrom = max(m.SilentFrom, frame+changed)
		}
		if o.dc.HasTail() { // the end depends on the next frames
			m.SilentFrom = max(m.SilentFrom, frame+n+1)
		}
		o.silent = false
	}
	if o.limiter != nil && !(o.silent && o.limiter.Skip(n)) {
		o.limiter.Limit(o.into)
		o.silent = false
	}
	if softClip {
		master.SoftClip(o.into)
	}
	switch {
	case o.meter == nil:
	case o.silent:
		o.meter.Skip(n)
	default:
		o.meter.Feed(o.into)
	}
	m.Silent = m.Silent && o.silent
}

// audible is the amplitude that counts as heard in the tail of an effect: -90 dBFS.
const audible = 3.1623e-5

// lastAudible returns the frame of the mix after the last of the frames just mixed that is louder than -90 dBFS on any
// output; 0 if all are silent. The parameter frame is the first of these frames.
func (outs *outputs) lastAudible(frame int64) (after int64) {
	for k := range outs.all {
		block := outs.all[k].into
		for i := len(block) - 1; i >= 0; i-- {
			if f := &block[i]; f[0] > audible || f[0] < -audible || f[1] > audible || f[1] < -audible {
				after = max(after, frame+int64(i)+1)
				break
			}
		}
	}
	return after
}

// rests reports whether the guard, limiter and meter of the output have no tail.
func (o *output) rests() bool {
	return (o.dc == nil || o.dc.Rests()) && (o.limiter == nil || o.limiter.Skip(0)) && (o.meter == nil || o.meter.Rests())
}

// CompleteFrames returns the beginning of dst that consists of complete frames of all pairs of channels. It clears the
// rest of dst. dst holds interleaved pairs.
func (outs *outputs) CompleteFrames(dst []pcm.Frame) []pcm.Frame {
	n := len(dst) / outs.pairs * outs.pairs
	clear(dst[n:])
	return dst[:n]
}
