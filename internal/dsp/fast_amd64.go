//go:build !purego

package dsp

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate env GOWORK=off go -C _asm run . -out ../kernels_amd64.s
//go:generate env GOWORK=off go -C _asm run ./neon -out ../kernels_arm64.s

// detect returns the best instruction set of this processor.
func detect() instructions {
	switch {
	case !cpu.X86.HasAVX2:
		return generic
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512DQ && cpu.X86.HasAVX512VL:
		return avx512
	}
	return avx2
}

var searches = [...]search{
	avx2:   {weakestAVX2, numberedAVX2, oldestAVX2},
	avx512: {weakestAVX512, numberedAVX512, oldestAVX512},
}

//go:noescape
func weakestAVX2(prio *int32, key *float32, n int, limit int32) (lowest, candidates int32, least, next uint32, at int)

//go:noescape
func weakestAVX512(prio *int32, key *float32, n int, limit int32) (lowest, candidates int32, least, next uint32, at int)

//go:noescape
func numberedAVX2(number *uint64, n int, x uint64) int

//go:noescape
func numberedAVX512(number *uint64, n int, x uint64) int

//go:noescape
func oldestAVX2(prio *int32, key *float32, number *uint64, n int, p int32, k uint32) uint64

//go:noescape
func oldestAVX512(prio *int32, key *float32, number *uint64, n int, p int32, k uint32) uint64

// columns is the kernel of Columns for n rows.
//
//go:noescape
func columns(dst, rows *[36]float64, x *float64, n, every int)

// filterStereo is filterMono for two channels.
func filterStereo(dst *float32, stride int, taps *float64, width int, x *float64, step, n int) {
	if level == avx512 {
		filterStereoAVX512(dst, stride, taps, width, x, step, n)
	} else {
		filterStereoAVX2(dst, stride, taps, width, x, step, n)
	}
}

//go:noescape
func filterStereoAVX2(dst *float32, stride int, taps *float64, width int, x *float64, step, n int)

//go:noescape
func filterStereoAVX512(dst *float32, stride int, taps *float64, width int, x *float64, step, n int)

// stateVariable is the kernel of StateVariable.Filter for n frames, a multiple of 4.
func stateVariable(filter, x *float64, n int) {
	if level == avx512 {
		stateVariableAVX512(filter, x, n)
	} else {
		stateVariableAVX2(filter, x, n)
	}
}

//go:noescape
func stateVariableAVX2(filter, x *float64, n int)

//go:noescape
func stateVariableAVX512(filter, x *float64, n int)

// sumTaps is the kernel of SumTaps. The indices must have been checked.
func sumTaps(dst, ring *float32, places *int32, gains *float32) {
	if level == avx512 {
		sumTapsAVX512(dst, ring, places, gains)
	} else {
		sumTapsAVX2(dst, ring, places, gains)
	}
}

//go:noescape
func sumTapsAVX2(dst, ring *float32, places *int32, gains *float32)

//go:noescape
func sumTapsAVX512(dst, ring *float32, places *int32, gains *float32)

// allpasses is the kernel of Allpasses. The indices must have been checked.
func allpasses(x, ring *float32, from, to *int32) {
	if level == avx512 {
		allpassesAVX512(x, ring, from, to)
	} else {
		allpassesAVX2(x, ring, from, to)
	}
}

//go:noescape
func allpassesAVX2(x, ring *float32, from, to *int32)

//go:noescape
func allpassesAVX512(x, ring *float32, from, to *int32)

// readLines is the kernel of ReadLines. The indices must have been checked.
func readLines(dst, ring *float32, places, part, step *int32) {
	if level == avx512 {
		readLinesAVX512(dst, ring, places, part, step)
	} else {
		readLinesAVX2(dst, ring, places, part, step)
	}
}

//go:noescape
func readLinesAVX2(dst, ring *float32, places, part, step *int32)

//go:noescape
func readLinesAVX512(dst, ring *float32, places, part, step *int32)

// absorb is the kernel of Absorption.Filter for the first n frames of x. turned is scratch space.
func absorb(factors, states, turned, x *float32, n int) {
	if level == avx512 {
		absorbAVX512(factors, states, turned, x, n)
	} else {
		absorbAVX2(factors, states, turned, x, n)
	}
}

//go:noescape
func absorbAVX2(factors, states, turned, x *float32, n int)

//go:noescape
func absorbAVX512(factors, states, turned, x *float32, n int)

// scatter is the kernel of Scatter. The indices must have been checked.
func scatter(out, peaks, x, in, first, gains, ring *float32, places *int32) {
	if level == avx512 {
		scatterAVX512(out, peaks, x, in, first, gains, ring, places)
	} else {
		scatterAVX2(out, peaks, x, in, first, gains, ring, places)
	}
}

//go:noescape
func scatterAVX2(out, peaks, x, in, first, gains, ring *float32, places *int32)

//go:noescape
func scatterAVX512(out, peaks, x, in, first, gains, ring *float32, places *int32)

// filterLanes is the kernel of FilterLanes.Filter for n frames of all lanes.
func filterLanes(b *FilterLanes, n int, high, moving bool) {
	w, s, t, dst, src := &b.weights[0][0], &b.states[0][0], &b.turned[0][0], &b.dst[0], &b.src[0]
	switch wide := level == avx512; {
	case wide && high && moving:
		highsMovingAVX512(w, s, t, dst, src, n)
	case wide && high:
		highsAVX512(w, s, t, dst, src, n)
	case wide && moving:
		lowsMovingAVX512(w, s, t, dst, src, n)
	case wide:
		lowsAVX512(w, s, t, dst, src, n)
	case high && moving:
		highsMovingAVX2(w, s, t, dst, src, n)
	case high:
		highsAVX2(w, s, t, dst, src, n)
	case moving:
		lowsMovingAVX2(w, s, t, dst, src, n)
	default:
		lowsAVX2(w, s, t, dst, src, n)
	}
}

//go:noescape
func lowsAVX2(weights, states, turned *float32, dst, src *[]float32, n int)

//go:noescape
func highsAVX2(weights, states, turned *float32, dst, src *[]float32, n int)

//go:noescape
func lowsMovingAVX2(weights, states, turned *float32, dst, src *[]float32, n int)

//go:noescape
func highsMovingAVX2(weights, states, turned *float32, dst, src *[]float32, n int)

//go:noescape
func lowsAVX512(weights, states, turned *float32, dst, src *[]float32, n int)

//go:noescape
func highsAVX512(weights, states, turned *float32, dst, src *[]float32, n int)

//go:noescape
func lowsMovingAVX512(weights, states, turned *float32, dst, src *[]float32, n int)

//go:noescape
func highsMovingAVX512(weights, states, turned *float32, dst, src *[]float32, n int)

// wider returns how many of n frames the AVX-512 kernels can process: a multiple of 16, 0 for the Best
// formulas. Pitched ones load a window of src for each 16 frames of one channel, or 8 of two, and select
// samples from it. frames is the number of frames in src.
func (f Formula) wider(n int, pos, step int64, frames int) int {
	if f >= MonoBest {
		return 0
	}
	n &^= 15
	if f <= StereoUnity {
		return n
	}
	if step >= 2*One {
		return 0
	}
	window, each := 32>>(f&1), 16>>(f&1)
	// Positions from here on have a window that exceeds src.
	limit := int64(frames-reaches[f>>1].after-window+1) << 32
	if pos+int64(n-each)*step < limit {
		return n
	}
	if pos >= limit {
		return 0
	}
	return min(n, (int((limit-1-pos)/step)+each)&^15)
}

// mixWider is mix with kernels whose blocks are 16 frames.
func mixWider(f Formula, dst, src *float32, n int, pos, step int64, ramps *float32, each int, ahead uintptr) {
	src16 := (*int16)(unsafe.Pointer(src))
	switch f {
	case MonoUnity:
		monoUnityAVX512(dst, src, n, ramps, each, ahead)
	case StereoUnity:
		stereoUnityAVX512(dst, src, n, ramps, each, ahead)
	case MonoLinear:
		monoLinearAVX512(dst, src, n, pos, step, ramps, each, ahead)
	case StereoLinear:
		stereoLinearAVX512(dst, src, n, pos, step, ramps, each, ahead)
	case MonoCubic:
		monoCubicAVX512(dst, src, n, pos, step, ramps, each, ahead)
	case StereoCubic:
		stereoCubicAVX512(dst, src, n, pos, step, ramps, each, ahead)
	case MonoUnity + compact:
		monoUnity16AVX512(dst, src16, n, ramps, each, ahead)
	case StereoUnity + compact:
		stereoUnity16AVX512(dst, src16, n, ramps, each, ahead)
	case MonoLinear + compact:
		monoLinear16AVX512(dst, src16, n, pos, step, ramps, each, ahead)
	case StereoLinear + compact:
		stereoLinear16AVX512(dst, src16, n, pos, step, ramps, each, ahead)
	case MonoCubic + compact:
		monoCubic16AVX512(dst, src16, n, pos, step, ramps, each, ahead)
	case StereoCubic + compact:
		stereoCubic16AVX512(dst, src16, n, pos, step, ramps, each, ahead)
	}
}

// mixSendWider is mixSend with kernels whose blocks are 16 frames.
func mixSendWider(f Formula, dst, send, src *float32, n int, share float32, ramp *float32, ahead uintptr) {
	src16 := (*int16)(unsafe.Pointer(src))
	switch f {
	case MonoUnity:
		monoUnitySendAVX512(dst, src, n, send, share, ramp, n, ahead)
	case StereoUnity:
		stereoUnitySendAVX512(dst, src, n, send, share, ramp, n, ahead)
	case MonoUnity + compact:
		monoUnitySend16AVX512(dst, src16, n, send, share, ramp, n, ahead)
	case StereoUnity + compact:
		stereoUnitySend16AVX512(dst, src16, n, send, share, ramp, n, ahead)
	}
}

//go:noescape
func monoUnityAVX512(dst *float32, src *float32, n int, ramps *float32, each int, next uintptr)

//go:noescape
func monoUnitySendAVX512(dst *float32, src *float32, n int, send *float32, share float32, ramps *float32, each int, next uintptr)

//go:noescape
func stereoUnityAVX512(dst *float32, src *float32, n int, ramps *float32, each int, next uintptr)

//go:noescape
func stereoUnitySendAVX512(dst *float32, src *float32, n int, send *float32, share float32, ramps *float32, each int, next uintptr)

//go:noescape
func monoLinearAVX512(dst *float32, src *float32, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func monoCubicAVX512(dst *float32, src *float32, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func stereoLinearAVX512(dst *float32, src *float32, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func stereoCubicAVX512(dst *float32, src *float32, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func monoUnity16AVX512(dst *float32, src *int16, n int, ramps *float32, each int, next uintptr)

//go:noescape
func monoUnitySend16AVX512(dst *float32, src *int16, n int, send *float32, share float32, ramps *float32, each int, next uintptr)

//go:noescape
func stereoUnity16AVX512(dst *float32, src *int16, n int, ramps *float32, each int, next uintptr)

//go:noescape
func stereoUnitySend16AVX512(dst *float32, src *int16, n int, send *float32, share float32, ramps *float32, each int, next uintptr)

//go:noescape
func monoLinear16AVX512(dst *float32, src *int16, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func monoCubic16AVX512(dst *float32, src *int16, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func stereoLinear16AVX512(dst *float32, src *int16, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func stereoCubic16AVX512(dst *float32, src *int16, n int, pos, step int64, ramps *float32, each int, next uintptr)
