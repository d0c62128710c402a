package sounds

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"hash"
	"io"
	"slices"
)

// The project reads FLAC itself, exactly and with every checksum verified,
// because the usual library logs a line to standard error for each frame of
// 24 or 176.4 kHz, does not know 32 bits, and trusts what STREAMINFO says.

// flacInfo is STREAMINFO: what a FLAC file says of all its frames.
type flacInfo struct {
	minBlock, maxBlock int
	rate               int64
	channels           int
	bits               uint
	frames             int64 // 0: not known
	md5                [16]byte
}

// maxFLACFrame bounds the frame that a stream is read for, in bytes: seven times
// what the largest without any coding has.
const maxFLACFrame = 16 << 20

type flacReader struct {
	in    *input
	lim   bounds
	head  head
	info  flacInfo
	frame flacFrame
	start int64 // where the first frame begins, in bytes
	most  int   // how many bytes a frame should have at most
	at    int64 // the next frame of sound

	// The checksum of all samples, while none has been left out.
	straight bool
	sum      hash.Hash
	raw      []byte
}

// isFLAC knows FLAC, also behind tags.
func isFLAC(data []byte, _ bool) bool { return bytes.HasPrefix(data, []byte("fLaC")) }

func openFLAC(in *input, lim bounds) (reader, error) {
	in.passID3()
	in.skip(4)
	info, tags, err := readFLACBlocks(in)
	if err != nil {
		return nil, err
	}
	if err := lim.shape(info.channels, info.rate); err != nil {
		return nil, err
	}
	if err := lim.length(info.frames, info.channels); err != nil {
		return nil, err
	}
	return &flacReader{
		in: in, lim: lim, info: info, frame: flacFrame{sum: newFLACSum()}, start: in.at,
		most: 256 + info.maxBlock*info.channels*int(info.bits+1)/8,
		head: head{
			encoding: flacEncoding(info.bits), channels: info.channels, rate: int(info.rate), tags: tags, frames: info.frames,
		},
		straight: true, sum: md5.New(),
	}, nil
}

func (r *flacReader) about() *head { return &r.head }

func (r *flacReader) next(dst []float32) ([]float32, error) {
	b := r.in.peek(r.most)
	if len(b) == 0 || isTrailer(b) {
		return dst, r.end()
	}
	n, err := r.read(b)
	if err != nil {
		return dst, broken("frame %d: %v", r.at, err)
	}
	r.in.skip(int64(n))
	block, channels := r.frame.block, r.info.channels
	if err := r.lim.length(r.at+int64(block), channels); err != nil {
		return dst, err
	}
	out := len(dst)
	dst = grow(dst, block*channels)
	scale := float32(int64(1) << (r.info.bits - 1))
	for ch := range channels {
		for i, x := range r.frame.samples[ch] {
			dst[out+i*channels+ch] = float32(x) / scale
		}
	}
	r.at += int64(block)
	if r.straight && r.info.md5 != [16]byte{} {
		r.addUp()
	}
	return dst, nil
}

// read decodes the frame that begins with b, for which more of the file is
// brought in if that seems to be what it lacks.
func (r *flacReader) read(b []byte) (n int, err error) {
	for {
		n, err = r.frame.read(b, &r.info)
		if err == nil || int64(len(b)) >= r.in.left() || len(b) >= maxFLACFrame {
			return n, err
		}
		b = r.in.peek(2 * len(b))
	}
}

// addUp adds the last frame to the checksum.
func (r *flacReader) addUp() {
	width, channels := int(r.info.bits+7)/8, r.info.channels
	size := r.frame.block * channels * width
	r.raw = slices.Grow(r.raw[:0], size+8)[:size+8]
	for i := range r.frame.block {
		for ch := range channels {
			binary.LittleEndian.PutUint64(r.raw[(i*channels+ch)*width:], uint64(r.frame.samples[ch][i]))
		}
	}
	r.sum.Write(r.raw[:size])
}

// end says what is wrong with the whole.
func (r *flacReader) end() error {
	switch {
	case r.info.frames > 0 && r.at < r.info.frames:
		return broken("cut short: %d frames are announced, %d are there", r.info.frames, r.at)
	case r.info.frames > 0 && r.at > r.info.frames:
		return broken("%d frames are announced, %d are there", r.info.frames, r.at)
	case r.straight && r.info.md5 != [16]byte{} && [16]byte(r.sum.Sum(nil)) != r.info.md5:
		return broken("the checksum of all samples is not the one announced")
	}
	return io.EOF
}

// seek finds the frame by halving: FLAC's frames have no length, but numbers.
// What has numbers that are not in order is found wrongly; no encoder makes it.
func (r *flacReader) seek(frame int64, _ *marks) (int64, error) {
	r.straight = true
	r.sum.Reset()
	r.at = 0
	r.in.seek(r.start)
	if frame <= 0 {
		return 0, nil
	}
	n, err := r.read(r.in.peek(r.most))
	if err != nil || int64(r.frame.block) > frame {
		r.in.seek(r.start)
		return 0, nil // the error comes with next
	}
	first, block := r.frame.number, int64(r.frame.block)
	low, high := r.start, r.in.size
	for next := r.start + int64(n); high-low > int64(4*r.most); {
		middle := max(low+(high-low)/2, next)
		at, ok := r.find(middle, high)
		if !ok {
			high = middle
			if middle == next {
				break
			}
			continue
		}
		place := r.frame.number - first
		if !r.frame.variable {
			place *= block
		}
		if place > frame || place < 0 {
			high = middle
			if middle == next {
				break
			}
			continue
		}
		low, r.at = at, place
		next = at + 1
	}
	r.straight = low == r.start
	r.in.seek(low)
	return r.at, nil
}

// find looks for a frame that begins at from or behind it, before to, and
// decodes it.
func (r *flacReader) find(from, to int64) (at int64, ok bool) {
	r.in.seek(from)
	for r.in.at < to {
		b := r.in.peek(2)
		i := bytes.IndexByte(b, 0xff)
		switch {
		case len(b) < 2:
			return 0, false
		case i < 0:
			r.in.skip(int64(len(b)))
			continue
		case i > 0:
			r.in.skip(int64(i))
			continue
		}
		if b[1]&0xfe == 0xf8 && r.in.at < to {
			if _, err := r.frame.read(r.in.peek(r.most), &r.info); err == nil {
				return r.in.at, true
			}
		}
		r.in.skip(1)
	}
	return 0, false
}

func (r *flacReader) count(*marks) (int64, error) {
	if r.info.frames > 0 {
		return r.info.frames, nil
	}
	if _, err := r.seek(0, nil); err != nil {
		return 0, err
	}
	var err error
	for samples := []float32(nil); err == nil; {
		samples, err = r.next(samples[:0])
	}
	if !errors.Is(err, io.EOF) {
		return 0, err
	}
	return r.at, nil
}

func flacEncoding(bits uint) string {
	switch {
	case bits <= 8:
		return "s8"
	case bits <= 16:
		return "s16"
	case bits <= 24:
		return "s24"
	}
	return "s32"
}

// readFLACBlocks reads the metadata and moves behind it. What takes much memory
// and is not needed, as pictures are, is passed over.
func readFLACBlocks(in *input) (info flacInfo, tags []string, err error) {
	if b := in.peek(1); in.left() < 4+34 || len(b) == 0 || b[0]&0x7f != 0 {
		return info, nil, broken("there is no STREAMINFO")
	}
	for last, first := false, true; !last; first = false {
		b := in.peek(4)
		if len(b) < 4 {
			return info, nil, broken("cut short in its metadata")
		}
		kind, size := b[0]&0x7f, int64(b[1])<<16|int64(b[2])<<8|int64(b[3])
		last = b[0]&0x80 != 0
		in.skip(4)
		if size > in.left() {
			return info, nil, broken("cut short: %d bytes of metadata are announced, %d are there", size, in.left())
		}
		switch {
		case kind == 0 && first:
			if info, err = parseStreamInfo(in.take(size)); err != nil {
				return info, nil, err
			}
		case kind == 0:
			return info, nil, broken("a second STREAMINFO")
		case kind == 4:
			tags = parseComments(in.take(size))
		case kind == 127:
			return info, nil, broken("a block of metadata of the forbidden kind 127")
		default:
			in.skip(size)
		}
	}
	return info, tags, nil
}

func parseStreamInfo(b []byte) (info flacInfo, err error) {
	if len(b) != 34 {
		return info, broken("a STREAMINFO of %d bytes, it has 34", len(b))
	}
	r := newMSB(b)
	info.minBlock, info.maxBlock = int(r.take(16)), int(r.take(16))
	r.take(48) // the smallest and the largest frame, in bytes
	info.rate = int64(r.take(20))
	info.channels = int(r.take(3)) + 1
	info.bits = uint(r.take(5)) + 1
	info.frames = int64(r.take(36))
	copy(info.md5[:], b[18:])
	switch {
	case info.minBlock < 16 || info.maxBlock < info.minBlock:
		return info, broken("blocks of %d to %d frames, they have at least 16", info.minBlock, info.maxBlock)
	case info.bits < 4:
		return info, broken("samples of %d bits, they have 4 to 32", info.bits)
	}
	return info, nil
}
