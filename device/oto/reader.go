package oto

import (
	"encoding/binary"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"voicepool/device"
	"voicepool/pcm"
)

const (
	frameBytes = 8 // two float32

	// blockFrames is how much is rendered at once. A driver that asks for more
	// gets it in several reads, so that it holds hardly more than it wants to.
	blockFrames = 256
)

// reader is the stream of float32 LE stereo that a driver reads a source by.
// Its lock keeps Render to one goroutine at a time: the driver's, or the one
// that stands in for it while it does not ask.
type reader struct {
	mu     sync.Mutex
	src    device.Source
	block  [blockFrames]pcm.Frame
	reads  int64
	taken  *atomic.Int64 // frames, by the driver
	last   time.Time     // of the last read
	closed bool
}

func newReader(src device.Source, taken *atomic.Int64) *reader {
	return &reader{src: src, last: time.Now(), taken: taken}
}

// Read fills p with one block, or what fits of it; the first read fills all of
// p. A driver takes what one read gave at once and pads with silence what it
// finds missing: if it began to play with less than it needs for one period,
// there would be a gap after the first block.
func (r *reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return 0, io.EOF
	}
	r.last = time.Now()
	r.reads++
	n := r.render(p)
	for r.reads == 1 && len(p)-n >= frameBytes {
		n += r.render(p[n:])
	}
	r.taken.Add(int64(n / frameBytes))
	return n, nil
}

// render puts one block into p and returns its bytes.
func (r *reader) render(p []byte) int {
	block := r.block[:min(len(p)/frameBytes, blockFrames)]
	if len(block) == 0 {
		return 0
	}
	r.src.Render(block)
	for i, f := range block {
		binary.LittleEndian.PutUint32(p[frameBytes*i:], math.Float32bits(f[0]))
		binary.LittleEndian.PutUint32(p[frameBytes*i+4:], math.Float32bits(f[1]))
	}
	return len(block) * frameBytes
}

// seen returns when the driver read last, and how often it did.
func (r *reader) seen() (last time.Time, reads int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last, r.reads
}

// skip renders one block for nobody, unless the driver has read since reads
// were counted: then it returns false.
func (r *reader) skip(reads int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.reads != reads {
		return false
	}
	r.src.Render(r.block[:])
	return true
}

// close waits until no Render is under way; after it there is none.
func (r *reader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}
