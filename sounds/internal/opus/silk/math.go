package silk

import (
	"math"
	"math/bits"
)

// SILK uses integer arithmetic with the widths that RFC 6716 specifies.

// mulWB returns the product of a and the low 16 bits of b, taken as a signed number, divided by 65536 and rounded
// down.
func mulWB(a, b int32) int32 { return int32(int64(a) * int64(int16(b)) >> 16) }

// mulWW returns the product of a and b, divided by 65536 and rounded down. An overflow wraps around.
func mulWW(a, b int32) int32 { return int32(int64(a) * int64(b) >> 16) }

// mulHigh returns the high 32 bits of the signed product of a and b.
func mulHigh(a, b int32) int32 { return int32(int64(a) * int64(b) >> 32) }

// rounded returns x / 2^n, rounded half up; n is at least 1.
func rounded[T int32 | int64](x T, n uint) T { return (x>>(n-1) + 1) >> 1 }

// clip16 limits x to the range of int16.
func clip16(x int32) int16 { return int16(min(max(x, math.MinInt16), math.MaxInt16)) }

// clip32 limits x to the range of int32.
func clip32(x int64) int32 { return int32(min(max(x, math.MinInt32), math.MaxInt32)) }

// headroom returns how many bits x can be shifted left without an overflow. For 0 it is 31. For the least int32 it is
// -1.
func headroom(x int32) int { return bits.LeadingZeros32(uint32(max(x, -x))) - 1 }

// shifted returns x / 2^n, rounded down; for n from 32 on it returns 0. With a negative n it multiplies by 2^-n, and
// limits the result to the range of int32.
func shifted(x int32, n int) int32 {
	switch {
	case n < 0:
		return clip32(int64(x) << -n)
	case n < 32:
		return x >> n
	}
	return 0
}

// quotient returns an approximation of a / b * 2^q, limited to the range of int32. b must not be 0. All decoders
// compute the same value.
func quotient(a, b int32, q int) int32 {
	ha, hb := headroom(a), headroom(b)
	a, b = a<<ha, b<<hb
	inverse := (math.MaxInt32 >> 2) / (b >> 16)
	result := mulWB(a, inverse)
	a -= mulHigh(b, result) << 3
	return shifted(result+mulWB(a, inverse), 29+ha-hb-q)
}

// inverse returns an approximation of 2^q / b, limited to the range of int32. b must not be 0. All decoders compute
// the same value.
func inverse(b int32, q int) int32 {
	h := headroom(b)
	b <<= h
	x := (math.MaxInt32 >> 2) / (b >> 16)
	err := (1<<29 - mulWB(b, x)) << 3
	return shifted(x<<16+mulWW(err, x), 61-h-q)
}

// exponential approximates 2^(x/128). It returns 0 for negative x, and the largest int32 if the result would be
// larger.
func exponential(x int32) int32 {
	if x < 0 {
		return 0
	}
	if x >= 3967 {
		return math.MaxInt32
	}
	out, rest := int32(1)<<(x>>7), x&127
	curve := rest + mulWB(rest*(128-rest), -174)
	if x < 2048 {
		return out + out*curve>>7
	}
	return out + out>>7*curve
}

// random returns the next pseudo-random number after seed. The result is the seed of the next call.
func random(seed int32) int32 { return 907633515 + seed*196314165 }
