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

// Kernel returns the name of the instructions that the kernels use here:
// "avx512", "avx2", "neon" or "generic".
func Kernel() string { return level.String() }

func (i instructions) String() string { return [...]string{"generic", "avx2", "avx512", "neon"}[i] }

// turns returns how many of n frames kernels may take.
func turns(n int, g *Ramp) int {
	if level == generic || !g.still() && uint(g.Start) > 1<<24-uint(n) {
		return 0
	}
	return n &^ 7
}
