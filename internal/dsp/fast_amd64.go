//go:build !purego

package dsp

import "golang.org/x/sys/cpu"

//go:generate go -C _asm run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg dsp

func detect() instructions {
	switch {
	case !cpu.X86.HasAVX2:
		return generic
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL:
		return avx512
	}
	return avx2
}

// Each function of fast_voice_amd64.go and fast_block_amd64.go hands as many
// frames as it can to the kernels of this machine, whole turns from the first
// on, and returns how many. A kernel trusts what it is given: whatever could make
// it read outside src, or count frames beyond what a float32 holds, is left to
// Go.

// turns returns how many of n frames kernels may take.
func turns(n int, g *Ramp) int {
	if level == generic || !g.still() && uint(g.Start) > 1<<24-uint(n) {
		return 0
	}
	return n &^ 7
}

// wider returns how many of them those of AVX-512 may take.
func wider(n int) int {
	if level < avx512 {
		return 0
	}
	return n &^ 15
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

// windows returns how many of n frames the kernels may take that load a window
// of src for each 16 frames, or for each 8, and pick from it.
func (r reach) windows(n int, pos, step int64, frames, window, each int) int {
	if level < avx512 || step >= 2*One {
		return 0
	}
	n &^= 15
	// From here on a window is not inside.
	limit := int64(frames-r.after-window+1) << 32
	if pos+int64(n-each)*step < limit {
		return n
	}
	if pos >= limit {
		return 0
	}
	return min(n, (int((limit-1-pos)/step)+each)&^15)
}
