package formula

// The layout of a ramp in memory, as in package dsp.
const (
	Left, Right           = 0, 4
	LeftSlope, RightSlope = 8, 12
	Start                 = 16
	RampSize              = 32
)
