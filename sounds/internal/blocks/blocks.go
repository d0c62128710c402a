// Package blocks reads audio in blocks of equal size that are decoded independently: single frames, or blocks
// of ADPCM. WAV and AIFF share it.
package blocks

import (
	"io"

	"voicepool/sounds/internal/source"
)

// Encoding describes how audio is encoded in blocks.
type Encoding struct {
	Name          string
	Bytes, Frames int  // per block
	Float         bool // samples may be NaN or infinite

	// Decode fills dst from consecutive blocks. The last block may be truncated after the frames that dst has
	// room for.
	Decode func(dst []float32, src []byte) error

	// PartialFrames returns the number of frames in the first bytes of a block; nil: 0.
	PartialFrames func(bytes int) int
}

// Length returns the number of frames in consecutive blocks with the given number of bytes in total. Of a truncated
// last block only complete frames count. If e.PartialFrames is nil, a truncated block does not count at all.
func (e *Encoding) Length(bytes int64) int64 {
	frames := bytes / int64(e.Bytes) * int64(e.Frames)
	if e.PartialFrames != nil {
		frames += int64(min(e.PartialFrames(int(bytes%int64(e.Bytes))), e.Frames)) // a block may have unused space
	}
	return frames
}

// reader implements source.Reader for blocks of an Encoding.
type reader struct {
	in *source.Input
	source.Head
	e     Encoding
	start int64 // position of the blocks in bytes
	size  int64 // size of the blocks in bytes
	at    int64 // the next frame
}

// NewReader returns a reader that decodes blocks of the file in with the encoding e. The blocks begin at the byte
// offset start and have size bytes in total. It moves in to start. head has the channels, the rate and the number of
// frames, which must not exceed the frames in the blocks. In the reader's copy of head it sets Encoding and Exact.
func NewReader(in *source.Input, head source.Head, e Encoding, start, size int64) source.Reader {
	head.Encoding, head.Exact = e.Name, true
	in.MoveTo(start)
	return &reader{in: in, Head: head, e: e, start: start, size: size}
}

// chunkSamples is the number of samples decoded at a time, at least one block.
const chunkSamples = 1 << 13

// Next decodes the next blocks, about 8,192 samples, and appends their interleaved samples to dst. After the last
// frame it returns io.EOF. Floats that are not finite become 0. Invalid or truncated blocks, and read errors of the
// file, give an error that wraps source.ErrDecode; dst and the position are then unchanged.
func (r *reader) Next(dst []float32) ([]float32, error) {
	blocks := max(1, int64(chunkSamples/r.Channels/r.e.Frames))
	frames := int(min(r.Frames-r.at, blocks*int64(r.e.Frames)))
	if frames == 0 {
		return dst, io.EOF
	}
	blocks = int64((frames + r.e.Frames - 1) / r.e.Frames)
	bytes := int(min(blocks*int64(r.e.Bytes), r.size-(r.in.At-r.start)))
	b := r.in.Peek(bytes)
	if len(b) < bytes {
		return dst, source.DecodeErrorf("frame %d: cut short", r.at)
	}
	old := len(dst)
	dst = source.Grow(dst, frames*r.Channels)
	if err := r.e.Decode(dst[old:], b[:bytes]); err != nil {
		return dst[:old], source.DecodeErrorf("frame %d: %v", r.at, err)
	}
	if r.e.Float {
		r.ReplaceInvalid(dst[old:], r.at)
	}
	r.in.Skip(int64(bytes))
	r.at += int64(frames)
	return dst, nil
}

// SeekFrame moves to the beginning of the block that contains the given frame. It returns the number of the first
// frame of that block. A frame after the end counts as the end. The error is always nil; a read error appears in
// Next.
func (r *reader) SeekFrame(frame int64, _ *source.Marks) (int64, error) {
	block := min(frame, r.Frames) / int64(r.e.Frames)
	r.at = block * int64(r.e.Frames)
	r.in.MoveTo(r.start + block*int64(r.e.Bytes))
	return r.at, nil
}

// Count returns the number of frames, which is known from the header, without reading. The error is always nil.
func (r *reader) Count(*source.Marks) (int64, error) { return r.Frames, nil }
