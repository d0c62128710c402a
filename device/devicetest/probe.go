package devicetest

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"voicepool/device"
	"voicepool/pcm"
)

// probe is a source that checks how a device calls it.
type probe struct {
	rate      int
	outputs   int
	minFrames int64         // frames until enough is closed
	enough    chan struct{} // closed when minFrames frames were pulled
	entered   chan struct{} // closed in the first Render
	hold      chan struct{} // if not nil, the first Render waits for it

	frames atomic.Int64
	inside atomic.Int32
	ended  atomic.Bool
	first  sync.Once
	full   sync.Once

	mu   sync.Mutex
	seen []string
}

var (
	_ device.Rated       = (*probe)(nil)
	_ device.MultiOutput = (*probe)(nil)
)

// newProbe returns a source with the given rate and outputs, which closes enough after it has rendered
// minFrames frames.
func newProbe(rate, outputs int, minFrames int64) *probe {
	return &probe{rate: rate, outputs: outputs, minFrames: minFrames, enough: make(chan struct{}), entered: make(chan struct{})}
}

// Rate returns the rate that the device must have.
func (p *probe) Rate() int { return p.rate }

// Outputs returns the number of outputs that the device must play.
func (p *probe) Outputs() int { return p.outputs }

// Render fills dst with silence, and records violations of the contract: concurrent calls, calls after the end,
// and blocks of a wrong length. The first call blocks until hold is closed, if it is not nil.
func (p *probe) Render(dst []pcm.Frame) {
	if p.inside.Add(1) != 1 {
		p.addFault("Render was called while another Render was under way")
	}
	defer p.inside.Add(-1)
	if p.ended.Load() {
		p.addFault("Render was called after Close")
	}
	if len(dst) == 0 {
		p.addFault("Render was called with an empty block")
	}
	if len(dst)%p.outputs != 0 {
		p.addFault(fmt.Sprintf("Render was called with %d frames, of %d outputs", len(dst), p.outputs))
	}
	p.first.Do(func() {
		close(p.entered)
		if p.hold != nil {
			<-p.hold
		}
	})
	clear(dst)
	runtime.Gosched() // gives a concurrent Render the chance to be detected
	if p.frames.Add(int64(len(dst)/p.outputs)) >= p.minFrames {
		p.full.Do(func() { close(p.enough) })
	}
}

// end records that the device was closed.
func (p *probe) end() { p.ended.Store(true) }

// addFault records a violation with the current frame. Only the first ten are kept.
func (p *probe) addFault(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.seen) < 10 {
		p.seen = append(p.seen, fmt.Sprintf("%s, at frame %d", what, p.frames.Load()))
	}
}

// report reports the recorded violations as errors of the test.
func (p *probe) report(t testing.TB) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, fault := range p.seen {
		t.Error(fault)
	}
}
