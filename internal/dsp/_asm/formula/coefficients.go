// Package formula holds the formulas of kernels and their coefficients, for the generators of both architectures.
// Packages pcm and dsp use the same coefficients.
package formula

// Log2Of10 is log2(10).
const Log2Of10 = 3.32192809488736234787031942948939018

// Exp has the coefficients of e^y, Sin of sin(y)/y in y^2, and Cos of cos(y) in y^2, with the highest power
// first.
var (
	Exp = []float64{
		1.0 / 87178291200, 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
		1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1,
	}
	Sin = []float64{
		1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
		1.0 / 362880, -1.0 / 5040, 1.0 / 120, -1.0 / 6, 1,
	}
	Cos = []float64{
		-1.0 / 6402373705728000, 1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
		1.0 / 40320, -1.0 / 720, 1.0 / 24, -1.0 / 2, 1,
	}
)

// Curve has the coefficients of package dsp's shaper, and Area the coefficients of its antiderivative. Both are
// in the square of the input, with the highest power first.
var (
	Curve = []float64{1.0 / 9, -4.0 / 7, 6.0 / 5, -4.0 / 3, 1}
	Area  = []float64{1.0 / 90, -1.0 / 14, 1.0 / 5, -1.0 / 3, 0.5}
)

// Octaves has the coefficients of package dsp's binary logarithm, and Lowered the coefficients of its 2^-x.
var (
	Octaves = []float32{1.4425780078395205, -0.7202418026077612, 0.48668614784348657, -0.3945753738678602, 0.2526602983986264}
	Lowered = []float32{0.6931215290005944, 0.2402202097440395, 0.055919688345616565, 0.009681909500982501}
)
