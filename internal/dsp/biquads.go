package dsp

import "voicepool/pcm"

// Biquads is two second-order filters in series, for two channels at once.
type Biquads struct {
	Taps  [10]Pair // b0, b1, b2, a1 and a2 of the first, then of the second
	State [4]Pair  // states of both filters
}

// Pair is a left and a right number.
type Pair [2]float64

// Energy filters interleaved samples. It adds the square of each output sample to sum and returns the result.
func (b *Biquads) Energy(samples []float32, sum float64) float64 {
	n := len(samples) / 2
	if n > 0 && level != generic {
		return energy(&b.Taps[0][0], &samples[0], n, sum)
	}
	return b.squares(samples, sum, false)
}

// Power is Energy for frames, except that the squares of a frame are added to each other first.
func (b *Biquads) Power(frames []pcm.Frame, sum float64) float64 {
	if len(frames) > 0 && level != generic {
		return power(&b.Taps[0][0], &frames[0][0], len(frames), sum)
	}
	return b.squares(Interleaved(frames), sum, true)
}

// squares implements Energy and, if together is true, Power in Go, with all states in registers.
func (b *Biquads) squares(samples []float32, sum float64, together bool) float64 {
	h, s := b.Taps, b.State
	l1, l2, l3, l4 := s[0][0], s[1][0], s[2][0], s[3][0]
	r1, r2, r3, r4 := s[0][1], s[1][1], s[2][1], s[3][1]
	for ; len(samples) >= 2; samples = samples[2:] {
		l, r := float64(samples[0]), float64(samples[1])
		ly, ry := float64(h[0][0]*l)+l1, float64(h[0][1]*r)+r1
		l1, r1 = float64(h[1][0]*l)-float64(h[3][0]*ly)+l2, float64(h[1][1]*r)-float64(h[3][1]*ry)+r2
		l2, r2 = float64(h[2][0]*l)-float64(h[4][0]*ly), float64(h[2][1]*r)-float64(h[4][1]*ry)
		lz, rz := float64(h[5][0]*ly)+l3, float64(h[5][1]*ry)+r3
		l3, r3 = float64(h[6][0]*ly)-float64(h[8][0]*lz)+l4, float64(h[6][1]*ry)-float64(h[8][1]*rz)+r4
		l4, r4 = float64(h[7][0]*ly)-float64(h[9][0]*lz), float64(h[7][1]*ry)-float64(h[9][1]*rz)
		if together {
			sum += float64(lz*lz) + float64(rz*rz)
		} else {
			sum += float64(lz * lz)
			sum += float64(rz * rz)
		}
	}
	b.State = [4]Pair{{l1, r1}, {l2, r2}, {l3, r3}, {l4, r4}}
	return sum
}
