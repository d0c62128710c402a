//go:build !purego

package dsp

import "golang.org/x/sys/cpu"

//go:generate env GOWORK=off go -C _asm run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg dsp
//go:generate env GOWORK=off go -C _asm run ./neon -out ../kernels_arm64.s -stubs ../kernels_arm64.go -pkg dsp

func detect() instructions {
	switch {
	case !cpu.X86.HasAVX2:
		return generic
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL:
		return avx512
	}
	return avx2
}

// wider returns how many of them those of AVX-512 may take.
func wider(n int) int {
	if level < avx512 {
		return 0
	}
	return n &^ 15
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
