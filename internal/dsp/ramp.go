// Package dsp holds the mixing kernels. A kernel reads a run of one sound and adds it,
// under a ramp of gain, to a block of stereo frames. Audio side.
//
// Kernels are pure, allocate nothing and know no loops, voices or time. A kernel's
// formula is part of the product: the order of its operations, each rounded on its
// own, decides the last bit of a mix.
//
// The formulas are Go (formulas.go, best.go). On amd64 with AVX2 or AVX-512,
// and on arm64, assembly does whole turns of 8 or 16 frames with the same operations
// (fast_*.go; made by the programs in _asm). Go does the odd frames at the end of a
// run. Tests compare the bits of both. With the tag purego, and on other machines,
// Go does all.
package dsp

import "voicepool/pcm"

// Ramp is a straight line of left and right gains: frame i of a run has
// Left + i LeftSlope, where i counts from Start.
type Ramp struct {
	Left, Right           float32
	LeftSlope, RightSlope float32
	Start                 int

	// Ahead is the address from which the next run of the mix is going to read, or 0.
	// The kernel asks the machine for it meanwhile, as many bytes as it would read
	// itself at a step of one frame. It changes no bit and may be any number.
	Ahead uintptr
}

// still reports whether the gains do not move.
func (g *Ramp) still() bool { return g.LeftSlope == 0 && g.RightSlope == 0 }

// at returns the gains of frame i of the run.
func (g *Ramp) at(i int) (left, right float32) {
	n := float32(int32(g.Start + i)) // a ramp is short; the wide conversion is slower
	return g.Left + float32(n*g.LeftSlope), g.Right + float32(n*g.RightSlope)
}

// Fold adds a run of stereo frames to dst under the ramp, each side a part of its own
// channel and a part of the other one.
func (g *Ramp) Fold(dst, src []pcm.Frame, own, other float32) {
	dst = dst[:len(src)]
	if g.still() {
		ownLeft, otherLeft := float32(own*g.Left), float32(other*g.Left)
		ownRight, otherRight := float32(own*g.Right), float32(other*g.Right)
		for i := range src {
			x, y := &src[i], &dst[i] // a copy of an array goes through memory
			left, right := x[0], x[1]
			y[0] += float32(left*ownLeft) + float32(right*otherLeft)
			y[1] += float32(right*ownRight) + float32(left*otherRight)
		}
		return
	}
	for i := range src {
		gainLeft, gainRight := g.at(i)
		x, y := &src[i], &dst[i]
		left, right := x[0], x[1]
		y[0] += float32((float32(own*left) + float32(other*right)) * gainLeft)
		y[1] += float32((float32(own*right) + float32(other*left)) * gainRight)
	}
}
