//go:build (!amd64 && !arm64) || purego

package dsp

import (
	"math"

	"voicepool/pcm"
)

// detect returns generic.
func detect() instructions { return generic }

// This platform has no assembly: the functions below process no frames, and the Go formulas process all.

// fastMix mixes no frames and returns 0.
func fastMix[T Sample](Formula, []pcm.Frame, []T, int64, int64, *Ramp) int { return 0 }

// fastMixSend mixes no frames and returns 0.
func fastMixSend[T Sample](Formula, []pcm.Frame, []pcm.Frame, []T, *Ramp, float32) int { return 0 }

// fastMixRamps mixes no frames and returns false.
func fastMixRamps[T Sample](Formula, []pcm.Frame, []T, int64, int64, []Ramp, int) bool { return false }

// sum, window and peak process no frames; rampBlockFrames returns 0 for them.
func sum(dst, src *float32, n int)    {}
func window(dst, w *float32, n int)   {}
func peak(src *float32, n int) uint32 { return 0 }

// levels returns 0 for both channels, because it gets no frames.
func levels(src *float32, n int) (left, right uint32) { return 0, 0 }

// flushTiny returns 0, because it gets no samples.
func flushTiny(dst, src *float32, n int) uint32 { return 0 }

// deinterleave and interleave have no effect and are never called.
func deinterleave(left, right, src *float32, n int) {}
func interleave(dst, left, right *float32, n int)   {}

// filterMono and filterStereo have no effect and are never called.
func filterMono(dst *float32, stride int, taps *float64, width int, x *float64, step, n int)   {}
func filterStereo(dst *float32, stride int, taps *float64, width int, x *float64, step, n int) {}

// between has no effect and is never called.
func between(dst, a, b *float64, n int, fraction float64) {}

// columns has no effect and is never called.
func columns(dst, rows *[36]float64, x *float64, n, every int) {}

// peakGroups and truePeaks have no effect and are never called.
func peakGroups(groups *uint8, src *float32, n int, taps *float32, least float32) {}
func truePeaks(dst *float64, src *float32, n int, taps *float64)                  {}

// finePeak returns 0 and is never called.
func finePeak(src *float32, taps *float64) float64 { return 0 }

// integers24 has no effect and is never called.
func integers24(dst *uint8, src *float32, n int) {}

// energy and power return sum and are never called.
func energy(filter *float64, src *float32, n int, sum float64) float64 { return sum }
func power(filter *float64, src *float32, n int, sum float64) float64  { return sum }

// stateVariable and doubled have no effect and are never called.
func stateVariable(filter, x *float64, n int)   {}
func doubled(dst *float64, src *float32, n int) {}

// singled has no effect and is never called.
func singled(dst *float32, src *float64, n int, grain float64) {}

// means has no effect and is never called.
func means(state *float64, x *float32, n int, a, b float64) {}

// reductions and lower have no effect and are never called.
func reductions(dst, key *float32, n int, knee *float32) {}
func lower(block, x *float32, n int, gain float32)       {}

// line has no effect and is never called.
func line(dst *float64, n int, from, change, t, every, frames float64) {}

// factors and cosPi have no effect and are never called.
func factors(x *float64, n int) {}
func cosPi(x *float64, n int)   {}

// pans has no effect and is never called.
func pans(left, right, x *float64, n int, beside float64) {}

// fastWeakest searches no slots: done is 0, and the other results are as for an empty search.
func fastWeakest([]int32, []float32, int32) (done int, lowest int32, candidates int, least, next uint32, at int) {
	return 0, math.MaxInt32, 0, none, none, 0
}

// fastOldest searches no slots: done is 0, and slot is -1.
func fastOldest([]int32, []float32, []uint64, int32, float32) (done, slot int, least uint64) {
	return 0, -1, math.MaxInt64
}

// sumTaps and allpasses have no effect and are never called.
func sumTaps(dst, ring *float32, places *int32, gains *float32) {}
func allpasses(x, ring *float32, from, to *int32)               {}

// readLines has no effect and is never called.
func readLines(dst, ring *float32, places, part, step *int32) {}

// flushStates has no effect and is never called.
func flushStates(states *float32, least float32) {}

// absorb has no effect and is never called.
func absorb(factors, states, turned, x *float32, n int) {}

// scatter has no effect and is never called.
func scatter(out, peaks, x, in, first, gains, ring *float32, places *int32) {}

// filterLanes has no effect and is never called.
func filterLanes(b *FilterLanes, n int, high, moving bool) {}
