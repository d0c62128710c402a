package device

import (
	"math"
	"math/bits"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"voicepool/pcm"
)

// LoadMeter is a source that measures how long another source takes to render. Put it between a mixer and a
// device: d.Start(device.NewLoadMeter(m, m.Rate())).
type LoadMeter struct {
	source      Source
	rate        int64
	outputs     int64
	collections uint64 // at creation

	blocks, late, longest atomic.Int64
	renderTime, audioTime atomic.Int64 // nanoseconds in total
	shares                [Shares]atomic.Int64
}

// Shares is the number of bins of the histogram in Load.
const Shares = 10

// Load holds the render times of a source, measured by a LoadMeter. The share of a block is its render time
// divided by its duration: at 0.5, half of the time is left.
type Load struct {
	Blocks int64
	Late   int64 // blocks that took longer than their duration

	// Shares is a histogram of the shares. Bin 0 counts blocks with a share of at most 1/256, the next bins
	// at most 1/128, 1/64 ... 1/2 and 1. The last bin counts late blocks.
	Shares [Shares]int64

	Longest time.Duration // the longest render time of a block
	Mean    float64       // the total render time divided by the total duration of all blocks

	Collections uint64 // garbage collections of the process since NewLoadMeter
}

// NewLoadMeter returns a LoadMeter for src, which plays rate frames per second.
func NewLoadMeter(src Source, rate int) *LoadMeter {
	return &LoadMeter{source: src, rate: int64(rate), outputs: int64(OutputsOf(src)), collections: collections()}
}

// Render renders dst with the source and adds the time it takes to the measurements of Load. A block without
// frames is not counted.
func (g *LoadMeter) Render(dst []pcm.Frame) {
	begin := time.Now()
	g.source.Render(dst)
	renderTime := time.Since(begin).Nanoseconds()
	duration := int64(len(dst)) * int64(time.Second) / (g.rate * g.outputs)
	if duration == 0 {
		return
	}
	g.blocks.Add(1)
	g.renderTime.Add(renderTime)
	g.audioTime.Add(duration)
	g.longest.Store(max(g.longest.Load(), renderTime))
	// bin 0 ends at 1/256 of the duration; each further bin doubles the limit
	step := bits.Len64(uint64(max(renderTime*256-1, 0) / duration))
	g.shares[min(step, Shares-1)].Add(1)
	if renderTime > duration {
		g.late.Add(1)
	}
}

// Rate returns the rate of the source, if it is Rated, otherwise the rate of NewLoadMeter.
func (g *LoadMeter) Rate() int {
	if r, ok := g.source.(Rated); ok {
		return r.Rate()
	}
	return int(g.rate)
}

// Outputs returns the number of stereo outputs of the source.
func (g *LoadMeter) Outputs() int { return int(g.outputs) }

// Prepare returns the number of frames that Render may render next. If the source is a Preparer, Prepare calls its
// method Prepare, which may wait, and returns that result. For other sources it returns math.MaxInt32: no limit.
func (g *LoadMeter) Prepare() (frames int) {
	if p, ok := g.source.(Preparer); ok {
		return p.Prepare()
	}
	return math.MaxInt32
}

// Load returns the current measurements. During a Render its fields may differ by one block. Any goroutine.
func (g *LoadMeter) Load() Load {
	l := Load{
		Blocks: g.blocks.Load(), Late: g.late.Load(), Longest: time.Duration(g.longest.Load()),
		Collections: collections() - g.collections,
	}
	for i := range l.Shares {
		l.Shares[i] = g.shares[i].Load()
	}
	if audioTime := g.audioTime.Load(); audioTime > 0 {
		l.Mean = float64(g.renderTime.Load()) / float64(audioTime)
	}
	return l
}

// collections returns the number of garbage collections that the process has completed since its start.
func collections() uint64 {
	sample := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
