// Package soundcheck checks whether a recording contains every frame of a reference, in order and without a
// gap. The recording may begin earlier and end later. It proves that a sound server received what a device
// played. The package consists of tests only.
package soundcheck

import (
	"testing"

	"voicepool/pcm"
)

// Noise is a signal without repetitions, so that a comparison finds every frame: white noise, multiples of
// 2^-24 between -0.25 and 0.25, with independent channels. It is a source for a device.
type Noise struct {
	state uint64
	left  int
}

// NewNoise returns noise with the given number of frames, followed by silence.
func NewNoise(frames int) *Noise { return &Noise{state: 1, left: frames} }

// Render returns the next frames.
func (n *Noise) Render(dst []pcm.Frame) {
	for i := range dst {
		if n.left == 0 {
			clear(dst[i:])
			return
		}
		n.left--
		dst[i] = pcm.Frame{n.draw(), n.draw()}
	}
}

// draw steps a linear congruential generator and takes its upper 23 bits.
func (n *Noise) draw() float32 {
	n.state = n.state*6364136223846793005 + 1442695040888963407
	return float32(int64(n.state>>41)-1<<22) / (1 << 24)
}

// TestNoise checks that samples are multiples of 2^-24, which 24-bit formats preserve.
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
