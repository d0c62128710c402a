package sounds

import (
	"context"
	"crypto/md5"
	"encoding/binary"
	"slices"
	"strings"
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

func decodeFLAC(ctx context.Context, file []byte, lim Limits) (*Clip, error) {
	rest := file[id3Size(file)+4:]
	info, tags, rest, err := readFLACBlocks(rest)
	if err != nil {
		return nil, err
	}
	if err := lim.shape(info.channels, info.rate); err != nil {
		return nil, err
	}
	if err := lim.length(info.frames, info.channels); err != nil {
		return nil, err
	}
	c := &Clip{Format: "flac", Encoding: flacEncoding(info.bits), Channels: info.channels, Rate: int(info.rate)}
	var (
		frame = flacFrame{sum: newFLACSum()}
		sum   = md5.New()
		raw   []byte
		scale = float32(int64(1) << (info.bits - 1))
		width = int(info.bits+7) / 8
	)
	for len(rest) > 0 && !isTrailer(rest) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := frame.read(rest, &info)
		if err != nil {
			return nil, broken("frame %d: %v", c.Frames(), err)
		}
		rest = rest[n:]
		if err := lim.length(c.Frames()+int64(frame.block), info.channels); err != nil {
			return nil, err
		}
		dst := c.grow(frame.block * info.channels)
		raw = slices.Grow(raw[:0], len(dst)*width+8)[:len(dst)*width+8]
		for ch := range info.channels {
			for i, x := range frame.samples[ch] {
				dst[i*info.channels+ch] = float32(x) / scale
			}
		}
		for i := range frame.block {
			for ch := range info.channels {
				binary.LittleEndian.PutUint64(raw[(i*info.channels+ch)*width:], uint64(frame.samples[ch][i]))
			}
		}
		raw = raw[:len(dst)*width]
		sum.Write(raw)
	}
	switch {
	case info.frames > 0 && c.Frames() < info.frames:
		return nil, broken("cut short: %d frames are announced, %d are there", info.frames, c.Frames())
	case info.frames > 0 && c.Frames() > info.frames:
		return nil, broken("%d frames are announced, %d are there", info.frames, c.Frames())
	case info.md5 != [16]byte{} && [16]byte(sum.Sum(nil)) != info.md5:
		return nil, broken("the checksum of all samples is not the one announced")
	}
	applyTags(c, tags)
	return c, nil
}

// isTrailer knows the ID3v1 and APE tags that some write behind the frames.
func isTrailer(b []byte) bool {
	s := string(b[:min(len(b), 8)])
	return strings.HasPrefix(s, "TAG") && len(b) == 128 || strings.HasPrefix(s, "APETAGEX")
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

// readFLACBlocks reads the metadata and returns what stands behind it.
func readFLACBlocks(b []byte) (info flacInfo, tags []string, rest []byte, err error) {
	if len(b) < 4+34 || b[0]&0x7f != 0 {
		return info, nil, nil, broken("there is no STREAMINFO")
	}
	for last, first := false, true; !last; first = false {
		if len(b) < 4 {
			return info, nil, nil, broken("cut short in its metadata")
		}
		kind, size := b[0]&0x7f, int(b[1])<<16|int(b[2])<<8|int(b[3])
		last = b[0]&0x80 != 0
		b = b[4:]
		if size > len(b) {
			return info, nil, nil, broken("cut short: %d bytes of metadata are announced, %d are there", size, len(b))
		}
		block := b[:size]
		b = b[size:]
		switch {
		case kind == 0 && first:
			if info, err = parseStreamInfo(block); err != nil {
				return info, nil, nil, err
			}
		case kind == 0:
			return info, nil, nil, broken("a second STREAMINFO")
		case kind == 4:
			tags = parseComments(block)
		case kind == 127:
			return info, nil, nil, broken("a block of metadata of the forbidden kind 127")
		}
	}
	return info, tags, b, nil
}

func parseStreamInfo(b []byte) (info flacInfo, err error) {
	if len(b) != 34 {
		return info, broken("a STREAMINFO of %d bytes, it has 34", len(b))
	}
	r := flacBits{data: b}
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
