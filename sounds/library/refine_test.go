package library

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"voicepool/pcm"
	"voicepool/sounds"
)

// mumble returns noise with fixed bits.
func mumble(t *testing.T, frames, channels int, loop [2]int64) *sounds.Sound {
	t.Helper()
	data := make([]float32, frames*channels)
	x := uint32(7)
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = float32(int32(x)) * 0x1p-33
	}
	s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: channels, Data: data, Loop: loop, Refine: Refine})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestRefineBits compares mip levels with a hash that is the same on every machine.
func TestRefineBits(t *testing.T) {
	h := sha256.New()
	for level := range 7 {
		for _, looped := range []bool{false, true} {
			s := mumble(t, 3000, 1+level%2, [2]int64{400, 2718})
			if err := binary.Write(h, binary.LittleEndian, Refine(s, level, looped, -4, 600)); err != nil {
				t.Fatal(err)
			}
		}
	}
	const want = "92e5170c864d734beaaa4c6903bc4d590131fe776336e4790dffb024878d20a5"
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("the versions are %s, want %s", got, want)
	}
}

// TestRefineParts compares a mip level made at once with one made in pieces.
func TestRefineParts(t *testing.T) {
	for level := range 6 {
		for channels := 1; channels <= 2; channels++ {
			s := mumble(t, 20000, channels, [2]int64{})
			whole := Refine(s, level, false, -4, 9000)
			first, n := int64(-4), int64(1)
			var parts []float32
			for len(parts) < len(whole) {
				n = min(n*3+1, 9000-4-first+4)
				n = min(n, int64((len(whole)-len(parts))/channels))
				parts = append(parts, Refine(s, level, false, first, n)...)
				first += n
			}
			if !slices.Equal(parts, whole) {
				t.Errorf("level %d, %d channels: the parts are another sound", level, channels)
			}
		}
	}
}

// TestRefineConstant checks that a constant keeps its value when read with the kernel's own gain, 2.58785.
func TestRefineConstant(t *testing.T) {
	data := make([]float32, 40000)
	for i := range data {
		data[i] = 0.5
	}
	s, err := sounds.NewSound(sounds.Samples{Rate: 48000, Channels: 1, Data: data, Refine: Refine})
	if err != nil {
		t.Fatal(err)
	}
	for level := range 7 {
		for _, x := range Refine(s, level, false, 20000*int64(1<<level)/int64(math.Pow(3, float64(level))), 40) {
			if off := math.Abs(float64(x)*2.58785/0.5 - 1); off > 2e-6 {
				t.Fatalf("level %d: %v of a constant of 0.5", level, x)
			}
		}
	}
}

// TestMaxPitch checks which mip levels are made at load and how they count as memory.
func TestMaxPitch(t *testing.T) {
	c := &Clip{Name: "noise", Channels: 1, Rate: 48000, Samples: mumble(t, 30000, 1, [2]int64{}).Samples()}
	plain, err := Prepare(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, loop := range []bool{false, true} {
		s, err := Prepare(c, Options{MaxPitch: 12, Loop: loop})
		if err != nil {
			t.Fatal(err)
		}
		for level := range 4 {
			if s.Refined(level, false) != (level < 2) || s.Refined(level, true) != (loop && level < 2) {
				t.Errorf("loop %v, level %d: there are %v and %v", loop, level, s.Refined(level, false), s.Refined(level, true))
			}
		}
		want := 1.667
		if loop {
			want *= 2
		}
		if got := float64(s.Bytes()-plain.Bytes()) / (4 * 30000); math.Abs(got-want) > 0.02 {
			t.Errorf("loop %v: the versions take %.3f times the sound, want %.3f", loop, got, want)
		}
	}
	for _, pitch := range []pcm.Semitones{-1, 97, pcm.Semitones(math.NaN())} {
		if _, err := Prepare(c, Options{MaxPitch: pitch}); !errors.Is(err, ErrLimit) {
			t.Errorf("a highest pitch of %v: %v", pitch, err)
		}
	}
}
