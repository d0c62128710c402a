// Package soundcheck checks whether a recording has every frame of a reference, in
// order and without a gap. The recording may begin earlier and end later. It proves
// that a sound server received what a device played. All but the signal are tests.
package soundcheck

import "voicepool/pcm"

// Noise is a signal in which no place is like another, so that a comparison
// finds every frame: even noise, multiples of 2^-24 between -0.25 and 0.25,
// the right channel drawn apart from the left. It is a device's source.
type Noise struct {
	state uint64
	left  int
}

// NewNoise returns a signal of so many frames, and silence after them.
func NewNoise(frames int) *Noise { return &Noise{state: 1, left: frames} }

// Render gives the next frames.
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
