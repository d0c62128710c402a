package synth_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/mewkiz/flac"
	"github.com/mewkiz/flac/meta"

	"voicepool/sounds/embedded/gen/synth"
)

// decode reads a FLAC file whole.
func decode(t *testing.T, data []byte) (*flac.Stream, [][]int16) {
	t.Helper()
	s, err := flac.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	out := make([][]int16, s.Info.NChannels)
	for n := uint64(0); n < s.Info.NSamples; {
		f, err := s.ParseNext()
		if err != nil {
			t.Fatalf("frame at %d of %d: %v", n, s.Info.NSamples, err)
		}
		for c, sub := range f.Subframes {
			for _, v := range sub.Samples {
				out[c] = append(out[c], int16(v))
			}
		}
		n += uint64(f.BlockSize)
	}
	return s, out
}

// shapes are samples that are hard on a coder in one way each.
var shapes = map[string]func(i int) int16{
	"silence":   func(int) int16 { return 0 },
	"constant":  func(int) int16 { return -12345 },
	"lowest":    func(int) int16 { return math.MinInt16 },
	"alternate": func(i int) int16 { return int16(uint16(0x7fff) + uint16(i&1)) },
	"sine":      func(i int) int16 { return int16(math.Round(30000 * math.Sin(float64(i)*1.3))) },
	"noise":     func(i int) int16 { return int16(uint64(i) * uint64(i+7) * 0x9e3779b97f4a7c15 >> 40) },
	"step":      func(i int) int16 { return int16(i / 1000 * 20000) },
	"one click": func(i int) int16 { return int16(i / 50 * (100 - i) / 50 * 32767) },
}

func TestFLACGivesTheSameSamplesBack(t *testing.T) {
	for name, shape := range shapes {
		for _, size := range []int{1, 2, 3, 4, 5, 12, 13, 63, 64, 65, 4095, 4096, 4097, 4096 + 12} {
			channel := func(shift int) []int16 {
				out := make([]int16, size)
				for i := range out {
					out[i] = shape(i + shift)
				}
				return out
			}
			for _, want := range [][][]int16{{channel(0)}, {channel(0), channel(0)}, {channel(0), channel(1)}, {channel(3), make([]int16, size)}} {
				data, err := synth.FLAC(want, false)
				if err != nil {
					t.Fatalf("%s, %d frames, %d channels: %v", name, size, len(want), err)
				}
				if _, got := decode(t, data); !slices.EqualFunc(got, want, slices.Equal) {
					t.Errorf("%s, %d frames, %d channels: other samples came back", name, size, len(want))
				}
				if limit := 2*size*len(want) + 40*(size/4096+1) + 200; len(data) > limit {
					t.Errorf("%s, %d frames, %d channels: %d bytes, more than it is without coding (%d)", name, size, len(want), len(data), limit)
				}
			}
		}
	}
}

func TestFLACCompresses(t *testing.T) {
	size := 48000
	left := make([]int16, size)
	for i := range left {
		left[i] = shapes["sine"](i)
	}
	one, err := synth.FLAC([][]int16{left}, false)
	if err != nil {
		t.Fatal(err)
	}
	// A sine is predictable down to its rounding: some three bits a sample of
	// sixteen, where the fixed predictors would need all of them.
	if limit := size / 2; len(one) > limit {
		t.Errorf("a sine of %d frames takes %d bytes, want at most %d", size, len(one), limit)
	}
	two, err := synth.FLAC([][]int16{left, left}, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(two) > len(one)+1000 {
		t.Errorf("an equal second channel takes %d bytes more, want at most 1000", len(two)-len(one))
	}
}

func TestFLACLoopPoints(t *testing.T) {
	for _, loop := range []bool{false, true} {
		data, err := synth.FLAC([][]int16{make([]int16, 777)}, loop)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := decode(t, data)
		var tags [][2]string
		for _, b := range s.Blocks {
			if c, ok := b.Body.(*meta.VorbisComment); ok {
				tags = c.Tags
			}
		}
		want := ""
		if loop {
			want = "[[LOOPSTART 0] [LOOPLENGTH 777]]"
		}
		if got := fmt.Sprint(tags); got != want && len(tags) > 0 || want == "" != (len(tags) == 0) {
			t.Errorf("loop %v: tags %v, want %s", loop, tags, want)
		}
	}
}

func TestFLACRefuses(t *testing.T) {
	for name, channels := range map[string][][]int16{
		"no channel":     {},
		"three channels": {{1}, {1}, {1}},
		"no frames":      {{}},
		"unequal":        {{1, 2}, {1}},
	} {
		if _, err := synth.FLAC(channels, false); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
