package celt

import (
	"math"

	"voicepool/sounds/internal/opus/entropy"
)

// bands reads the band shapes of a frame.
type bands struct {
	e           *entropy.Decoder
	counts      *[15][178]uint32
	band        int
	lm          int
	intensity   int
	spread      int
	change      int // change of the time-frequency resolution
	remaining   int // bits, in eighths
	seed        uint32
	noInverse   bool
	pulses      [176]int
	scratch     [176]float64
	interleaved [176]float64
	norm        [2][8 * 78]float64
	collapsed   [2][bandCount]uint
	resolution  [bandCount]int
}

// random advances the seed of the noise, b.seed, and returns it as the next random number. It is the same in all
// decoders.
func (b *bands) random() uint32 {
	b.seed = 1664525*b.seed + 1013904223
	return b.seed
}

// split describes how the energy of a band is divided: between mid and side, or between its halves. theta is
// the angle, from 0 (all in the first part) to 16384 (all in the second). mid and side are its cosine and
// sine times 32768. delta shifts bits from the first part to the second. cost is the cost of the angle. Both
// are in eighths of a bit. inverted means that the right channel has the opposite sign.
type split struct {
	inverted  bool
	mid, side int
	delta     int
	theta     int
	cost      int
}

// cos returns the cosine of the angle x, times 32768. x is 0..16384 for 0 to 90 degrees. All decoders compute the
// same value.
func cos(x int) int {
	y := (4096 + x*x) >> 13
	return 1 + (32767 - y) + frac(y, -7651+frac(y, 8277+frac(-626, y)))
}

// frac returns the rounded product of a and b, which are 16-bit numbers in 32768ths.
func frac(a, b int) int { return (16384 + int(int16(a))*int(int16(b))) >> 15 }

// log2tan returns an approximation of 2048 log2(sin/cos). sin and cos are a sine and a cosine times 32768, both at
// least 1. All decoders compute the same value.
func log2tan(sin, cos int) int {
	s, c := width(sin), width(cos)
	sin, cos = sin<<(15-s), cos<<(15-c)
	return (s-c)<<11 + frac(sin, frac(sin, -2597)+7932) - frac(cos, frac(cos, -2597)+7932)
}

// steps returns the number of quantization steps, an even number, of the angle that divides the energy of a band (RFC
// 6716, section 4.3.4.4). The result 1 means that the angle is not coded. n is the number of coefficients of each
// part, and bits the budget. offset and pulses follow from the width of the band. All three are in eighths of a bit.
// stereo is true for mid and side, and false for two halves of a band.
func steps(n, bits, offset, pulses int, stereo bool) int {
	m := 2*n - 1
	if stereo && n == 2 {
		m--
	}
	q := min((bits+m*offset)/m, bits-pulses-(4<<3), 8<<3)
	if q < 4 {
		return 1
	}
	x := [...]int{16384, 17866, 19483, 21247, 23170, 25267, 27554, 30048}[q&7] >> (14 - q>>3)
	return (x + 1) >> 1 << 1
}

// readSplit reads how the energy of a band is divided (RFC 6716, section 4.3.4.4): between mid and side if stereo is
// true, otherwise between its halves. n is the number of coefficients and blocks the number of short blocks of each
// part. before is the number of short blocks of the undivided band. lm is the binary logarithm of the part's length,
// as in partition. The cost is subtracted from *bits. If a part has no energy, its bits in *fill are cleared.
func (b *bands) readSplit(n int, bits *int, blocks, before, lm int, stereo bool, fill *uint) (s split) {
	pulses := logN[b.band] + lm<<3
	offset := pulses>>1 - 4
	if stereo && n == 2 {
		offset = pulses>>1 - 16
	}
	qn := steps(n, *bits, offset, pulses, stereo)
	if stereo && b.band >= b.intensity {
		qn = 1
	}
	tell := b.e.BitsUsedFrac()
	switch {
	case qn != 1:
		s.theta = b.angle(n, qn, before, stereo) * 16384 / qn
	case stereo && *bits > 2<<3 && b.remaining > 2<<3:
		s.inverted = b.e.Bit(2) && !b.noInverse
	}
	s.cost = b.e.BitsUsedFrac() - tell
	*bits -= s.cost
	switch s.theta {
	case 0:
		s.mid, s.delta = 32767, -16384
		*fill &= 1<<blocks - 1
	case 16384:
		s.side, s.delta = 32767, 16384
		*fill &= (1<<blocks - 1) << blocks
	default:
		s.mid, s.side = cos(s.theta), cos(16384-s.theta)
		s.delta = frac((n-1)<<7, log2tan(s.side, s.mid))
	}
	return s
}

// angle reads the number of a quantized angle, 0..qn; qn is even (RFC 6716, section 4.3.4.4). n is the number of
// coefficients of each part, before the number of short blocks of the undivided band. The distribution of the numbers
// depends on the band. For stereo bands with n above 2 it has two steps. For one block of one channel it is
// triangular. Otherwise it is uniform.
func (b *bands) angle(n, qn, before int, stereo bool) int {
	switch {
	case stereo && n > 2:
		half := qn / 2
		total := 3*(half+1) + half
		place := int(b.e.Decode(uint32(total)))
		x := half + 1 + place - (half+1)*3
		if place < (half+1)*3 {
			x = place / 3
			b.e.Update(uint32(3*x), uint32(3*x+3), uint32(total))
			return x
		}
		low := x - 1 - half + (half+1)*3
		b.e.Update(uint32(low), uint32(low+1), uint32(total))
		return x
	case before > 1 || stereo:
		return int(b.e.Uniform(uint32(qn + 1)))
	}
	half := qn >> 1
	total := (half + 1) * (half + 1)
	place := int(b.e.Decode(uint32(total)))
	theta, size, low := 0, 0, 0
	if place < half*(half+1)>>1 {
		theta = (root(8*place+1) - 1) >> 1
		size, low = theta+1, theta*(theta+1)>>1
	} else {
		theta = (2*(qn+1) - root(8*(total-place-1)+1)) >> 1
		size = qn + 1 - theta
		low = total - (qn+1-theta)*(qn+2-theta)>>1
	}
	b.e.Update(uint32(low), uint32(low+size), uint32(total))
	return theta
}

// root returns the square root of x, rounded down. x must not be negative.
func root(x int) int {
	r := int(math.Sqrt(float64(x)))
	for r*r > x {
		r--
	}
	for (r+1)*(r+1) <= x {
		r++
	}
	return r
}

// single reads a band of one coefficient: it sets x[0], and for stereo y[0], to 1 or -1. Each sign takes one bit,
// which is subtracted from b.remaining. If no bit is left, the value is 1. y is nil for mono. out receives the value
// of x; it may be nil. The result is always 1, for one block that is not empty.
func (b *bands) single(x, y, out []float64) uint {
	for _, z := range [...][]float64{x, y} {
		if z == nil {
			continue
		}
		z[0] = 1
		if b.remaining >= 8 {
			if b.e.Raw(1) == 1 {
				z[0] = -1
			}
			b.remaining -= 8
		}
	}
	if out != nil {
		out[0] = x[0]
	}
	return 1
}

// partition reads the shape of a part of a band into x, scaled to a norm of gain. If the budget is too large for one
// vector of pulses, it divides x and calls itself for both halves. bits is the budget in eighths of a bit; the cost
// is subtracted from b.remaining. blocks is the number of short blocks. lm is the binary logarithm of the frame
// length in units of 120 samples, minus 1 for each division. low, fill and the result are as in mono.
func (b *bands) partition(
	x []float64, bits, blocks int, low []float64, lm int, gain float64, fill uint,
) (collapsed uint) {
	n := len(x)
	cache := cacheBits[cacheIndex[(lm+1)*bandCount+b.band]:]
	if lm == -1 || bits <= int(cache[cache[0]])+12 || n <= 2 {
		return b.leaf(x, bits, blocks, low, cache, gain, fill)
	}
	before := blocks
	n >>= 1
	lm--
	if blocks == 1 {
		fill = fill&1 | fill<<1
	}
	blocks = (blocks + 1) >> 1
	s := b.readSplit(n, &bits, blocks, before, lm, false, &fill)
	mid, side := float64(s.mid)/32768, float64(s.side)/32768
	if before > 1 && s.theta&0x3fff != 0 {
		if s.theta > 8192 {
			s.delta -= s.delta >> (4 - lm)
		} else {
			s.delta = min(0, s.delta+n<<3>>(5-lm))
		}
	}
	first := max(0, min(bits, (bits-s.delta)/2))
	second := bits - first
	b.remaining -= s.cost
	var lowSecond []float64
	if low != nil {
		low, lowSecond = low[:n], low[n:]
	}
	rest := b.remaining
	if first >= second {
		collapsed = b.partition(x[:n], first, blocks, low, lm, float64(gain*mid), fill)
		if rest = first - (rest - b.remaining); rest > 3<<3 && s.theta != 0 {
			second += rest - 3<<3
		}
		return collapsed | b.partition(x[n:], second, blocks, lowSecond, lm, float64(gain*side), fill>>blocks)<<(before>>1)
	}
	collapsed = b.partition(x[n:], second, blocks, lowSecond, lm, float64(gain*side), fill>>blocks) << (before >> 1)
	if rest = second - (rest - b.remaining); rest > 3<<3 && s.theta != 16384 {
		first += rest - 3<<3
	}
	return collapsed | b.partition(x[:n], first, blocks, low, lm, float64(gain*mid), fill)
}

// leaf reads the pulses of an undivided part of a band into x, scaled to a norm of gain. bits is the budget in
// eighths of a bit; the cost is subtracted from b.remaining. If the budget has no pulses, x is filled with low, the
// shape of a lower band, plus noise, or with noise if low is nil. If all bits of fill are 0, x becomes 0 instead.
// cache has the costs of pulses, as for pulsesFor. blocks, fill and the result are as in mono.
func (b *bands) leaf(x []float64, bits, blocks int, low []float64, cache []byte, gain float64, fill uint) uint {
	q := pulsesFor(cache, bits)
	cost := costOf(cache, q)
	b.remaining -= cost
	for b.remaining < 0 && q > 0 {
		b.remaining += cost
		q--
		cost = costOf(cache, q)
		b.remaining -= cost
	}
	if q > 0 {
		k := q
		if q >= 8 {
			k = (8 + q&7) << (q>>3 - 1)
		}
		return b.unquantize(x, k, blocks, gain)
	}
	mask := uint(1)<<blocks - 1
	if fill &= mask; fill == 0 {
		clear(x)
		return 0
	}
	if low == nil {
		for i := range x {
			x[i] = float64(int32(b.random()) >> 20)
		}
		fill = mask
	} else {
		for i := range x {
			x[i] = low[i] - 1.0/256
			if b.random()&0x8000 != 0 {
				x[i] = low[i] + 1.0/256
			}
		}
	}
	renormalize(x, gain)
	return fill
}

// pulsesFor returns the number of pulses whose cost is nearest to bits, as an index of cache. bits is in eighths of a
// bit. Index 0 means 0 pulses. cache[0] is the largest index, and cache[i] is the cost of index i in eighths of a
// bit, minus 1.
func pulsesFor(cache []byte, bits int) int {
	low, high := 0, int(cache[0])
	bits--
	for range 6 {
		if mid := (low + high + 1) >> 1; int(cache[mid]) >= bits {
			high = mid
		} else {
			low = mid
		}
	}
	below := -1
	if low > 0 {
		below = int(cache[low])
	}
	if bits-below <= int(cache[high])-bits {
		return low
	}
	return high
}

// costOf returns the cost, in eighths of a bit, of the number of pulses with the index q, a result of pulsesFor. It
// is 0 for index 0, otherwise cache[q] + 1.
func costOf(cache []byte, q int) int {
	if q == 0 {
		return 0
	}
	return int(cache[q]) + 1
}
