// Package reader joins the mixer to what speaks io.Reader, as Ebitengine's audio does.
//
// New makes bytes of a mixer, for a player that reads them: the audio side. Read and
// Stream make sounds of bytes that a decoder gives.
//
//	mix, err := reader.New(m, context.SampleRate(), reader.Float32)
//	player, err := context.NewPlayerF32(mix)
//	player.SetBufferSize(40 * time.Millisecond) // else half a second is mixed ahead
//	player.Play()
package reader

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"voicepool/device"
	"voicepool/pcm"
)

// Encoding is how a sample is written. All are little-endian; of stereo the left sample
// comes first.
type Encoding uint8

const (
	Float32 Encoding = iota // four bytes, full scale -1..+1
	Int16                   // two bytes; what a Reader writes is dithered, and clips beyond full scale
)

// bytes returns the length of a sample.
func (e Encoding) bytes() int {
	if e == Int16 {
		return 2
	}
	return 4
}

const (
	// block is how many frames are mixed in a Read after the first. Oto, and so Ebitengine,
	// asks for its whole buffer whenever a bit of it is free. Given all of it, it holds twice
	// as much as it wants to.
	block = 512

	// longest is how many frames are mixed at once in the first Read.
	longest = 1 << 16
)

// Reader is a source as a stream of stereo that never ends.
type Reader struct {
	src      device.Source
	encoding Encoding
	begun    bool
	frames   []pcm.Frame
	bytes    [8]byte // of a frame that was read in part
	rest     []byte  // of bytes, not read yet
	dither   pcm.Dither
	samples  uint64 // written
}

var _ io.Reader = (*Reader)(nil)

// New returns the audio side of src, usually a mixer, as bytes for what plays rate frames
// per second. Nothing else may render src. The error is that of device.Check, or names an
// encoding that there is not.
func New(src device.Source, rate int, e Encoding) (*Reader, error) {
	if err := device.Check(src, rate); err != nil {
		return nil, fmt.Errorf("reader: %w", err)
	}
	if e > Int16 {
		return nil, fmt.Errorf("reader: there is no encoding %d, want Float32 or Int16", e)
	}
	return &Reader{src: src, encoding: e, frames: make([]pcm.Frame, block)}, nil
}

// Read mixes into p: the first time as much as fits, after that at most 512 frames, so that
// a player holds little more than it wants to. Mixer.Latency tells as Block what was mixed
// at once. Audio side, one goroutine at a time: after the first Read it does not allocate.
// Its error is always nil.
func (r *Reader) Read(p []byte) (n int, err error) {
	n = copy(p, r.rest)
	r.rest = r.rest[n:]
	size := 2 * r.encoding.bytes()
	todo := p[n:]
	if r.begun {
		todo = todo[:min(len(todo), block*size)]
	} else {
		r.frames = make([]pcm.Frame, min(max(len(p)/size, block), longest))
	}
	for len(todo) >= size {
		k := size * r.render(todo)
		n += k
		todo = todo[k:]
	}
	if len(todo) > 0 { // room for a part of a frame
		r.render(r.bytes[:size])
		k := copy(todo, r.bytes[:size])
		r.rest = r.bytes[k:size]
		n += k
	}
	if !r.begun && n > 0 {
		r.begun, r.frames = true, make([]pcm.Frame, block)
	}
	return n, nil
}

// render mixes what fits into p, in one block, and returns how many frames that are.
func (r *Reader) render(p []byte) int {
	frames := r.frames[:min(len(p)/(2*r.encoding.bytes()), len(r.frames))]
	r.src.Render(frames)
	p = p[:0]
	for _, f := range frames {
		for _, x := range f {
			if r.encoding == Float32 {
				p = binary.LittleEndian.AppendUint32(p, math.Float32bits(x))
				continue
			}
			y, _ := r.dither.Int16(x, r.samples)
			r.samples++
			p = binary.LittleEndian.AppendUint16(p, uint16(y))
		}
	}
	return len(frames)
}
