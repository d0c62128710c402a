package soundcheck

import (
	"testing"

	"voicepool/pcm"
)

// Every frame of the noise is found by its value in steps of 2^-24, and so
// goes through 24 bits unharmed.
func TestNoise(t *testing.T) {
	var a, b [1000]pcm.Frame
	NewNoise(900).Render(a[:])
	n := NewNoise(900)
	n.Render(b[:1])
	n.Render(b[1:])
	if a != b {
		t.Error("blocks of 1 and 999 give another signal than one of 1000")
	}
	for i, f := range a {
		for _, x := range f {
			if x < -0.25 || x >= 0.25 || x*(1<<24) != float32(int32(x*(1<<24))) {
				t.Fatalf("frame %d is %v, want multiples of 2^-24 in -0.25..0.25", i, f)
			}
		}
		if (f == pcm.Frame{}) != (i >= 900) {
			t.Fatalf("frame %d is %v, want silence from 900 on", i, f)
		}
	}
}
