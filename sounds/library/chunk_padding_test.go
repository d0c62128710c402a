package library

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// chunkFile returns a WAV or AIFF file of 16-bit samples with a chunk of 3 bytes before the samples.
func chunkFile(form string, frames int, odd, pad string) []byte {
	order := binary.AppendByteOrder(binary.LittleEndian)
	name, first, samples := "data", "fmt ", make([]byte, 2*frames)
	head := []byte("\x01\x00\x01\x00\x44\xac\x00\x00\x88\x58\x01\x00\x02\x00\x10\x00")
	for i := range samples {
		samples[i] = byte(i % 7)
	}
	outer := "RIFF\x00\x00\x00\x00WAVE"
	if form == "AIFF" {
		order, name, first, outer = binary.BigEndian, "SSND", "COMM", "FORM\x00\x00\x00\x00AIFF"
		head = []byte("\x00\x01\x00\x00\x00\x00\x00\x10\x40\x0e\xac\x44\x00\x00\x00\x00\x00\x00")
		binary.BigEndian.PutUint32(head[2:], uint32(frames))
		samples = append(make([]byte, 8), samples...)
	}
	b := []byte(outer + bit(order, first, head) + odd + string(order.AppendUint32(nil, 3)) + "abc" + pad + bit(order, name, samples))
	if form == "AIFF" {
		binary.BigEndian.PutUint32(b[4:], uint32(len(b)-8))
	} else {
		binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8))
	}
	return b
}

func decodeChunkFile(data []byte) (*Clip, error) {
	return Decode(context.Background(), "odd", bytes.NewReader(data), Limits{})
}

// TestOddChunk reads files with a chunk of odd size, with and without its pad byte. The sample sizes cover
// those that look like a letter in either reading.
func TestOddChunk(t *testing.T) {
	for _, form := range []string{"WAV", "AIFF"} {
		for _, odd := range []string{"LIST", "xyz1"} {
			for frames := 1; frames < 400; frames++ {
				want, err := decodeChunkFile(chunkFile(form, frames, odd, "\x00"))
				if err != nil || want.Frames() != int64(frames) {
					t.Fatalf("%s, %s of %d frames: %v", form, odd, frames, err)
				}
				for _, pad := range []string{"", " ", "d", "\xff"} {
					got, err := decodeChunkFile(chunkFile(form, frames, odd, pad))
					if err != nil {
						t.Fatalf("%s, %s padded with %q, %d frames: %v", form, odd, pad, frames, err)
					}
					if !slices.Equal(got.Samples, want.Samples) {
						t.Fatalf("%s, %s padded with %q, %d frames: other samples", form, odd, pad, frames)
					}
				}
			}
		}
	}
}

// TestStrangeChunk checks that the error of a chunk with a wrong size names the place in printable characters.
func TestStrangeChunk(t *testing.T) {
	for _, form := range []string{"WAV", "AIFF"} {
		begin := 36
		if form == "AIFF" {
			begin = 38
		}
		want := fmt.Sprintf("where the chunk at byte %d ends: the odd size of that chunk is wrong, or its pad byte is missing", begin)
		for _, odd := range []string{"\x00\x00", "\xff\xff\xff"} {
			_, err := decodeChunkFile(chunkFile(form, 100, "LIST", odd))
			if !errors.Is(err, ErrDecode) || !strings.Contains(err.Error(), want) {
				t.Fatalf("%s, %q: %v, want %s", form, odd, err, want)
			}
			if strings.Contains(err.Error(), `\x`) {
				t.Errorf("%s, %q: %v", form, odd, err)
			}
		}
		data := chunkFile(form, 100, "\x01\x02\x03\x04", "\xff\xff")
		copy(data[12:], "\xfe\xff\xfe\xff\xff\xff\xff\xff")
		if _, err := decodeChunkFile(data); err == nil || !strings.Contains(err.Error(), "no chunk begins at byte 12, where the header ends") {
			t.Errorf("%s: %v", form, err)
		}
	}
}
