package pcm

import "math"

// Dither rounds samples to 16 bits with triangular dither, so that mean and power of the rounding error are
// independent of the signal. The noise depends only on the seed and the sample number, so the length of the
// blocks does not matter. The zero value is ready to use.
type Dither struct{ Seed uint64 }

// Int16 converts x, full scale -1..+1, and reports whether it was clipped to -32768..32767. Digital zero
// stays 0, without dither. NaN becomes 0 and counts as clipped. number is 2n for the left and 2n+1 for
// the right sample of frame n.
func (d Dither) Int16(x float32, number uint64) (y int16, clipped bool) {
	if x == 0 {
		return 0, false
	}
	v := math.RoundToEven(float64(float64(x)*(1<<15)) + triangular(scramble(d.Seed), number))
	switch {
	case v >= 1<<15:
		return 1<<15 - 1, true
	case v < -1<<15:
		return -1 << 15, true
	case v != v:
		return 0, true
	}
	return int16(v), false
}

// triangular returns the difference of two uniform random numbers in 0..1. They depend only on state, the scrambled
// seed, and the number of the sample.
func triangular(state, number uint64) float64 {
	r := scramble(state + number*0x9e3779b97f4a7c15)
	return float64(float64(int64(r>>32)-int64(r&0xffffffff)) / (1 << 32))
}

// scramble returns a hash of x: the output function of splitmix64.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
