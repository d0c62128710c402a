package synth

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"

	"github.com/mewkiz/flac"
	"github.com/mewkiz/flac/frame"
	"github.com/mewkiz/flac/meta"
)

// blockSize is the number of samples in a FLAC frame but the last.
const blockSize = 4096

// FLAC encodes 16-bit channels of equal length, one or two, at Rate, at least one
// frame. A loop carries its points as LOOPSTART and LOOPLENGTH, counted in frames. The same
// samples give the same bytes on every machine.
func FLAC(channels [][]int16, loop bool) ([]byte, error) {
	if len(channels) < 1 || len(channels) > 2 {
		return nil, fmt.Errorf("synth: %d channels; FLAC here has 1 or 2", len(channels))
	}
	size := len(channels[0])
	if len(channels[len(channels)-1]) != size {
		return nil, fmt.Errorf("synth: channels of %d and %d frames", size, len(channels[1]))
	}
	if size == 0 {
		return nil, errors.New("synth: no frames to encode")
	}
	comment := &meta.VorbisComment{Vendor: "voicepool synth"}
	if loop {
		comment.Tags = [][2]string{{"LOOPSTART", "0"}, {"LOOPLENGTH", strconv.Itoa(size)}}
	}
	info := &meta.StreamInfo{
		BlockSizeMin: blockSize, BlockSizeMax: blockSize,
		SampleRate: Rate, NChannels: uint8(len(channels)), BitsPerSample: 16,
		NSamples: uint64(size), MD5sum: checksum(channels),
	}
	var out bytes.Buffer
	// The encoder counts a body's length itself, but drops one that claims 0.
	header := meta.Header{Type: meta.TypeVorbisComment, Length: 1}
	enc, err := flac.NewEncoder(&out, info, &meta.Block{Header: header, Body: comment})
	if err != nil {
		return nil, fmt.Errorf("synth: begin FLAC: %w", err)
	}
	enc.EnablePredictionAnalysis(false)
	for start := 0; start < size; start += blockSize {
		if err := enc.WriteFrame(block(channels, start, min(start+blockSize, size))); err != nil {
			return nil, fmt.Errorf("synth: FLAC frame at %d: %w", start, err)
		}
	}
	return out.Bytes(), nil
}

// checksum is the MD5 sum of the interleaved samples, which decoders verify.
func checksum(channels [][]int16) [md5.Size]byte {
	data := make([]byte, 0, 2*len(channels)*len(channels[0]))
	for i := range channels[0] {
		for _, c := range channels {
			data = binary.LittleEndian.AppendUint16(data, uint16(c[i]))
		}
	}
	return md5.Sum(data)
}

// block is one FLAC frame: two channels as they are, or as their mean and
// their difference, whichever is shorter.
func block(channels [][]int16, from, to int) *frame.Frame {
	f := &frame.Frame{Header: frame.Header{
		HasFixedBlockSize: true, BlockSize: uint16(to - from),
		SampleRate: Rate, BitsPerSample: 16, Channels: frame.ChannelsMono,
	}}
	left := widen(channels[0][from:to])
	first, cost := predict(left, 16)
	f.Subframes = []*frame.Subframe{first}
	if len(channels) == 1 {
		return f
	}
	right := widen(channels[1][from:to])
	second, more := predict(right, 16)
	f.Channels = frame.ChannelsLR
	f.Subframes = append(f.Subframes, second)

	mid, side := make([]int32, to-from), make([]int32, to-from)
	for i := range mid {
		mid[i] = (left[i] + right[i]) >> 1
		side[i] = left[i] - right[i]
	}
	third, less := predict(mid, 16)
	fourth, rest := predict(side, 17)
	if less+rest < cost+more {
		// The encoder wants the channels and takes mean and difference itself.
		third.Samples, fourth.Samples = left, right
		f.Channels = frame.ChannelsMidSide
		f.Subframes = []*frame.Subframe{third, fourth}
	}
	return f
}

func widen(in []int16) []int32 {
	out := make([]int32, len(in))
	for i, v := range in {
		out[i] = int32(v)
	}
	return out
}
