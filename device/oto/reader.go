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

	// blockFrames is the number of frames per Render. A driver that wants more gets it in several reads, so
	// that it buffers little more than it needs.
	blockFrames = 256
)

// reader is the stream of float32 LE stereo frames that the driver reads. Its lock keeps Render to one
// goroutine at a time: the driver's, or the watchdog that renders in its place.
type reader struct {
	mu         sync.Mutex
	src        device.Source
	block      [blockFrames]pcm.Frame
	reads      int64
	framesRead *atomic.Int64 // frames read by the driver
	last       time.Time     // time of the last read
	closed     bool
}

// newReader returns a reader of src that adds the frames the driver has read to framesRead.
func newReader(src device.Source, framesRead *atomic.Int64) *reader {
	return &reader{src: src, last: time.Now(), framesRead: framesRead}
}

// Read fills p with one block, or with less if p is shorter; the first read fills all of p. A driver plays the
// result of a read immediately and pads missing frames with silence. If the first read were shorter than the
// driver's period, there would be a gap after the first block.
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
	r.framesRead.Add(int64(n / frameBytes))
	return n, nil
}

// render renders one block into p and returns its length in bytes; 0 if p is shorter than a frame.
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

// lastRead returns the time of the driver's last read, or of newReader before the first one, and the number of
// reads.
func (r *reader) lastRead() (last time.Time, reads int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last, r.reads
}

// skip renders and discards one block, and returns true. If the driver has read since the count was reads, or
// after close, it renders no block and returns false.
func (r *reader) skip(reads int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.reads != reads {
		return false
	}
	r.src.Render(r.block[:])
	return true
}

// close waits until a current Render has returned, and prevents further ones. Read then returns io.EOF.
func (r *reader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}
