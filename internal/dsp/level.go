package dsp

// instructions is an instruction set with its own kernels.
type instructions uint8

const (
	generic instructions = iota // Go
	avx2
	avx512
	neon
)

// level is the best instruction set of this machine.
var level = detect()

// Kernel returns the name of the instruction set in use: "avx512", "avx2", "neon" or "generic".
func Kernel() string { return level.String() }

// String returns the name of the instruction set, such as "avx2".
func (i instructions) String() string { return [...]string{"generic", "avx2", "avx512", "neon"}[i] }

// rampBlockFrames returns how many of n frames the kernels process: a multiple of 8, 0 without kernels or for a ramp
// that exceeds the precision of float32. Go processes the rest.
func rampBlockFrames(n int, g *Ramp) int {
	if level == generic || !g.still() && uint(g.Start) > 1<<24-uint(n) {
		return 0
	}
	return n &^ 7
}
