package playable_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"voicepool/internal/playable"
	"voicepool/pcm"
)

// TestScaled compares Scaled with exact fractions.
func TestScaled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		x, level := r.Int64N(1<<62)>>r.IntN(62), r.IntN(playable.Levels+1)
		exact := new(big.Rat).SetInt64(x)
		for range level {
			exact.Mul(exact, big.NewRat(2, 3))
		}
		off := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(playable.Scaled(x, level)))
		if off.Abs(off).Cmp(big.NewRat(1, 2)) > 0 {
			t.Fatalf("Scaled(%d, %d) = %d, which is %v away", x, level, playable.Scaled(x, level), off)
		}
	}
}

// TestLevelOf checks that a level makes a step at most 1.5 of its frames, and that the level below does not.
func TestLevelOf(t *testing.T) {
	for semitones := -12.0; semitones <= 96; semitones += 0.37 {
		step := playable.StepOf(semitones)
		level := playable.LevelOf(step)
		if level < playable.Levels-1 && step > playable.MaxStep(level) || level > 0 && step <= playable.MaxStep(level-1) {
			t.Errorf("%v semitones, a step of %d, has level %d", semitones, step, level)
		}
	}
}

// TestSeam checks that a seam holds the samples around the end of the loop in playing order, for any loop.
func TestSeam(t *testing.T) {
	for _, loop := range []pcm.Loop{{0, 200}, {50, 200}, {150, 170}, {10, 11}, {0, 3}} {
		d := playable.Data{Channels: 2, Frames: 200, Loop: loop}
		d.Samples.Floats = make([]float32, 2*(playable.GuardBefore+200+playable.GuardAfter))
		for i := range 200 {
			for c := range 2 {
				d.Samples.Floats[2*(playable.GuardBefore+i)+c] = float32(1 + 2*i + c)
			}
		}
		m := playable.NewSeam(&d)
		if m.Back%loop.Frames() != 0 || m.Wrap <= loop[1] {
			t.Errorf("loop %v: it jumps %d frames back at %d", loop, m.Back, m.Wrap)
		}
		for i := range int64(len(m.Samples.Floats) / 2) {
			frame := m.From - playable.GuardBefore + i
			want := float32(0) // before the sound
			if frame >= 0 {
				want = float32(1 + 2*loop.At(frame))
			}
			if got := m.Samples.Floats[2*i]; got != want {
				t.Fatalf("loop %v: frame %d of the seam is %v, want %v", loop, frame, got, want)
			}
		}
	}
}

// TestFindMip checks that a missing level is replaced by the nearest lower one, else by the nearest higher one, and is
// reported once.
func TestFindMip(t *testing.T) {
	var d playable.Data
	if m, lacks := d.FindMip(3, false); m != nil || !lacks {
		t.Errorf("without levels it finds %v, %v", m, lacks)
	}
	d.AddMip(&playable.Mip{Level: 5})
	d.AddMip(&playable.Mip{Level: 2, Looped: true})
	for level, want := range []int{5, 5, 5, 5, 5, 5, 5} {
		if m, lacks := d.FindMip(level, false); m.Level != want || lacks != (level != 5) {
			t.Errorf("for level %d it finds %d, %v", level, m.Level, lacks)
		}
	}
	if m, lacks := d.FindMip(4, true); m.Level != 2 || !lacks || !d.HasMip(2, true) || d.HasMip(2, false) {
		t.Errorf("for a looping voice it finds %d, %v", m.Level, lacks)
	}
	d.RecordMissing(4, true)
	d.RecordMissing(playable.Levels, true)
	if got := d.DrainMissing(true); got != 1<<4|1<<playable.Levels || d.DrainMissing(true) != 0 || d.DrainMissing(false) != 0 {
		t.Errorf("missing are %b", got)
	}
}
