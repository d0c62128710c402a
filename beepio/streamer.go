// Package beepio joins the mixer to programs that use beep.
//
// A Streamer is a mixer as a beep.Streamer, which speaker.Play takes. A Reader is a
// mixer as an io.Reader, which oto takes. Read makes a sound of a beep.Streamer;
// Stream makes a stream of it, which a voice plays as it comes. An Insert is a chain of
// beep's effects as the effect of a bus.
//
// Beep's decoders are for files that you trust: on hostile ones they panic, take all memory
// or never return. Those of package sounds do not, and are the default.
//
//	speaker.Play(beepio.NewStreamer(m))          // the audio side
//	clip, err := beepio.Read("tone", tone, 48000, 10*48000) // at most ten seconds
//	music, err := lib.StreamFrames(beepio.Stream("music", s, 44100), sounds.StreamOptions{})
package beepio

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/gopxl/beep/v2"

	"voicepool/mixer"
	"voicepool/pcm"
)

// block is how many frames are mixed at a time.
const block = 512

// Streamer is a mixer as beep sees it: a stream of the mixer's rate that never
// drains and never fails.
type Streamer struct {
	mixer  *mixer.Mixer
	frames [block]pcm.Frame
}

var _ beep.Streamer = (*Streamer)(nil)

// NewStreamer returns the audio side of m as a beep.Streamer. Nothing else may
// render m.
func NewStreamer(m *mixer.Mixer) *Streamer { return &Streamer{mixer: m} }

// Stream fills samples. Audio side; it does not allocate.
func (s *Streamer) Stream(samples [][2]float64) (n int, ok bool) {
	n = len(samples)
	for len(samples) > 0 {
		frames := s.frames[:min(len(samples), block)]
		s.mixer.Render(frames)
		for i, f := range frames {
			samples[i] = [2]float64{float64(f[0]), float64(f[1])}
		}
		samples = samples[len(frames):]
	}
	return n, true
}

// Err returns nil.
func (s *Streamer) Err() error { return nil }

// Encoding is how a Reader writes a sample. Both are little-endian, two samples
// a frame, left first.
type Encoding uint8

const (
	Float32 Encoding = iota // four bytes, full scale -1..+1
	Int16                   // two bytes, dithered; beyond full scale it clips
)

// Reader is a mixer as a stream of bytes that never ends.
type Reader struct {
	mixer    *mixer.Mixer
	encoding Encoding
	frames   [block]pcm.Frame
	bytes    [block * 8]byte
	rest     []byte // of bytes, not read yet
	dither   pcm.Dither
	samples  uint64 // written
}

var _ io.Reader = (*Reader)(nil)

// NewReader returns the audio side of m as bytes. Nothing else may render m.
func NewReader(m *mixer.Mixer, e Encoding) *Reader { return &Reader{mixer: m, encoding: e} }

// Read fills p, whatever its length. Audio side; it does not allocate, and its
// error is always nil.
func (r *Reader) Read(p []byte) (n int, err error) {
	size := 8
	if r.encoding == Int16 {
		size = 4
	}
	for n < len(p) {
		if len(r.rest) == 0 {
			frames := r.frames[:min((len(p)-n+size-1)/size, block)]
			r.mixer.Render(frames)
			r.rest = r.bytes[:0]
			for _, f := range frames {
				for _, x := range f {
					r.rest = r.append(r.rest, x)
				}
			}
		}
		k := copy(p[n:], r.rest)
		r.rest = r.rest[k:]
		n += k
	}
	return n, nil
}

func (r *Reader) append(b []byte, x float32) []byte {
	if r.encoding == Float32 {
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	y, _ := r.dither.Int16(x, r.samples)
	r.samples++
	return binary.LittleEndian.AppendUint16(b, uint16(y))
}
