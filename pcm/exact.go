package pcm

import "math"

// expTaylor holds 1/k! for k = 14..1: the Taylor series of e^y without its
// constant term, whose remainder on |y| <= ln(2)/2 is below 1e-19.
var expTaylor = [...]float64{
	1.0 / 87178291200, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
	1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1,
}

// Exp2 returns 2^x, correct to about one unit in the last place, with the same bits on every machine. The
// result is 0 for x below -1021, +Inf for 1024 and more, and NaN for NaN.
func Exp2(x float64) float64 {
	switch {
	case x != x:
		return x
	case x >= 1024:
		return math.Inf(1)
	case x < -1021:
		return 0
	}
	n := math.Floor(x)
	if x-n > 0.5 {
		n++
	}
	y := float64((x - n) * math.Ln2) // x-n is exact
	p := 0.0
	for _, c := range expTaylor {
		p = float64((p + c) * y)
	}
	return float64(float64((1+p)*math.Float64frombits(uint64(int64(n)+1022)<<52)) * 2) // in two steps, because 2^1024 overflows
}

// logSeries holds 2/(k ln 2) for k = 23, 21, .. 1: log2 of (1+s)/(1-s) as a
// series in the odd powers of s, whose remainder on |s| <= 0.1716 is below 1e-19.
var logSeries = [...]float64{
	2 / (23 * math.Ln2), 2 / (21 * math.Ln2), 2 / (19 * math.Ln2), 2 / (17 * math.Ln2), 2 / (15 * math.Ln2), 2 / (13 * math.Ln2),
	2 / (11 * math.Ln2), 2 / (9 * math.Ln2), 2 / (7 * math.Ln2), 2 / (5 * math.Ln2), 2 / (3 * math.Ln2), 2 / math.Ln2,
}

// Log2 returns the binary logarithm of x, with the same bits on every machine. Zero gives -Inf, a negative x
// or NaN gives NaN, +Inf gives +Inf.
func Log2(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	m, e := math.Frexp(x) // exact, 1/2 <= m < 1
	if 2*m <= math.Sqrt2 {
		m, e = 2*m, e-1
	}
	s := (m - 1) / (m + 1)
	s2 := float64(s * s)
	p := 0.0
	for _, c := range logSeries {
		p = float64(p*s2) + c
	}
	return float64(e) + float64(p*s)
}

// sinTaylor and cosTaylor hold the series in y^2, highest power first; their
// remainders on |y| <= pi/4 are below 1e-17.
var (
	sinTaylor = [...]float64{
		1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
		1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1,
	}
	cosTaylor = [...]float64{
		-1.0 / 6402373705728000, 1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
		1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2, 1,
	}
)

// CosPi returns cos(pi x), with the same bits on every machine. It is exact where the result is 0, 1 or -1.
// |x| must be below 2^52; NaN and Inf give NaN.
func CosPi(x float64) float64 {
	x = math.Abs(x)
	x -= 2 * math.Floor(x/2) // exact, 0 <= x < 2; NaN for Inf
	if x > 1 {
		x = 2 - x
	}
	sign := 1.0
	if x > 0.5 {
		x, sign = 1-x, -1
	}
	if x > 0.25 {
		y := float64((0.5 - x) * math.Pi)
		return float64(sign * horner(sinTaylor[:], y) * y)
	}
	return float64(sign * horner(cosTaylor[:], float64(x*math.Pi)))
}

// SinPi returns sin(pi x), with the same guarantees and limits as CosPi.
func SinPi(x float64) float64 {
	if x < 0 {
		return -SinPi(-x)
	}
	x -= 2 * math.Floor(x/2)
	return CosPi(x - 0.5)
}

// SinCosPi returns SinPi(x) and CosPi(x), with the same bits. For x in 0..1/2 it is faster than two calls.
func SinCosPi(x float64) (sin, cos float64) {
	rest := 0.5 - x
	steep := x > 0.25 // the cosine is computed from 1/2 - x
	if !(x >= 0 && x <= 0.5) || steep == (rest > 0.25) {
		return SinPi(x), CosPi(x)
	}
	small, large := 0.5-rest, x
	if steep {
		small, large = rest, rest
	}
	y, z := float64(small*math.Pi), float64(large*math.Pi)
	y2, z2 := float64(y*y), float64(z*z)
	p, q := 0.0, cosTaylor[0]
	for i, c := range sinTaylor { // two independent chains of operations
		p, q = float64(p*y2)+c, float64(q*z2)+cosTaylor[i+1]
	}
	if p = float64(p * y); steep {
		return q, p
	}
	return p, q
}

// TanPi returns tan(pi x), with the same guarantees and limits as CosPi. At 1/2, 3/2, ..., where the tangent is
// unbounded, it is +Inf or -Inf.
func TanPi(x float64) float64 { return SinPi(x) / CosPi(x) }

// horner evaluates a polynomial in y^2 with the coefficients c, the highest power first.
func horner(c []float64, y float64) float64 {
	y2 := float64(y * y)
	p := 0.0
	for _, c := range c {
		p = float64(p*y2) + c
	}
	return p
}
