package dsp

// instructions is a set that kernels are written for.
type instructions uint8

const (
	generic instructions = iota // Go
	avx2
	avx512
	neon
)

// level is the best set that this machine has.
var level = detect()

// Accelerated reports whether the kernels use vector instructions here.
func Accelerated() bool { return level != generic }

// Kernel returns the name of the instructions that the kernels use here:
// "avx512", "avx2", "neon" or "generic".
func Kernel() string { return level.String() }

func (i instructions) String() string { return [...]string{"generic", "avx2", "avx512", "neon"}[i] }
