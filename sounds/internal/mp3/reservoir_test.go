package mp3

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"testing"

	"voicepool/sounds/internal/source"
)

// wide holds limits that no test reaches.
var wide = source.Limits{Frames: math.MaxInt64, Memory: math.MaxInt64, Channels: 2, MinRate: 1, MaxRate: math.MaxInt}

// testFile reads a file of testdata/formats.
func testFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile("../../library/testdata/formats/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// decodeAll decodes data without an encoder header.
func decodeAll(t *testing.T, data []byte) (samples []float32) {
	t.Helper()
	r, err := Open(source.FromMemory(data), wide)
	for err == nil {
		samples, err = r.Next(samples)
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return samples
}

// TestMP3Reservoir checks that a decoder that starts in the middle has the bit reservoir of the preceding
// frames, even if every seek point is known.
func TestMP3Reservoir(t *testing.T) {
	for _, name := range []string{"mp3-44100-1-cbr.mp3", "mp3-44100-2-cbr.mp3", "mp3-22050-1-cbr.mp3", "mp3-48000-2-vbr.mp3"} {
		in := source.FromMemory(testFile(t, name))
		in.SkipID3()
		at, h, err := firstFrame(in.Peek(source.Probe))
		if err != nil {
			t.Fatal(err)
		}
		in.Skip(int64(at) + int64(h.size)) // and the header frame with the length
		r, err := Open(source.FromMemory(bytes.Repeat(in.ReadBytes(in.Remaining()), 5)), wide)
		if err != nil {
			t.Fatal(err)
		}
		d := r.(*reader)
		var all []float32
		known := source.Marks{Stride: 1}
		channels := int64(h.channels)
		for {
			known.Add(source.Mark{Frame: d.count * d.size, At: d.in.At, Packets: d.count, Data: d.bytes})
			if all, err = d.Next(all); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		for frame := int64(0); frame < int64(len(all))/channels; frame += d.size / 2 {
			at, err := d.SeekFrame(frame, &known)
			if err != nil {
				t.Fatal(err)
			}
			var got []float32
			for err == nil && int64(len(got)) < (frame-at+d.size)*channels {
				got, err = d.Next(got)
			}
			rest := got[(frame-at)*channels:]
			if !slices.Equal(rest, all[frame*channels:][:len(rest)]) {
				t.Fatalf("%s: frame %d is not the same when decoding begins at %d", name, frame, at)
			}
		}
	}
}
