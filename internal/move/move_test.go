package move_test

import (
	"fmt"
	"math"
	"testing"

	"voicepool/internal/move"
	"voicepool/pcm"
	"voicepool/sounds"
)

// TestShapes compares each shape with its formula in amplitude, upwards and downwards, and checks both ends.
func TestShapes(t *testing.T) {
	const frames = 1000
	low, high := pcm.Decibels(-30).Gain(), pcm.Decibels(-6).Gain()
	for shape, formula := range map[sounds.Shape]func(t float64) float64{
		sounds.InAmplitude:   func(t float64) float64 { return t },
		sounds.RaisedCosine:  func(t float64) float64 { return 0.5 - 0.5*math.Cos(math.Pi*t) },
		sounds.ConstantPower: func(t float64) float64 { return math.Sin(math.Pi / 2 * t) },
	} {
		for _, up := range []bool{false, true} {
			from, to := -6.0, -30.0
			if up {
				from, to = to, from
			}
			m := move.Constant(from)
			m.RampGain(50, pcm.Decibels(to), frames, shape)
			for i := range int64(frames) {
				progress := float64(i) / frames
				if !up {
					progress = 1 - progress
				}
				if got, want := m.Gain(50+i), low+(high-low)*formula(progress); math.Abs(got-want) > 1e-12 {
					t.Fatalf("%v, up %v: frame %d is %v, want %v", shape, up, i, got, want)
				}
			}
			if m.At(50+frames) != to || m.End() != 50+frames || !m.SettledAt(to, 50+frames) {
				t.Errorf("%v: it ends with %v at %d", shape, m.At(50+frames), m.End())
			}
		}
	}
}

// TestRampContinues checks that a ramp during another ramp begins with the value reached.
func TestRampContinues(t *testing.T) {
	m := move.Constant(2)
	m.Ramp(100, 10, 80)
	m.Ramp(120, 0, 40)
	if m.At(120) != 4 || m.At(130) != 3 || m.At(160) != 0 {
		t.Errorf("it is %v, %v, %v, want 4, 3, 0", m.At(120), m.At(130), m.At(160))
	}
	if m.Ramp(130, 7, 0); m.At(130) != 7 {
		t.Errorf("a ramp of no frames gives %v, want 7", m.At(130))
	}
}

// TestFade checks that a fade-in and a fade-out of a shape mirror each other, and their values at both ends.
func TestFade(t *testing.T) {
	for shape := sounds.Natural; shape <= sounds.ConstantPower; shape++ {
		in := move.Fade{Start: 10, Frames: 100, Shape: shape}
		out := move.Fade{Start: 10, Frames: 100, Shape: shape, ToSilence: true, Level: 1}
		for i := range int64(101) {
			if a, b := in.At(10+i), out.At(110-i); math.Abs(a-b) > 1e-12 || a < 0 || a > 1 {
				t.Fatalf("%v: %v after %d frames of the fade-in, %v before the end of the fade-out", shape, a, i, b)
			}
		}
		if in.At(110) != 1 || out.At(110) != 0 || in.End() != 110 {
			t.Errorf("%v: it ends with %v and %v at %d", shape, in.At(110), out.At(110), in.End())
		}
	}
}

func ExampleMove() {
	gain := move.Constant(0)
	gain.RampGain(1000, -20, 4800, sounds.InDecibels)
	fmt.Println(gain.At(3400), gain.At(5800))
	// Output: -10 -20
}
