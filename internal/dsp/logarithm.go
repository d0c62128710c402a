package dsp

import "math"

// The coefficients below are minimax fits by Remez's exchange: of log2(1+f)/f on
// sqrt(1/2)-1..sqrt(2)-1, off by 1.5e-5 at most after the product with f, and of (2^f-1)/f on
// -1/2..1/2, off by 2.7e-6 after it. In dB the errors are below 1e-4 and 4e-5.
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
	quietest = 0x37800000 // the bits of 2^-16, the level that stands for all below it
)

// octaves returns the binary logarithm of the float32 with these bits, 2^-16 or more, off by
// 2e-5 at most. The polynomial is summed in pairs (Estrin), in the order written here.
func octaves(bits uint32) float32 {
	above := bits - halfRoot
	f := math.Float32frombits(above&(1<<23-1)+halfRoot) - 1 // exact
	f2 := float32(f * f)
	p := (log0 + float32(log1*f)) + float32(((log2+float32(log3*f))+float32(log4*f2))*f2)
	return float32(int32(above)>>23) + float32(f*p)
}

// lowered returns 2^-x for x in 0..60, off by 4e-6 of it at most, and exactly 1 for 0.
func lowered(x float32) float32 {
	const whole = 3 << 22 // 2^23 + 2^22: a float32 beside it has no fraction, and its last bits are the number
	t := x + whole
	f := (t - whole) - x // exact, -1/2..1/2
	f2 := float32(f * f)
	p := (exp0 + float32(exp1*f)) + float32((exp2+float32(exp3*f))*f2)
	return float32((1 + float32(f*p)) * math.Float32frombits(0x3f800000-math.Float32bits(t)<<23))
}
