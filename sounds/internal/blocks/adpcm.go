package blocks

import (
	"cmp"
	"encoding/binary"
	"fmt"
)

// IMA returns the Encoding, with its decoder, of IMA ADPCM as in WAV files. The parameter bytes is the size of a
// block. frames is the number of frames in a block, or 0 for as many as fit; an impossible number is an error. A
// block has a header of four bytes per channel, then words of eight samples, alternating between the channels.
func IMA(bytes, frames, channels int) (e Encoding, err error) {
	partly := func(n int) int {
		if n < 4*channels {
			return 0
		}
		return 1 + (n/(4*channels)-1)*8
	}
	e = Encoding{Name: "ima-adpcm", Bytes: bytes, PartialFrames: partly}
	e.Decode = func(dst []float32, src []byte) error { return e.forEachBlock(dst, src, channels, decodeIMA) }
	return e, e.size(frames, partly(bytes))
}

// MS returns the Encoding, with its decoder, of Microsoft's ADPCM. The parameter bytes is the size of a block. frames
// is the number of frames in a block, or 0 for as many as fit; an impossible number is an error. factors are the
// coefficient pairs of the predictors, in 256ths. A block has a header of seven bytes per channel, then codes of four
// bits, alternating between the channels.
func MS(bytes, frames, channels int, factors [][2]int) (e Encoding, err error) {
	partly := func(n int) int {
		if n < 7*channels {
			return 0
		}
		return 2 + (n-7*channels)*2/channels
	}
	e = Encoding{Name: "ms-adpcm", Bytes: bytes, PartialFrames: partly}
	e.Decode = func(dst []float32, src []byte) error {
		return e.forEachBlock(dst, src, channels, func(dst []float32, src []byte, channels int) error {
			return decodeMS(dst, src, channels, factors)
		})
	}
	return e, e.size(frames, partly(bytes))
}

// size sets e.Frames, the number of frames per block, to frames, or to most, the largest possible number, if frames
// is 0. A number outside 1..most is an error, and leaves e unchanged.
func (e *Encoding) size(frames, most int) error {
	frames = cmp.Or(frames, most)
	if frames < 1 || frames > most {
		return fmt.Errorf("%d frames a block, in %d bytes there is room for %d", frames, e.Bytes, most)
	}
	e.Frames = frames
	return nil
}

// forEachBlock decodes consecutive blocks of src until dst is full. For each block it calls decode with the part of dst
// for the block, the bytes of the block, and channels. It returns the first error of decode. Only the last block may be
// truncated. src must have enough blocks to fill dst.
func (e *Encoding) forEachBlock(dst []float32, src []byte, channels int, decode func([]float32, []byte, int) error) error {
	for len(dst) > 0 {
		n := min(len(dst), e.Frames*channels)
		if err := decode(dst[:n], src[:min(e.Bytes, len(src))], channels); err != nil {
			return err
		}
		dst, src = dst[n:], src[min(e.Bytes, len(src)):]
	}
	return nil
}

// decodeIMA decodes one block of IMA ADPCM from src and fills dst with its interleaved samples, scaled to -1..1. dst
// may be shorter than the block, and src must have the bytes for all of dst. The error reports an invalid step index
// in the header; part of dst may then be written.
func decodeIMA(dst []float32, src []byte, channels int) error {
	for ch := range channels {
		head := src[4*ch:]
		x, index := int(int16(binary.LittleEndian.Uint16(head))), int(head[2])
		if index >= len(imaSteps) {
			return fmt.Errorf("the step %d of an ADPCM block, the last is %d", index, len(imaSteps)-1)
		}
		dst[ch] = float32(x) / (1 << 15)
		words := src[min(4*channels+4*ch, len(src)):] // empty if the file ends after the header
		for i, at := 0, ch+channels; at < len(dst); i, at = i+1, at+channels {
			// The bytes of one word are adjacent; the words of one channel are not.
			code := int(words[i>>3*4*channels+i>>1&3]) >> (i & 1 * 4) & 15
			step := imaSteps[index]
			// As specified by the IMA, each term is rounded down separately.
			change := step >> 3
			if code&4 != 0 {
				change += step
			}
			if code&2 != 0 {
				change += step >> 1
			}
			if code&1 != 0 {
				change += step >> 2
			}
			if code&8 != 0 {
				change = -change
			}
			x = min(max(x+change, -1<<15), 1<<15-1)
			index = min(max(index+imaMoves[code&7], 0), len(imaSteps)-1)
			dst[at] = float32(x) / (1 << 15)
		}
	}
	return nil
}

// imaMoves is the change of the step index by the magnitude of a code.
var imaMoves = [8]int{-1, -1, -1, -1, 2, 4, 6, 8}

// imaSteps lists the step sizes.
var imaSteps = [...]int{
	7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118,
	130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060,
	1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132,
	7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
}

// MSFactors lists the standard predictors.
var MSFactors = [][2]int{{256, 0}, {512, -256}, {0, 0}, {192, 64}, {240, 0}, {460, -208}, {392, -232}}

// decodeMS decodes one block of Microsoft's ADPCM from src and fills dst with its interleaved samples, scaled to
// -1..1. dst may be shorter than the block, and src must have the bytes for all of dst. factors are the coefficient
// pairs of the predictors, in 256ths. The error reports a predictor number in the header that factors does not have;
// part of dst may then be written.
func decodeMS(dst []float32, src []byte, channels int, factors [][2]int) error {
	word := func(i, ch int) int { return int(int16(binary.LittleEndian.Uint16(src[channels+2*(i*channels+ch):]))) }
	for ch := range channels {
		if int(src[ch]) >= len(factors) {
			return fmt.Errorf("the predictor %d of an ADPCM block, the last is %d", src[ch], len(factors)-1)
		}
		factor := factors[src[ch]]
		step, last, before := word(0, ch), word(1, ch), word(2, ch)
		dst[ch] = float32(before) / (1 << 15)
		if len(dst) > channels {
			dst[channels+ch] = float32(last) / (1 << 15)
		}
		for at, i := 2*channels+ch, ch; at < len(dst); at, i = at+channels, i+channels {
			code := int(src[7*channels+i>>1]) >> (4 - i&1*4) & 15
			x := int((int64(last)*int64(factor[0])+int64(before)*int64(factor[1]))>>8) + (code&7-code&8)*step
			last, before = min(max(x, -1<<15), 1<<15-1), last
			step = min(max(step*msGrowth[code]>>8, 16), maxStep)
			dst[at] = float32(last) / (1 << 15)
		}
	}
	return nil
}

// msGrowth is the factor of the step size by code, in 256ths.
var msGrowth = [16]int{230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230}

// maxStep limits the step size in malicious files, so that step times growth fits 32 bits.
const maxStep = (1<<31 - 1) / 768
