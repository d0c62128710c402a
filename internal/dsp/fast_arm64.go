//go:build !purego

package dsp

import "unsafe"

// detect returns neon, which every arm64 processor has.
func detect() instructions { return neon }

var searches = [...]search{neon: {weakest, numberedNEON, oldestNEON}}

// weakest is search.weakest, composed of three kernels.
func weakest(prio *int32, key *float32, n int, limit int32) (lowest, candidates int32, least, next uint32, at int) {
	lowest, candidates = lowestNEON(prio, n, limit)
	least, next = leastNEON(prio, key, n, lowest)
	return lowest, candidates, least, next, matchNEON(prio, key, n, lowest, least)
}

// sum is the kernel of Sum for n frames, a multiple of 8.
func sum(dst, src *float32, n int) { sumNEON(dst, src, n) }

// window is the kernel of Window for n frames, a multiple of 8.
func window(dst, w *float32, n int) { windowNEON(dst, w, n) }

// peak is the kernel of Peak for n frames, a multiple of 8. It returns the bits of the largest magnitude.
func peak(src *float32, n int) uint32 { return peakNEON(src, n) }

// levels is the kernel of Levels for n frames, a multiple of 8. It returns the bits of the largest magnitudes.
func levels(src *float32, n int) (left, right uint32) { return levelsNEON(src, n) }

// flushTiny is the kernel of FlushTiny for n samples, a multiple of 16. It returns the bits of the largest
// magnitude.
func flushTiny(dst, src *float32, n int) uint32 { return flushTinyNEON(dst, src, n) }

// deinterleave is the kernel of Deinterleave for n frames, a multiple of 8.
func deinterleave(left, right, src *float32, n int) { deinterleaveNEON(left, right, src, n) }

// interleave is the kernel of Interleave for n frames, a multiple of 8.
func interleave(dst, left, right *float32, n int) { interleaveNEON(dst, left, right, n) }

// filter is the kernel of Filter for n results with width taps, at least 4. stride and step are in samples.
func filter(channels int, dst *float32, stride int, taps *float64, width int, x *float64, step, n int) {
	if channels == 1 {
		filterMonoNEON(dst, stride, taps, width, x, step, n)
	} else {
		filterStereoNEON(dst, stride, taps, width, x, step, n)
	}
}

// between is the kernel of Between for n numbers, a multiple of 8.
func between(dst, a, b *float64, n int, fraction float64) { betweenNEON(dst, a, b, n, fraction) }

// columns has no effect and is never called, because NEON has no kernel for Columns.
func columns(dst, rows *[36]float64, x *float64, n, every int) {}

// peakGroups is the kernel of PeakGroups for n frames, a multiple of 8. It sets an element for each group of four
// frames.
func peakGroups(groups *uint8, src *float32, n int, taps *float32, least float32) {
	peakGroupsNEON(groups, src, n, taps, least)
}

// truePeaks is the kernel of TruePeaks for n results, a multiple of 4. taps points to quarterRows.
func truePeaks(dst *float64, src *float32, n int, taps *float64) { truePeaksNEON(dst, src, n, taps) }

// finePeak is the kernel of FinePeak. taps points to eighthRows.
func finePeak(src *float32, taps *float64) float64 { return finePeakNEON(src, taps) }

// integers24 is the kernel of Integers24 for n frames, a multiple of 8, without clipping.
func integers24(dst *uint8, src *float32, n int) { integers24NEON(dst, src, n) }

// energy is the kernel of Biquads.Energy for n frames. filter points to the Biquads.
func energy(filter *float64, src *float32, n int, sum float64) float64 {
	return energyNEON(filter, src, n, sum)
}

// power is the kernel of Biquads.Power for n frames. filter points to the Biquads.
func power(filter *float64, src *float32, n int, sum float64) float64 {
	return powerNEON(filter, src, n, sum)
}

// stateVariable is the kernel of StateVariable.Filter for n frames, a multiple of 4.
func stateVariable(filter, x *float64, n int) { stateVariableNEON(filter, x, n) }

// doubled is the kernel of Doubled for n numbers, a multiple of 4.
func doubled(dst *float64, src *float32, n int) { doubledNEON(dst, src, n) }

// singled is the kernel of Singled for n numbers, a multiple of 4.
func singled(dst *float32, src *float64, n int, grain float64) { singledNEON(dst, src, n, grain) }

// means is the kernel of Shaper.Shape for n frames, a multiple of 2. state points to the Shaper.
func means(state *float64, x *float32, n int, a, b float64) { meansNEON(state, x, n, a, b) }

// reductions is the kernel of Knee.Reductions for n frames, a multiple of 8.
func reductions(dst, key *float32, n int, knee *float32) { reductionsNEON(dst, key, n, knee) }

// lower is the kernel of Lower for n frames, a multiple of 8.
func lower(block, x *float32, n int, gain float32) { lowerNEON(block, x, n, gain) }

// line is the kernel of Line for n numbers, a multiple of 4.
func line(dst *float64, n int, from, change, t, every, frames float64) {
	lineNEON(dst, n, from, change, t, every, frames)
}

// factors is the kernel of Factors for n numbers, a multiple of 4.
func factors(x *float64, n int) { factorsNEON(x, n) }

// cosPi is the kernel of CosPi for n numbers, a multiple of 4.
func cosPi(x *float64, n int) { cosPiNEON(x, n) }

// pans is the kernel of Pans for n numbers, a multiple of 4.
func pans(left, right, x *float64, n int, beside float64) { pansNEON(left, right, x, n, beside) }

// mix calls a kernel with blocks of 8 frames, for n frames. ramps points to the first Ramp, each is their
// length in frames, and ahead is the address to prefetch.
func mix(f Formula, dst, src *float32, n int, pos, step int64, ramps *float32, each int, ahead uintptr) {
	src16 := (*int16)(unsafe.Pointer(src))
	switch f {
	case MonoUnity:
		monoUnityNEON(dst, src, n, ramps, each, ahead)
	case StereoUnity:
		stereoUnityNEON(dst, src, n, ramps, each, ahead)
	case MonoLinear:
		monoLinearNEON(dst, src, n, pos, step, ramps, each, ahead)
	case StereoLinear:
		stereoLinearNEON(dst, src, n, pos, step, ramps, each, ahead)
	case MonoCubic:
		monoCubicNEON(dst, src, n, pos, step, ramps, each, ahead)
	case StereoCubic:
		stereoCubicNEON(dst, src, n, pos, step, ramps, each, ahead)
	case MonoBest:
		monoBestNEON(dst, src, n, &phases[0].at[0], pos, step, ramps, each, ahead)
	case StereoBest:
		stereoBestNEON(dst, src, n, &phases[0].at[0], pos, step, ramps, each, ahead)
	case MonoUnity + compact:
		monoUnity16NEON(dst, src16, n, ramps, each, ahead)
	case StereoUnity + compact:
		stereoUnity16NEON(dst, src16, n, ramps, each, ahead)
	case MonoLinear + compact:
		monoLinear16NEON(dst, src16, n, pos, step, ramps, each, ahead)
	case StereoLinear + compact:
		stereoLinear16NEON(dst, src16, n, pos, step, ramps, each, ahead)
	case MonoCubic + compact:
		monoCubic16NEON(dst, src16, n, pos, step, ramps, each, ahead)
	case StereoCubic + compact:
		stereoCubic16NEON(dst, src16, n, pos, step, ramps, each, ahead)
	}
}

// NEON has no kernels with wider blocks.

// wider returns 0, because NEON has only kernels with blocks of 8 frames.
func (f Formula) wider(int, int64, int64, int) int { return 0 }

// mixWider is never called, because wider returns 0.
func mixWider(Formula, *float32, *float32, int, int64, int64, *float32, int, uintptr) {}

// sumTaps is the kernel of SumTaps. The indices must have been checked.
func sumTaps(dst *LineRun, ring *float32, places *[8]int32, gains *[8]float32) {
	sumTapsNEON(&dst[0], ring, &places[0], &gains[0])
}

// allpasses is the kernel of Allpasses. The indices must have been checked.
func allpasses(x *LineRun, ring *float32, from, to *[4]int32) {
	allpassesNEON(&x[0], ring, &from[0], &to[0])
}

// readLines is the kernel of ReadLines. The indices must have been checked.
func readLines(dst *LineRuns, ring *float32, places, part, step *[FDNLines]int32) {
	readLinesNEON(&dst[0][0], ring, &places[0], &part[0], &step[0])
}

// flushStates is the kernel of Absorption.FlushTiny.
func flushStates(states *[4][FDNLines]float32, least float32) { flushStatesNEON(&states[0][0], least) }

// absorb is the kernel of Absorption.Filter for the first n frames of x. transposed is scratch space.
func absorb(factors *[AbsorptionFactors][FDNLines]float32, states *[4][FDNLines]float32, transposed, x *LineRuns, n int) {
	absorbNEON(&factors[0][0], &states[0][0], &transposed[0][0], &x[0][0], n)
}

// scatter is the kernel of Scatter. The indices must have been checked.
func scatter(out *float32, peaks *LineRun, x *LineRuns, in, first *[2]LineRun, gains *FDNOutput, ring *float32, places *[FDNLines]int32) {
	scatterNEON(out, &peaks[0], &x[0][0], &in[0][0], &first[0][0], &gains[0][0], ring, &places[0])
}

// filterLanes is the kernel of FilterLanes.Filter for n frames of all lanes.
func filterLanes(b *FilterLanes, n int, high, moving bool) {
	w, s, t, dst, src := &b.weights[0][0], &b.states[0][0], &b.turned[0][0], &b.dst[0], &b.src[0]
	switch {
	case high && moving:
		highsMovingNEON(w, s, t, dst, src, n)
	case high:
		highsNEON(w, s, t, dst, src, n)
	case moving:
		lowsMovingNEON(w, s, t, dst, src, n)
	default:
		lowsNEON(w, s, t, dst, src, n)
	}
}

// mixSend calls a kernel with blocks of 8 frames, for n frames, that also adds the output times share to send.
func mixSend(f Formula, dst, send, src *float32, n int, share float32, ramp *float32, ahead uintptr) {
	src16 := (*int16)(unsafe.Pointer(src))
	switch f {
	case MonoUnity:
		monoUnitySendNEON(dst, src, n, send, share, ramp, n, ahead)
	case StereoUnity:
		stereoUnitySendNEON(dst, src, n, send, share, ramp, n, ahead)
	case MonoUnity + compact:
		monoUnitySend16NEON(dst, src16, n, send, share, ramp, n, ahead)
	case StereoUnity + compact:
		stereoUnitySend16NEON(dst, src16, n, send, share, ramp, n, ahead)
	}
}

// mixSendWider is never called, because the level is never avx512.
func mixSendWider(f Formula, dst, send, src *float32, n int, share float32, ramp *float32, ahead uintptr) {
}
