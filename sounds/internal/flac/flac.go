// Package flac reads FLAC, exactly and with every checksum verified. It exists because the usual library logs a
// line to standard error for each frame of 24 or 176.4 kHz, does not support 32 bits, and trusts STREAMINFO.
package flac

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"

	"voicepool/sounds/internal/source"
)

// streamInfo is STREAMINFO: the common properties of all frames.
type streamInfo struct {
	minBlock, maxBlock int
	rate               int64
	channels           int
	bits               uint
	frames             int64 // 0: unknown
	md5                [16]byte
}

// maxFrame limits the bytes that are read for one frame: seven times the largest uncompressed frame.
const maxFrame = 16 << 20

// decoder decodes the frames of a stream. "Sound frames" are its sample frames, as opposed to FLAC frames.
type decoder struct {
	info  streamInfo
	frame frame
	at    int64 // the next sound frame

	first       int64     // number of the first FLAC frame
	block       int       // sound frames per FLAC frame; 0: not yet known
	decodedAny  bool      // a FLAC frame has been decoded
	tail        []float32 // end of the last returned audio, for fade-outs
	gapFrames   int64     // sound frames to conceal before the next FLAC frame
	fadedOut    bool      // the audio before the gap has faded out
	firstErr    error     // the first error
	endReported bool      // errors of the whole file have been reported

	// The checksum of all samples, valid while no frame was skipped or repeated.
	sequential bool
	sum        hash.Hash
	raw        []byte
}

// reader reads a FLAC file that is not in an Ogg file. It implements source.Reader.
type reader struct {
	in  *source.Input
	lim source.Limits
	source.Head
	decoder
	start         int64 // position of the first FLAC frame in bytes
	maxFrameSize  int   // expected maximum size of a FLAC frame in bytes
	wastedSamples int64 // number of samples decoded in false frames
}

// maxWastedSamples is the number of samples that may be decoded in false frames, plus eight per byte of the file.
const maxWastedSamples = 1 << 24

// Is reports whether data begins with the magic bytes of FLAC.
func Is(data []byte) bool { return bytes.HasPrefix(data, []byte("fLaC")) }

// Open returns a reader of the FLAC file at the position of in, after zeros and ID3v2 tags. It reads the metadata,
// and the reader is before the first sample. The error wraps source.ErrDecode for a broken file, or source.ErrLimit
// if the header exceeds lim.
func Open(in *source.Input, lim source.Limits) (source.Reader, error) {
	in.SkipFront(Is)
	in.Skip(4)
	info, tags, err := readBlocks(in)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(lim.CheckFormat(info.channels, info.rate), lim.CheckAnnounced(info.frames, info.channels)); err != nil {
		return nil, err
	}
	return &reader{
		in: in, lim: lim, start: in.At, maxFrameSize: 256 + info.maxBlock*info.channels*int(info.bits+1)/8,
		Head: info.head(tags), decoder: newDecoder(info),
	}, nil
}

// newDecoder returns a decoder for a stream with the properties info, before its first frame. It computes the
// checksum of all samples while no frame is skipped or repeated.
func newDecoder(info streamInfo) decoder {
	return decoder{info: info, sequential: true, sum: md5.New()}
}

// head returns the header information of a stream with these properties. tags are its tags, each "KEY=value". Frames
// is the announced length, which may be wrong.
func (i *streamInfo) head(tags []string) source.Head {
	return source.Head{
		Encoding: fmt.Sprintf("s%d", (i.bits+7)/8*8), Channels: i.channels, Rate: int(i.rate), Tags: tags, Frames: i.frames,
	}
}

// Next decodes the next FLAC frame and appends its interleaved samples to dst. For lost frames it appends concealed
// frames instead. If it skips data, or a frame that comes again, it appends no samples. A repeated frame is recorded
// as damage without length. At the end it returns io.EOF, or an error if the file has no valid frame. An error that
// wraps source.ErrLimit means that the file is too long. Other errors wrap source.ErrDecode.
func (r *reader) Next(dst []float32) ([]float32, error) {
	if r.gapFrames > 0 {
		return r.fillGap(dst), r.lim.CheckLength(r.at, r.info.channels)
	}
	b := r.in.Peek(r.maxFrameSize)
	if len(b) == 0 || b[0] != 0xff {
		if at := r.in.At; r.in.SkipTail() {
			return dst, r.endFile(0)
		} else if r.in.MoveTo(at); r.info.frames > 0 && r.at == r.info.frames {
			return dst, r.endFile(0) // all frames have been read; unrelated data follows
		}
		b = r.in.Peek(r.maxFrameSize)
	}
	n, err := r.read(b)
	if err != nil {
		return dst, r.resync(err)
	}
	r.in.Skip(int64(n))
	if position := r.framePosition(); r.info.frames > 0 && r.at > 0 && position >= 0 && position < r.at {
		r.sequential = false
		r.Conceal(r.at, 0, source.DecodeErrorf("frame %d: frame %d comes again", r.at, position))
		return dst, nil
	}
	if err := r.lim.CheckLength(r.at+int64(r.frame.block), r.info.channels); err != nil {
		return dst, err
	}
	return r.appendFrame(dst), nil
}

// framePosition returns the position in the file, in sound frames, of the last decoded FLAC frame r.frame. It computes
// the position from the number in the frame's header. In a damaged file the result may be wrong or negative.
func (r *reader) framePosition() int64 {
	position := r.frame.number - r.first
	if !r.frame.variable {
		position *= int64(cmp.Or(r.block, r.info.maxBlock))
	}
	return position
}

// appendFrame appends the samples of the last decoded FLAC frame, r.frame, to dst, interleaved and scaled to -1..1. It
// advances r.at, and adds the samples to the checksum of the file. It keeps their end in r.tail for a later fade-out.
// After the first frame it stores that frame's number and size, which framePosition needs.
func (r *decoder) appendFrame(dst []float32) []float32 {
	block, channels := r.frame.block, r.info.channels
	out := len(dst)
	dst = source.Grow(dst, block*channels)
	scale := 1 / float32(int64(1)<<(r.info.bits-1)) // a power of two, so the product is exact
	if channels == 2 {
		left, right := r.frame.samples[0], r.frame.samples[1]
		right = right[:len(left)]
		for i, to := 0, dst[out:]; i < len(left) && len(to) >= 2; i, to = i+1, to[2:] {
			to[0], to[1] = float32(left[i])*scale, float32(right[i])*scale
		}
	} else {
		for ch := range channels {
			for i, x := range r.frame.samples[ch] {
				dst[out+i*channels+ch] = float32(x) * scale
			}
		}
	}
	r.tail = source.Tail(r.tail, dst[out:], channels)
	if r.at == 0 {
		r.first, r.block = r.frame.number, block
	}
	r.fadedOut = false
	r.at += int64(block)
	if r.sequential && r.info.md5 != [16]byte{} {
		r.addToChecksum()
	}
	return dst
}

// read decodes the frame at the beginning of b into r.frame, and returns its length in bytes. b must be the bytes at
// the position of in. If they are too few, read takes further bytes from the file, up to eight times r.maxFrameSize,
// at most 16 MiB. A valid frame sets r.decodedAny. It does not move in. The errors are as in frame.read: errSync,
// errShort, or invalid data.
func (r *reader) read(b []byte) (n int, err error) {
	for {
		n, err = r.frame.read(b, &r.info)
		r.decodedAny = r.decodedAny || err == nil
		if !errors.Is(err, errShort) || int64(len(b)) >= r.in.Remaining() || len(b) >= min(maxFrame, 8*r.maxFrameSize) {
			return n, err
		}
		b = r.in.Peek(2 * len(b))
	}
}

// addToChecksum adds the samples of the last decoded frame to r.sum, the MD5 sum of all samples, as interleaved
// little-endian integers (RFC 9639, section 8.2).
func (r *decoder) addToChecksum() {
	width, channels := int(r.info.bits+7)/8, r.info.channels
	size := r.frame.block * channels * width
	r.raw = slices.Grow(r.raw[:0], size+8)[:size+8]
	if left, right := r.frame.samples[0], r.frame.samples[1]; width == 2 && channels == 2 {
		raw := r.raw
		for i, x := range left[:r.frame.block] {
			binary.LittleEndian.PutUint32(raw, uint32(uint16(x))|uint32(right[i])<<16)
			raw = raw[4:]
		}
		r.sum.Write(r.raw[:size])
		return
	}
	for i := range r.frame.block {
		for ch := range channels {
			binary.LittleEndian.PutUint64(r.raw[(i*channels+ch)*width:], uint64(r.frame.samples[ch][i]))
		}
	}
	r.sum.Write(r.raw[:size])
}

// checkTotals checks the decoded file as a whole. It returns an error that wraps source.ErrDecode if the number of
// frames or the checksum of all samples is wrong. If both are right or not announced, it returns nil. The checksum is
// not compared if a frame was skipped or repeated. The last frame must have been decoded.
func (r *decoder) checkTotals() error {
	switch {
	case r.info.frames > 0 && r.at < r.info.frames:
		return source.DecodeErrorf("cut short: %d frames are announced, %d are there", r.info.frames, r.at)
	case r.info.frames > 0 && r.at > r.info.frames:
		return source.DecodeErrorf("%d frames are announced, %d are there", r.info.frames, r.at)
	case r.sequential && r.info.md5 != [16]byte{} && [16]byte(r.sum.Sum(nil)) != r.info.md5:
		return source.DecodeErrorf("the checksum of all samples is not the one announced")
	}
	return nil
}

// SeekFrame moves to the FLAC frame that contains the sound frame number frame, or to one before it. It returns the
// number of the first sound frame there. It searches by bisection, because FLAC frames have numbers but no lengths.
// If the numbers are not ascending, the result may be wrong; no encoder writes such files.
//
// The error is always nil: the following Next returns errors of the file. A seek disables the checksum of all
// samples, unless it leads from the beginning to the beginning.
func (r *reader) SeekFrame(frame int64, _ *source.Marks) (int64, error) {
	r.sequential = r.sequential && r.at == 0                         // a loop must not be checksummed twice
	r.at, r.gapFrames, r.wastedSamples, r.tail = 0, 0, 0, r.tail[:0] // a loop seeks in each round
	r.in.MoveTo(r.start)
	if frame <= 0 {
		return 0, nil
	}
	n, err := r.read(r.in.Peek(r.maxFrameSize))
	if err != nil || int64(r.frame.block) > frame {
		r.in.MoveTo(r.start)
		return 0, nil // Next will return the error
	}
	r.first, r.block = r.frame.number, r.frame.block
	low, high := r.start, r.in.Size
	for next := r.start + int64(n); high-low > int64(4*r.maxFrameSize); {
		middle := max(low+(high-low)/2, next)
		at, ok := r.findFrame(middle, high)
		position := r.framePosition()
		if !ok || position > frame || position < 0 {
			if middle == next {
				break
			}
			high = middle
			continue
		}
		low, r.at, next = at, position, at+1
	}
	r.sequential = r.sequential && low == r.start
	r.in.MoveTo(low)
	return r.at, nil
}

// findFrame searches for a valid FLAC frame whose first byte is in the range from..to-1 of the file. It decodes the
// frame into r.frame, moves in to the frame and returns its byte offset and true. It returns false if it finds no
// frame, or if it has checked too much data; in has moved nevertheless.
func (r *reader) findFrame(from, to int64) (at int64, ok bool) {
	r.in.MoveTo(from)
	for r.in.At < to {
		b := r.in.Peek(2)
		if len(b) < 2 {
			return 0, false
		}
		if i := bytes.IndexByte(b, 0xff); i != 0 {
			if i < 0 {
				i = len(b)
			}
			r.in.Skip(int64(i))
			continue
		}
		if b[1]&0xfe == 0xf8 {
			_, err := r.frame.read(r.in.Peek(r.maxFrameSize), &r.info)
			if err == nil {
				return r.in.At, true
			}
			r.wastedSamples += int64(r.frame.cost)
			if r.wastedSamples > maxWastedSamples+8*r.in.At {
				return 0, false
			}
		}
		r.in.Skip(1)
	}
	return 0, false
}

// Count returns the number of sound frames that the header announces, without checking it. If it announces 0, Count
// decodes the file to count them, and afterwards the position of the reader is the end. The error is then of Next.
func (r *reader) Count(*source.Marks) (int64, error) {
	if r.info.frames > 0 {
		return r.info.frames, nil
	}
	if _, err := r.SeekFrame(0, nil); err != nil {
		return 0, err
	}
	var err error
	for samples := []float32(nil); err == nil; {
		samples, err = r.Next(samples[:0])
	}
	if !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.at, nil
}

// readBlocks reads the metadata blocks of a FLAC file (RFC 9639, section 8). It returns the properties in STREAMINFO
// and the comment tags, each "KEY=value". in must be after the magic bytes, and is moved to the first frame. Other
// blocks, such as pictures, are skipped. The error wraps source.ErrDecode.
func readBlocks(in *source.Input) (info streamInfo, tags []string, err error) {
	if b := in.Peek(1); in.Remaining() < 4+34 || len(b) == 0 || b[0]&0x7f != 0 {
		return info, nil, source.DecodeErrorf("there is no STREAMINFO")
	}
	for last, first := false, true; !last; first = false {
		b := in.Peek(4)
		if len(b) < 4 {
			return info, nil, source.DecodeErrorf("cut short in its metadata")
		}
		kind, size := b[0]&0x7f, int64(b[1])<<16|int64(b[2])<<8|int64(b[3])
		last = b[0]&0x80 != 0
		in.Skip(4)
		if size > in.Remaining() {
			return info, nil, source.DecodeErrorf("cut short: %d bytes of metadata are announced, %d are there", size, in.Remaining())
		}
		switch {
		case kind == 0 && first:
			if info, err = parseStreamInfo(in.ReadBytes(size)); err != nil {
				return info, nil, err
			}
		case kind == 0:
			return info, nil, source.DecodeErrorf("a second STREAMINFO")
		case kind == 4:
			tags = source.Comments(in.ReadBytes(size))
		case kind == 127:
			return info, nil, source.DecodeErrorf("a block of metadata of the forbidden kind 127")
		default:
			in.Skip(size)
		}
	}
	return info, tags, nil
}

// parseStreamInfo parses b, the 34 bytes of STREAMINFO (RFC 9639, section 8.2). The error wraps source.ErrDecode for
// another length of b, and for invalid block sizes or bits. The rate and the number of channels are not checked.
func parseStreamInfo(b []byte) (info streamInfo, err error) {
	if len(b) != 34 {
		return info, source.DecodeErrorf("a STREAMINFO of %d bytes, it has 34", len(b))
	}
	r := source.NewMSB(b)
	info.minBlock, info.maxBlock = int(r.ReadBits(16)), int(r.ReadBits(16))
	r.ReadBits(48) // the smallest and the largest frame size in bytes
	info.rate = int64(r.ReadBits(20))
	info.channels = int(r.ReadBits(3)) + 1
	info.bits = uint(r.ReadBits(5)) + 1
	info.frames = int64(r.ReadBits(36))
	copy(info.md5[:], b[18:])
	switch {
	case info.minBlock < 16 || info.maxBlock < info.minBlock:
		return info, source.DecodeErrorf("blocks of %d to %d frames, they have at least 16", info.minBlock, info.maxBlock)
	case info.bits < 4:
		return info, source.DecodeErrorf("samples of %d bits, they have 4 to 32", info.bits)
	}
	return info, nil
}
