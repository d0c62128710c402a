package dsp

import "math"

// The coefficients below are minimax fits by the Remez algorithm. The first fits log2(1+f)/f on
// sqrt(1/2)-1..sqrt(2)-1, with an error of at most 1.5e-5 after the product with f. The second fits (2^f-1)/f
// on -1/2..1/2, with an error of 2.7e-6 after it. In dB the errors are below 1e-4 and 4e-5.
const (
	log0 = 1.4425780078395205
	log1 = -0.7202418026077612
	log2 = 0.48668614784348657
	log3 = -0.3945753738678602
	log4 = 0.2526602983986264

	exp0 = 0.6931215290005944
	exp1 = 0.2402202097440395
	exp2 = 0.055919688345616565
	exp3 = 0.009681909500982501
)

const (
	halfRoot = 0x3f3504f3 // the bits of sqrt(1/2)
	quietest = 0x37800000 // the bits of 2^-16, the lower limit of levels
)

// octaves returns the binary logarithm of the float32 with these bits, 2^-16 or more, with an error of at
// most 2e-5. The polynomial is summed in pairs (Estrin), in the order written here.
func octaves(bits uint32) float32 {
	above := bits - halfRoot
	f := math.Float32frombits(above&(1<<23-1)+halfRoot) - 1 // exact
	f2 := float32(f * f)
	p := (log0 + float32(log1*f)) + float32(((log2+float32(log3*f))+float32(log4*f2))*f2)
	return float32(int32(above)>>23) + float32(f*p)
}

// lowered returns 2^-x for x in 0..60, with a relative error of at most 4e-6, and exactly 1 for 0.
func lowered(x float32) float32 {
	const whole = 3 << 22 // 2^23 + 2^22: adding it rounds a float32 to an integer, which is then in its last bits
	t := x + whole
	f := (t - whole) - x // exact, -1/2..1/2
	f2 := float32(f * f)
	p := (exp0 + float32(exp1*f)) + float32((exp2+float32(exp3*f))*f2)
	return float32((1 + float32(f*p)) * math.Float32frombits(0x3f800000-math.Float32bits(t)<<23))
}
