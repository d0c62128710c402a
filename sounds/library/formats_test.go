package library_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"voicepool/sounds/library"
)

// decodeFile decodes a file of testdata.
func decodeFile(t *testing.T, path string) *library.Clip {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := library.Decode(context.Background(), filepath.Base(path), bytes.NewReader(data), library.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// sum returns the SHA-256 of samples as 32-bit floats.
func sum(samples []float32) string {
	raw := make([]byte, 4*len(samples))
	for i, x := range samples {
		binary.LittleEndian.PutUint32(raw[4*i:], math.Float32bits(x))
	}
	s := sha256.Sum256(raw)
	return hex.EncodeToString(s[:])
}

// TestExact compares WAV and FLAC with the output of ffmpeg, bit for bit.
func TestExact(t *testing.T) {
	list, err := os.Open("testdata/formats/exact.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		var name, hash string
		var channels, rate, frames int
		if _, err := fmt.Sscan(lines.Text(), &name, &channels, &rate, &frames, &hash); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			c := decodeFile(t, filepath.Join("testdata/formats", name))
			if c.Channels != channels || c.Rate != rate || c.Frames() != int64(frames) {
				t.Fatalf("%d channels, %d Hz, %d frames, want %d, %d, %d", c.Channels, c.Rate, c.Frames(), channels, rate, frames)
			}
			if got := sum(c.Samples); got != hash {
				t.Errorf("samples %s, want %s", got, hash)
			}
		})
	}
}

// TestLossy compares the samples of Vorbis and MP3 with the output of ffmpeg, or of mpg123 for MP3 at 24 kHz.
// It compares the length with the encoder's input.
func TestLossy(t *testing.T) {
	list, err := os.Open("testdata/formats/lossy.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		var name string
		var channels, rate, frames int
		if _, err := fmt.Sscan(lines.Text(), &name, &channels, &rate, &frames); err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) {
			golden := "testdata/formats/golden-" + strings.TrimSuffix(name, filepath.Ext(name)) + ".flac"
			got, want := decodeFile(t, "testdata/formats/"+name), decodeFile(t, golden)
			if got.Channels != channels || got.Rate != rate || got.Frames() != int64(frames) {
				t.Fatalf("%d channels, %d Hz, %d frames, want %d, %d, %d", got.Channels, got.Rate, got.Frames(), channels, rate, frames)
			}
			n := min(len(got.Samples), len(want.Samples))
			worst, at := 0.0, 0
			for i := range n {
				if e := math.Abs(float64(got.Samples[i] - want.Samples[i])); e > worst {
					worst, at = e, i/channels
				}
			}
			if worst > 1e-6 {
				t.Errorf("frame %d errs by %.3g", at, worst)
			}
		})
	}
}
