//go:build (amd64 || arm64) && !purego

package dsp

import (
	"unsafe"

	"voicepool/pcm"
)

// Each function of the files fast_voice and fast_block hands as many frames as it
// can to the kernels of this machine, whole turns from the first on, and returns how
// many. A kernel trusts what it is given: whatever could make it read outside src,
// or count frames beyond what a float32 holds, is left to Go.

// turns returns how many of n frames kernels may take.
func turns(n int, g *Ramp) int {
	if level == generic || !g.still() && uint(g.Start) > 1<<24-uint(n) {
		return 0
	}
	return n &^ 7
}

// next returns what a kernel asks the machine for meanwhile: Ahead, or what it has
// anyway.
func (g *Ramp) next(dst []pcm.Frame) uintptr {
	if g.Ahead == 0 {
		return uintptr(unsafe.Pointer(&dst[0]))
	}
	return g.Ahead
}

// reach is what a kernel reads around a position's frame.
type reach struct{ before, after int }

var (
	ofLinear = reach{0, 1}
	ofCubic  = reach{1, 2}
	ofBest   = reach{3, 4}
)

// turns returns how many of n frames kernels may take from pos on, in a src of
// so many frames.
func (r reach) turns(n int, pos, step int64, frames int, g *Ramp) int {
	n = turns(n, g)
	last := pos + int64(n-1)*step
	if n > 1<<16 || uint64(step) > 1<<40 || pos>>32 < int64(r.before) || last < pos || last>>32 >= int64(frames-r.after) {
		return 0
	}
	return n
}
