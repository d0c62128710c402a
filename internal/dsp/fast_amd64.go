//go:build !purego

package dsp

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate env GOWORK=off go -C _asm run . -out ../kernels_amd64.s -stubs ../kernels_amd64.go -pkg dsp
//go:generate env GOWORK=off go -C _asm run ./neon -out ../kernels_arm64.s -stubs ../kernels_arm64.go -pkg dsp

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

// sum is the kernel of Sum for n frames, a multiple of 8.
func sum(dst, src *float32, n int) { sumAVX2(dst, src, n) }

// window is the kernel of Window for n frames, a multiple of 8.
func window(dst, w *float32, n int) { windowAVX2(dst, w, n) }

// peak is the kernel of Peak for n frames, a multiple of 8. It returns the bits of the largest magnitude.
func peak(src *float32, n int) uint32 { return peakAVX2(src, n) }

// levels is the kernel of Levels for n frames, a multiple of 8. It returns the bits of the largest magnitudes.
func levels(src *float32, n int) (left, right uint32) { return levelsAVX2(src, n) }

// flushTiny is the kernel of FlushTiny for n samples, a multiple of 16. It returns the bits of the largest
// magnitude.
func flushTiny(dst, src *float32, n int) uint32 { return flushTinyAVX2(dst, src, n) }

// deinterleave is the kernel of Deinterleave for n frames, a multiple of 8.
func deinterleave(left, right, src *float32, n int) { deinterleaveAVX2(left, right, src, n) }

// interleave is the kernel of Interleave for n frames, a multiple of 8.
func interleave(dst, left, right *float32, n int) { interleaveAVX2(dst, left, right, n) }

// filter is the kernel of Filter for n results with width taps, at least 4. stride and step are in samples.
func filter(channels int, dst *float32, stride int, taps *float64, width int, x *float64, step, n int) {
	switch {
	case channels == 1:
		filterMonoAVX2(dst, stride, taps, width, x, step, n)
	case level == avx512:
		filterStereoAVX512(dst, stride, taps, width, x, step, n)
	default:
		filterStereoAVX2(dst, stride, taps, width, x, step, n)
	}
}

// between is the kernel of Between for n numbers, a multiple of 8.
func between(dst, a, b *float64, n int, fraction float64) { betweenAVX2(dst, a, b, n, fraction) }

// columns is the kernel of Columns for n rows.
func columns(dst, rows *[36]float64, x *float64, n, every int) { columnsAVX2(dst, rows, x, n, every) }

// peakGroups is the kernel of PeakGroups for n frames, a multiple of 8. It sets an element for each group of four
// frames.
func peakGroups(groups *uint8, src *float32, n int, taps *float32, least float32) {
	peakGroupsAVX2(groups, src, n, taps, least)
}

// truePeaks is the kernel of TruePeaks for n results, a multiple of 4. taps points to quarterRows.
func truePeaks(dst *float64, src *float32, n int, taps *float64) { truePeaksAVX2(dst, src, n, taps) }

// finePeak is the kernel of FinePeak. taps points to eighthRows.
func finePeak(src *float32, taps *float64) float64 { return finePeakAVX2(src, taps) }

// integers24 is the kernel of Integers24 for n frames, a multiple of 8, without clipping.
func integers24(dst *uint8, src *float32, n int) { integers24AVX2(dst, src, n) }

// energy is the kernel of Biquads.Energy for n frames. filter points to the Biquads.
func energy(filter *float64, src *float32, n int, sum float64) float64 {
	return energyAVX2(filter, src, n, sum)
}

// power is the kernel of Biquads.Power for n frames. filter points to the Biquads.
func power(filter *float64, src *float32, n int, sum float64) float64 {
	return powerAVX2(filter, src, n, sum)
}

// stateVariable is the kernel of StateVariable.Filter for n frames, a multiple of 4.
func stateVariable(filter, x *float64, n int) {
	if level == avx512 {
		stateVariableAVX512(filter, x, n)
	} else {
		stateVariableAVX2(filter, x, n)
	}
}

// doubled is the kernel of Doubled for n numbers, a multiple of 4.
func doubled(dst *float64, src *float32, n int) { doubledAVX2(dst, src, n) }

// singled is the kernel of Singled for n numbers, a multiple of 4.
func singled(dst *float32, src *float64, n int, grain float64) { singledAVX2(dst, src, n, grain) }

// means is the kernel of Shaper.Shape for n frames, a multiple of 2. state points to the Shaper.
func means(state *float64, x *float32, n int, a, b float64) { meansAVX2(state, x, n, a, b) }

// reductions is the kernel of Knee.Reductions for n frames, a multiple of 8.
func reductions(dst, key *float32, n int, knee *float32) { reductionsAVX2(dst, key, n, knee) }

// lower is the kernel of Lower for n frames, a multiple of 8.
func lower(block, x *float32, n int, gain float32) { lowerAVX2(block, x, n, gain) }

// line is the kernel of Line for n numbers, a multiple of 4.
func line(dst *float64, n int, from, change, t, every, frames float64) {
	lineAVX2(dst, n, from, change, t, every, frames)
}

// factors is the kernel of Factors for n numbers, a multiple of 4.
func factors(x *float64, n int) { factorsAVX2(x, n) }

// cosPi is the kernel of CosPi for n numbers, a multiple of 4.
func cosPi(x *float64, n int) { cosPiAVX2(x, n) }

// pans is the kernel of Pans for n numbers, a multiple of 4.
func pans(left, right, x *float64, n int, beside float64) { pansAVX2(left, right, x, n, beside) }

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

// mix calls a kernel with blocks of 8 frames, for n frames. ramps points to the first Ramp, each is their
// length in frames, and ahead is the address to prefetch.
func mix(f Formula, dst, src *float32, n int, pos, step int64, ramps *float32, each int, ahead uintptr) {
	src16 := (*int16)(unsafe.Pointer(src))
	switch f {
	case MonoUnity:
		monoUnityAVX2(dst, src, n, ramps, each, ahead)
	case StereoUnity:
		stereoUnityAVX2(dst, src, n, ramps, each, ahead)
	case MonoLinear:
		monoLinearAVX2(dst, src, n, pos, step, ramps, each, ahead)
	case StereoLinear:
		stereoLinearAVX2(dst, src, n, pos, step, ramps, each, ahead)
	case MonoCubic:
		monoCubicAVX2(dst, src, n, pos, step, ramps, each, ahead)
	case StereoCubic:
		stereoCubicAVX2(dst, src, n, pos, step, ramps, each, ahead)
	case MonoBest:
		monoBestAVX2(dst, src, &phases[0].at[0], n, pos, step, ramps, each, ahead)
	case StereoBest:
		stereoBestAVX2(dst, src, &phases[0].at[0], n, pos, step, ramps, each, ahead)
	case MonoUnity + compact:
		monoUnity16AVX2(dst, src16, n, ramps, each, ahead)
	case StereoUnity + compact:
		stereoUnity16AVX2(dst, src16, n, ramps, each, ahead)
	case MonoLinear + compact:
		monoLinear16AVX2(dst, src16, n, pos, step, ramps, each, ahead)
	case StereoLinear + compact:
		stereoLinear16AVX2(dst, src16, n, pos, step, ramps, each, ahead)
	case MonoCubic + compact:
		monoCubic16AVX2(dst, src16, n, pos, step, ramps, each, ahead)
	case StereoCubic + compact:
		stereoCubic16AVX2(dst, src16, n, pos, step, ramps, each, ahead)
	}
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

// mixSend calls a kernel with blocks of 8 frames, for n frames, that also adds the output times share to send.
func mixSend(f Formula, dst, send, src *float32, n int, share float32, ramp *float32, ahead uintptr) {
	src16 := (*int16)(unsafe.Pointer(src))
	switch f {
	case MonoUnity:
		monoUnitySendAVX2(dst, src, n, send, share, ramp, n, ahead)
	case StereoUnity:
		stereoUnitySendAVX2(dst, src, n, send, share, ramp, n, ahead)
	case MonoUnity + compact:
		monoUnitySend16AVX2(dst, src16, n, send, share, ramp, n, ahead)
	case StereoUnity + compact:
		stereoUnitySend16AVX2(dst, src16, n, send, share, ramp, n, ahead)
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

// sumTaps is the kernel of SumTaps. The indices must have been checked.
func sumTaps(dst *LineRun, ring *float32, places *[8]int32, gains *[8]float32) {
	if level == avx512 {
		sumTapsAVX512(&dst[0], ring, &places[0], &gains[0])
	} else {
		sumTapsAVX2(&dst[0], ring, &places[0], &gains[0])
	}
}

// allpasses is the kernel of Allpasses. The indices must have been checked.
func allpasses(x *LineRun, ring *float32, from, to *[4]int32) {
	if level == avx512 {
		allpassesAVX512(&x[0], ring, &from[0], &to[0])
	} else {
		allpassesAVX2(&x[0], ring, &from[0], &to[0])
	}
}

// readLines is the kernel of ReadLines. The indices must have been checked.
func readLines(dst *LineRuns, ring *float32, places, part, step *[FDNLines]int32) {
	if level == avx512 {
		readLinesAVX512(&dst[0][0], ring, &places[0], &part[0], &step[0])
	} else {
		readLinesAVX2(&dst[0][0], ring, &places[0], &part[0], &step[0])
	}
}

// flushStates is the kernel of Absorption.FlushTiny.
func flushStates(states *[4][FDNLines]float32, least float32) { flushStatesAVX2(&states[0][0], least) }

// absorb is the kernel of Absorption.Filter for the first n frames of x. transposed is scratch space.
func absorb(factors *[AbsorptionFactors][FDNLines]float32, states *[4][FDNLines]float32, transposed, x *LineRuns, n int) {
	if level == avx512 {
		absorbAVX512(&factors[0][0], &states[0][0], &transposed[0][0], &x[0][0], n)
	} else {
		absorbAVX2(&factors[0][0], &states[0][0], &transposed[0][0], &x[0][0], n)
	}
}

// scatter is the kernel of Scatter. The indices must have been checked.
func scatter(out *float32, peaks *LineRun, x *LineRuns, in, first *[2]LineRun, gains *FDNOutput, ring *float32, places *[FDNLines]int32) {
	if level == avx512 {
		scatterAVX512(out, &peaks[0], &x[0][0], &in[0][0], &first[0][0], &gains[0][0], ring, &places[0])
	} else {
		scatterAVX2(out, &peaks[0], &x[0][0], &in[0][0], &first[0][0], &gains[0][0], ring, &places[0])
	}
}

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
