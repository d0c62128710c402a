package flac

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"voicepool/sounds/internal/source"
)

// streamInfoOf returns the header of a 16-bit FLAC file with the given block size and number of frames.
func streamInfoOf(block, channels int, frames uint64) []byte {
	info := make([]byte, 34)
	binary.BigEndian.PutUint16(info, uint16(block))
	binary.BigEndian.PutUint16(info[2:], uint16(block))
	binary.BigEndian.PutUint64(info[10:], 48000<<44|uint64(channels-1)<<41|15<<36|frames)
	return append([]byte("fLaC\x80\x00\x00\x22"), info...)
}

// frameHeader returns the header of a frame of the fixed block size.
func frameHeader(number uint64, block, channels int) []byte {
	b := []byte{0xff, 0xf8, 0x70, byte(channels-1) << 4}
	if number < 0x80 {
		b = append(b, byte(number))
	} else { // as in UTF-8, in seven bytes
		b = append(b, 0xfe)
		for shift := 30; shift >= 0; shift -= 6 {
			b = append(b, 0x80|byte(number>>shift)&0x3f)
		}
	}
	b = binary.BigEndian.AppendUint16(b, uint16(block-1))
	return append(b, byte(crc8(b)))
}

// constant returns a FLAC frame with a constant sample in each channel.
func constant(number uint64, block, channels int, sample int16) []byte {
	b := frameHeader(number, block, channels)
	for range channels {
		b = append(b, 0)
		b = binary.BigEndian.AppendUint16(b, uint16(sample))
	}
	return binary.BigEndian.AppendUint16(b, uint16(crc16(b)))
}

var wide = source.Limits{Frames: math.MaxInt64, Memory: math.MaxInt64, Channels: 8, MinRate: 1, MaxRate: 768000}

// decoded returns all samples of a file, its damaged places, and the error at its end.
func decoded(t *testing.T, data []byte) (*reader, []float32, error) {
	t.Helper()
	open, err := Open(source.FromMemory(data), wide)
	if err != nil {
		t.Fatal(err)
	}
	var samples []float32
	for err == nil {
		samples, err = open.Next(samples)
	}
	return open.(*reader), samples, err
}

// TestGap checks that a damaged frame is concealed frame-exactly with fades at both ends. Neighboring frames
// stay unchanged, and a seek to any position gives the same samples.
func TestGap(t *testing.T) {
	const block = 4096
	frames := [][]byte{streamInfoOf(block, 1, 0)}
	for i := range uint64(6) {
		frames = append(frames, constant(i, block, 1, 16384))
	}
	for first := 1; first <= 6; first++ {
		for last := first; last <= 6 && last-first < 5; last++ {
			bad := slices.Clone(frames)
			for i := first; i <= last; i++ {
				bad[i] = slices.Clone(bad[i])
				bad[i][len(bad[i])-3] ^= 1
			}
			r, samples, err := decoded(t, slices.Concat(bad...))
			length := 6 * block
			if last == 6 { // the number of missing frames is not announced
				length = (first - 1) * block
			}
			if !errors.Is(err, io.EOF) || len(samples) != length || len(r.Damages) != 1 {
				t.Fatalf("%d..%d: %d frames, want %d; %v, %v", first, last, len(samples), length, err, r.Damages)
			}
			for i, x := range samples {
				from, to := (first-1)*block, last*block
				switch inside := i >= from && i < to; {
				case !inside && x != 0.5, inside && (x < 0 || x > 0.51):
					t.Fatalf("%d..%d: frame %d is %v", first, last, i, x)
				case i > 0 && math.Abs(float64(x-samples[i-1])) > 0.01 && i > 1:
					t.Fatalf("%d..%d: a step at frame %d, from %v to %v", first, last, i, samples[i-1], x)
				}
			}
			for frame := int64(0); frame < int64(length); frame += 1777 {
				at, err := r.SeekFrame(frame, nil)
				var got []float32
				for err == nil {
					got, err = r.Next(got)
				}
				if !errors.Is(err, io.EOF) || !slices.Equal(got, samples[at:]) {
					t.Fatalf("%d..%d: from frame %d on it is another, %v", first, last, at, err)
				}
			}
		}
	}
}

// TestGapBounded checks that concealment never exceeds the size that the file's length allows, even if frame
// numbers are wrong.
func TestGapBounded(t *testing.T) {
	for _, number := range []uint64{3, 100, 1 << 20, 1<<36 - 1} {
		bad := constant(1, 4096, 1, 1)
		bad[len(bad)-3] ^= 1
		r, samples, err := decoded(t, slices.Concat(streamInfoOf(4096, 1, 0), constant(0, 4096, 1, 1), bad, constant(number, 4096, 1, 1)))
		most := int(number+1) * 4096
		if number > 100 {
			most = 2 * 4096
		}
		if !errors.Is(err, io.EOF) || len(samples) != most || len(r.Damages) != 1 {
			t.Errorf("number %d: %d frames, want %d; %v, %v", number, len(samples), most, err, r.Damages)
		}
	}
}

// TestSearchBounded checks that headers with a valid checksum but without content bound the decoder's work.
func TestSearchBounded(t *testing.T) {
	data := slices.Concat(streamInfoOf(65535, 8, 0), constant(0, 65535, 8, 1))
	for i := range uint64(3000) {
		data = append(data, frameHeader(i%100, 65535, 8)...)
	}
	r, _, err := decoded(t, data)
	if err == nil || errors.Is(err, io.EOF) {
		t.Errorf("it ends with %v", err)
	}
	if most := int64(maxWastedSamples + 8*len(data) + 65535*8); r.wastedSamples > most {
		t.Errorf("%d samples were decoded for nothing, want at most %d", r.wastedSamples, most)
	}
}
