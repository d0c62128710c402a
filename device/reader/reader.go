// Package reader connects the mixer to code that uses io.Reader, such as Ebitengine's audio.
//
// New presents a mixer as an io.Reader, for a player that reads PCM bytes. Read and Stream are for the other
// direction: they turn the PCM bytes of a decoder into sounds for the mixer.
//
//	mix, err := reader.New(m, context.SampleRate(), reader.Float32)
//	player, err := context.NewPlayerF32(mix)
//	player.SetBufferSize(40 * time.Millisecond) // otherwise half a second is mixed ahead
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

// Encoding is the format of a sample. All are little-endian; the left sample of a frame comes first.
type Encoding uint8

const (
	Float32 Encoding = iota // four bytes, full scale -1..+1
	Int16                   // two bytes; Reader dithers, and clips beyond full scale
)

// bytes returns the size of a sample in bytes.
func (e Encoding) bytes() int {
	if e == Int16 {
		return 2
	}
	return 4
}

const (
	// block is the number of frames that each Read after the first one mixes. Oto, and so Ebitengine, asks for
	// its whole buffer whenever a part of it is free. If it received that, it would hold twice its buffer.
	block = 512

	// longest is the maximum number of frames per Render in the first Read.
	longest = 1 << 16
)

// Reader presents a source as an endless stream of stereo bytes.
type Reader struct {
	src      device.Source
	encoding Encoding
	started  bool
	frames   []pcm.Frame
	bytes    [8]byte // a frame that was read in part
	unread   []byte  // unread part of bytes
	dither   pcm.Dither
	samples  uint64 // samples written
}

var _ io.Reader = (*Reader)(nil)

// New returns a Reader for src, usually a mixer, and a player with the given sample rate in Hz. No other
// device may render src at the same time. It returns the error of device.Check, for example if the rates
// differ, or an error if e is unknown.
func New(src device.Source, rate int, e Encoding) (*Reader, error) {
	if err := device.Check(src, rate); err != nil {
		return nil, fmt.Errorf("reader: %w", err)
	}
	if e > Int16 {
		return nil, fmt.Errorf("reader: there is no encoding %d, want Float32 or Int16", e)
	}
	return &Reader{src: src, encoding: e, frames: make([]pcm.Frame, block)}, nil
}

// Read renders frames into p. The first call fills p; later calls return at most 512 frames, so that a
// player buffers little more than it needs. Mixer.Latency reports this block size as Block. Only one
// goroutine at a time may call Read. It does not allocate after the first call, and its error is always nil.
func (r *Reader) Read(p []byte) (n int, err error) {
	n = copy(p, r.unread)
	r.unread = r.unread[n:]
	size := 2 * r.encoding.bytes()
	todo := p[n:]
	if r.started {
		todo = todo[:min(len(todo), block*size)]
	} else {
		r.frames = make([]pcm.Frame, min(max(len(p)/size, block), longest))
	}
	for len(todo) >= size {
		k := size * r.render(todo)
		n += k
		todo = todo[k:]
	}
	if len(todo) > 0 { // room for part of a frame
		r.render(r.bytes[:size])
		k := copy(todo, r.bytes[:size])
		r.unread = r.bytes[k:size]
		n += k
	}
	if !r.started && n > 0 {
		r.started, r.frames = true, make([]pcm.Frame, block)
	}
	return n, nil
}

// render mixes as many frames as fit into p, at most one block, writes them to p in the encoding, and returns
// their number.
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
