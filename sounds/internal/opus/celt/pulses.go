package celt

import (
	"math"
	"sync"

	"voicepool/pcm"
	"voicepool/sounds/internal/opus/entropy"
)

// counts has U(n, k) of RFC 6716, section 4.3.4.2, a helper for counting the vectors of n integers whose
// magnitudes sum to k; U(n, k) + U(n, k+1) is their number. It is symmetric in n and k.
var counts = sync.OnceValue(func() *[15][178]uint32 {
	u := new([15][178]uint32)
	u[0][0] = 1
	for n := 1; n < len(u); n++ {
		for k := 1; k < len(u[n]); k++ {
			u[n][k] = u[n-1][k] + u[n][k-1] + u[n-1][k-1]
		}
	}
	return u
})

// count returns U(n, k) of RFC 6716, section 4.3.4.2, from a table. The number of vectors of n integers whose
// magnitudes sum to k is U(n, k) + U(n, k+1). The smaller of n and k must be at most 14, the larger at most 177.
func (b *bands) count(n, k int) uint32 { return b.counts[min(n, k)][max(n, k)] }

// readPulses reads a vector of integers from e into y and returns the sum of their squares (RFC 6716, section
// 4.3.4.2). The magnitudes of the integers, called pulses, sum to k, which must be at least 1. y must have at least 2
// elements.
func (b *bands) readPulses(y []int, k int, e *entropy.Decoder) (energy int) {
	n := len(y)
	i := e.Uniform(b.count(n, k) + b.count(n, k+1))
	put := func(at, value int) {
		y[at] = value
		energy += value * value
	}
	for at := range y[:len(y)-2] {
		n := len(y) - at
		p, q := b.count(n, k), b.count(n, k+1)
		if k < n && p <= i && i < q {
			i -= p
			y[at] = 0
			continue
		}
		negative := i >= q
		if negative {
			i -= q
		}
		before := k
		for p = b.count(n, k); p > i; p = b.count(n, k) {
			k--
		}
		i -= p
		put(at, signed(before-k, negative))
	}
	negative := i >= uint32(2*k+1)
	if negative {
		i -= uint32(2*k + 1)
	}
	before := k
	k = int(i+1) >> 1
	if k > 0 {
		i -= uint32(2*k - 1)
	}
	put(len(y)-2, signed(before-k, negative))
	put(len(y)-1, signed(k, i != 0))
	return energy
}

// signed returns x, or -x if negative is true.
func signed(x int, negative bool) int {
	if negative {
		return -x
	}
	return x
}

// unquantize reads the shape of a band from b.e: a vector of integers whose magnitudes sum to k, at least 1. It writes
// the vector to x, scaled to a norm of gain, and then calls rotate with the strength b.spread. blocks is the number of
// short blocks in x. The result has one bit per short block, which is 1 if the block has a nonzero integer; for a
// single block it is 1.
func (b *bands) unquantize(x []float64, k, blocks int, gain float64) (collapsed uint) {
	n := len(x)
	y := b.pulses[:n]
	g := gain / math.Sqrt(float64(b.readPulses(y, k, b.e)))
	for i, p := range y {
		x[i] = float64(g * float64(p))
	}
	rotate(x, blocks, k, b.spread)
	if blocks <= 1 {
		return 1
	}
	size := n / blocks
	for i := range blocks {
		for _, p := range y[i*size:][:size] {
			if p != 0 {
				collapsed |= 1 << i
			}
		}
	}
	return collapsed
}

// rotate undoes the rotation of the encoder, which spreads the k pulses of a band over its coefficients (RFC 6716,
// section 4.3.4.3). It changes x in place; x has the given number of short blocks, and each is rotated by itself.
// spread is the strength, 0..3. For strength 0, or if k is at least half the number of coefficients, rotate has no
// effect.
func rotate(x []float64, blocks, k, spread int) {
	n := len(x)
	if 2*k >= n || spread == 0 {
		return
	}
	gain := float64(n) / float64(n+[...]int{15, 10, 5}[spread-1]*k)
	theta := float64(gain*gain) / 2
	c, s := pcm.CosPi(theta/2), pcm.SinPi(theta/2)
	stride := 0
	if n >= 8*blocks {
		for stride = 1; (stride*stride+stride)*blocks+blocks>>2 < n; {
			stride++
		}
	}
	n /= blocks
	for i := range blocks {
		part := x[i*n:][:n]
		if stride > 0 {
			rotatePair(part, stride, s, c)
		}
		rotatePair(part, 1, c, s)
	}
}

// rotatePair rotates pairs of values in x, in place, by the angle with the cosine c and the sine s. The two values of a
// pair are stride apart. rotatePair first takes all pairs upwards, and then downwards all pairs but the last stride
// ones.
func rotatePair(x []float64, stride int, c, s float64) {
	for i := range len(x) - stride {
		a, b := x[i], x[i+stride]
		x[i+stride] = float64(c*b) + float64(s*a)
		x[i] = float64(c*a) - float64(s*b)
	}
	for i := len(x) - 2*stride - 1; i >= 0; i-- {
		a, b := x[i], x[i+stride]
		x[i+stride] = float64(c*b) + float64(s*a)
		x[i] = float64(c*a) - float64(s*b)
	}
}

// renormalize scales x in place to a norm of gain: the sum of the squares becomes gain squared. If all values are 0,
// x stays unchanged.
func renormalize(x []float64, gain float64) {
	sum := 1e-15
	for _, v := range x {
		sum += float64(v * v)
	}
	g := gain / math.Sqrt(sum)
	for i := range x {
		x[i] = float64(x[i] * g)
	}
}
