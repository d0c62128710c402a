package device

import (
	"math"
	"math/bits"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"voicepool/pcm"
)

// Gauge is a source that measures how long another one takes to render: a
// mixer knows no clock, a device that plays has one. It goes between the two.
type Gauge struct {
	source      Source
	rate        int64
	outputs     int64
	collections uint64 // when it was made

	blocks, late, longest atomic.Int64
	took, lasted          atomic.Int64 // nanoseconds in all
	shares                [Shares]atomic.Int64
}

// Shares is how many steps the histogram of a Load has.
const Shares = 10

// Load is how much of its time a source has needed.
type Load struct {
	Blocks int64
	Late   int64 // blocks that took longer than they last

	// Shares counts blocks by the share of their own length that they took: the
	// first those of at most 1/256, then those of at most 1/128, 1/64 ... 1/2 and 1,
	// the last those that were late.
	Shares [Shares]int64

	Longest time.Duration // that a block took
	Mean    float64       // the share of all of them together

	Collections uint64 // garbage collections of the process meanwhile
}

// NewGauge returns a gauge of src, which plays so many frames per second.
func NewGauge(src Source, rate int) *Gauge {
	return &Gauge{source: src, rate: int64(rate), outputs: int64(OutputsOf(src)), collections: collections()}
}

// Render renders, and takes the time.
func (g *Gauge) Render(dst []pcm.Frame) {
	begin := time.Now()
	g.source.Render(dst)
	took := time.Since(begin).Nanoseconds()
	lasts := int64(len(dst)) * int64(time.Second) / (g.rate * g.outputs)
	if lasts == 0 {
		return
	}
	g.blocks.Add(1)
	g.took.Add(took)
	g.lasted.Add(lasts)
	g.longest.Store(max(g.longest.Load(), took))
	// The least power of two, in 256ths of the length, that is not less.
	step := bits.Len64(uint64(max(took*256-1, 0) / lasts))
	g.shares[min(step, Shares-1)].Add(1)
	if took > lasts {
		g.late.Add(1)
	}
}

// Rate returns the rate of the source, if it is Rated; else that of NewGauge.
func (g *Gauge) Rate() int {
	if r, ok := g.source.(Rated); ok {
		return r.Rate()
	}
	return int(g.rate)
}

// Outputs returns how many outputs the source has.
func (g *Gauge) Outputs() int { return int(g.outputs) }

// Prepare prepares the source, if it is a Preparer.
func (g *Gauge) Prepare() (frames int) {
	if p, ok := g.source.(Preparer); ok {
		return p.Prepare()
	}
	return math.MaxInt32
}

// Load returns what has been measured until now; while blocks are rendered, one
// field may count a block more than another. Any goroutine.
func (g *Gauge) Load() Load {
	l := Load{
		Blocks: g.blocks.Load(), Late: g.late.Load(), Longest: time.Duration(g.longest.Load()),
		Collections: collections() - g.collections,
	}
	for i := range l.Shares {
		l.Shares[i] = g.shares[i].Load()
	}
	if lasted := g.lasted.Load(); lasted > 0 {
		l.Mean = float64(g.took.Load()) / float64(lasted)
	}
	return l
}

// collections returns how many garbage collections have ended.
func collections() uint64 {
	sample := []metrics.Sample{{Name: "/gc/cycles/total:gc-cycles"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
