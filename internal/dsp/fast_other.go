//go:build (!amd64 && !arm64) || purego

package dsp

import (
	"math"

	"voicepool/pcm"
)

// detect returns generic.
func detect() instructions { return generic }

// This platform has no assembly: the functions below process no frames, and the Go formulas process all.

func fastMix[T Sample](Formula, []pcm.Frame, []T, int64, int64, *Ramp) int { return 0 }

func fastMixSend[T Sample](Formula, []pcm.Frame, []pcm.Frame, []T, *Ramp, float32) int { return 0 }

func fastMixRamps[T Sample](Formula, []pcm.Frame, []T, int64, int64, []Ramp, int) bool { return false }

func sum(dst, src *float32, n int)    {}
func window(dst, w *float32, n int)   {}
func peak(src *float32, n int) uint32 { return 0 }

func levels(src *float32, n int) (left, right uint32) { return 0, 0 }

func flushTiny(dst, src *float32, n int) uint32 { return 0 }

func deinterleave(left, right, src *float32, n int) {}
func interleave(dst, left, right *float32, n int)   {}

func filter(channels int, dst *float32, stride int, taps *float64, width int, x *float64, step, n int) {
}

func between(dst, a, b *float64, n int, fraction float64) {}

func columns(dst, rows *[36]float64, x *float64, n, every int) {}

func peakGroups(groups *uint8, src *float32, n int, taps *float32, least float32) {}
func truePeaks(dst *float64, src *float32, n int, taps *float64)                  {}

func finePeak(src *float32, taps *float64) float64 { return 0 }

func integers24(dst *uint8, src *float32, n int) {}

func energy(filter *float64, src *float32, n int, sum float64) float64 { return sum }
func power(filter *float64, src *float32, n int, sum float64) float64  { return sum }

func stateVariable(filter, x *float64, n int)   {}
func doubled(dst *float64, src *float32, n int) {}

func singled(dst *float32, src *float64, n int, grain float64) {}

func means(state *float64, x *float32, n int, a, b float64) {}

func reductions(dst, key *float32, n int, knee *float32) {}
func lower(block, x *float32, n int, gain float32)       {}

func line(dst *float64, n int, from, change, t, every, frames float64) {}

func factors(x *float64, n int) {}
func cosPi(x *float64, n int)   {}

func pans(left, right, x *float64, n int, beside float64) {}

func fastWeakest([]int32, []float32, int32) (done int, lowest int32, candidates int, least, next uint32, at int) {
	return 0, math.MaxInt32, 0, none, none, 0
}

func fastOldest([]int32, []float32, []uint64, int32, float32) (done, slot int, least uint64) {
	return 0, -1, math.MaxInt64
}

func sumTaps(dst *LineRun, ring *float32, places *[8]int32, gains *[8]float32) {}
func allpasses(x *LineRun, ring *float32, from, to *[4]int32)                  {}

func readLines(dst *LineRuns, ring *float32, places, part, step *[FDNLines]int32) {}

func flushStates(states *[4][FDNLines]float32, least float32) {}

func absorb(factors *[AbsorptionFactors][FDNLines]float32, states *[4][FDNLines]float32, transposed, x *LineRuns, n int) {
}

func scatter(out *float32, peaks *LineRun, x *LineRuns, in, first *[2]LineRun, gains *FDNOutput, ring *float32, places *[FDNLines]int32) {
}

func filterLanes(b *FilterLanes, n int, high, moving bool) {}
