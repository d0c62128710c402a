//go:build (amd64 || arm64) && !purego

package dsp

import "unsafe"

// The kernels of both architectures: AVX2 on amd64, NEON on arm64. Kernels of one architecture, and those with a
// version for AVX-512, are in fast_amd64.go and fast_arm64.go. Pointers point to the first element of an array.

// sum is the kernel of Sum for n frames, a multiple of 8.
//
//go:noescape
func sum(dst, src *float32, n int)

// window is the kernel of Window for n frames, a multiple of 8.
//
//go:noescape
func window(dst, w *float32, n int)

// peak is the kernel of Peak for n frames, a multiple of 8. It returns the bits of the largest magnitude.
//
//go:noescape
func peak(src *float32, n int) uint32

// levels is the kernel of Levels for n frames, a multiple of 8. It returns the bits of the largest magnitudes.
//
//go:noescape
func levels(src *float32, n int) (left, right uint32)

// flushTiny is the kernel of FlushTiny for n samples, a multiple of 16. It returns the bits of the largest
// magnitude.
//
//go:noescape
func flushTiny(dst, src *float32, n int) uint32

// deinterleave is the kernel of Deinterleave for n frames, a multiple of 8.
//
//go:noescape
func deinterleave(left, right, src *float32, n int)

// interleave is the kernel of Interleave for n frames, a multiple of 8.
//
//go:noescape
func interleave(dst, left, right *float32, n int)

// filterMono is the kernel of Filter for n results of one channel with width taps, at least 4. stride and step are
// in samples.
//
//go:noescape
func filterMono(dst *float32, stride int, taps *float64, width int, x *float64, step, n int)

// between is the kernel of Between for n numbers, a multiple of 8.
//
//go:noescape
func between(dst, a, b *float64, n int, fraction float64)

// peakGroups is the kernel of PeakGroups for n frames, a multiple of 8. It sets an element for each group of four
// frames.
//
//go:noescape
func peakGroups(groups *uint8, src *float32, n int, taps *float32, least float32)

// truePeaks is the kernel of TruePeaks for n results, a multiple of 4. taps points to quarterRows.
//
//go:noescape
func truePeaks(dst *float64, src *float32, n int, taps *float64)

// finePeak is the kernel of FinePeak. taps points to eighthRows.
//
//go:noescape
func finePeak(src *float32, taps *float64) float64

// integers24 is the kernel of Integers24 for n frames, a multiple of 8, without clipping.
//
//go:noescape
func integers24(dst *uint8, src *float32, n int)

// energy is the kernel of Biquads.Energy for n frames. filter points to the Biquads.
//
//go:noescape
func energy(filter *float64, src *float32, n int, sum float64) float64

// power is the kernel of Biquads.Power for n frames. filter points to the Biquads.
//
//go:noescape
func power(filter *float64, src *float32, n int, sum float64) float64

// doubled is the kernel of Doubled for n numbers, a multiple of 4.
//
//go:noescape
func doubled(dst *float64, src *float32, n int)

// singled is the kernel of Singled for n numbers, a multiple of 4.
//
//go:noescape
func singled(dst *float32, src *float64, n int, grain float64)

// means is the kernel of Shaper.Shape for n frames, a multiple of 2. state points to the Shaper.
//
//go:noescape
func means(state *float64, x *float32, n int, a, b float64)

// reductions is the kernel of Knee.Reductions for n frames, a multiple of 8.
//
//go:noescape
func reductions(dst, key *float32, n int, knee *float32)

// lower is the kernel of Lower for n frames, a multiple of 8.
//
//go:noescape
func lower(block, x *float32, n int, gain float32)

// line is the kernel of Line for n numbers, a multiple of 4.
//
//go:noescape
func line(dst *float64, n int, from, change, t, every, frames float64)

// factors is the kernel of Factors for n numbers, a multiple of 4.
//
//go:noescape
func factors(x *float64, n int)

// cosPi is the kernel of CosPi for n numbers, a multiple of 4.
//
//go:noescape
func cosPi(x *float64, n int)

// pans is the kernel of Pans for n numbers, a multiple of 4.
//
//go:noescape
func pans(left, right, x *float64, n int, beside float64)

// flushStates is the kernel of Absorption.FlushTiny.
//
//go:noescape
func flushStates(states *float32, least float32)

// The mixing kernels process n frames, a multiple of 8. ramps points to the first Ramp, each is their length in
// frames, and next is the address to prefetch. Kernels with 16 in their names read 16-bit samples.

//go:noescape
func monoUnity(dst *float32, src *float32, n int, ramps *float32, each int, next uintptr)

//go:noescape
func monoUnitySend(dst *float32, src *float32, n int, send *float32, share float32, ramps *float32, each int, next uintptr)

//go:noescape
func stereoUnity(dst *float32, src *float32, n int, ramps *float32, each int, next uintptr)

//go:noescape
func stereoUnitySend(dst *float32, src *float32, n int, send *float32, share float32, ramps *float32, each int, next uintptr)

//go:noescape
func monoLinear(dst *float32, src *float32, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func monoCubic(dst *float32, src *float32, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func stereoLinear(dst *float32, src *float32, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func stereoCubic(dst *float32, src *float32, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func monoUnity16(dst *float32, src *int16, n int, ramps *float32, each int, next uintptr)

//go:noescape
func monoUnitySend16(dst *float32, src *int16, n int, send *float32, share float32, ramps *float32, each int, next uintptr)

//go:noescape
func stereoUnity16(dst *float32, src *int16, n int, ramps *float32, each int, next uintptr)

//go:noescape
func stereoUnitySend16(dst *float32, src *int16, n int, send *float32, share float32, ramps *float32, each int, next uintptr)

//go:noescape
func monoLinear16(dst *float32, src *int16, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func monoCubic16(dst *float32, src *int16, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func stereoLinear16(dst *float32, src *int16, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func stereoCubic16(dst *float32, src *int16, n int, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func monoBest(dst *float32, src *float32, n int, table *float32, pos, step int64, ramps *float32, each int, next uintptr)

//go:noescape
func stereoBest(dst *float32, src *float32, n int, table *float32, pos, step int64, ramps *float32, each int, next uintptr)

// mix calls a kernel with blocks of 8 frames, for n frames. ramps points to the first Ramp, each is their
// length in frames, and ahead is the address to prefetch.
func mix(f Formula, dst, src *float32, n int, pos, step int64, ramps *float32, each int, ahead uintptr) {
	src16 := (*int16)(unsafe.Pointer(src))
	switch f {
	case MonoUnity:
		monoUnity(dst, src, n, ramps, each, ahead)
	case StereoUnity:
		stereoUnity(dst, src, n, ramps, each, ahead)
	case MonoLinear:
		monoLinear(dst, src, n, pos, step, ramps, each, ahead)
	case StereoLinear:
		stereoLinear(dst, src, n, pos, step, ramps, each, ahead)
	case MonoCubic:
		monoCubic(dst, src, n, pos, step, ramps, each, ahead)
	case StereoCubic:
		stereoCubic(dst, src, n, pos, step, ramps, each, ahead)
	case MonoBest:
		monoBest(dst, src, n, &phases[0].at[0], pos, step, ramps, each, ahead)
	case StereoBest:
		stereoBest(dst, src, n, &phases[0].at[0], pos, step, ramps, each, ahead)
	case MonoUnity + compact:
		monoUnity16(dst, src16, n, ramps, each, ahead)
	case StereoUnity + compact:
		stereoUnity16(dst, src16, n, ramps, each, ahead)
	case MonoLinear + compact:
		monoLinear16(dst, src16, n, pos, step, ramps, each, ahead)
	case StereoLinear + compact:
		stereoLinear16(dst, src16, n, pos, step, ramps, each, ahead)
	case MonoCubic + compact:
		monoCubic16(dst, src16, n, pos, step, ramps, each, ahead)
	case StereoCubic + compact:
		stereoCubic16(dst, src16, n, pos, step, ramps, each, ahead)
	}
}

// mixSend calls a kernel with blocks of 8 frames, for n frames, that also adds the output times share to send.
func mixSend(f Formula, dst, send, src *float32, n int, share float32, ramp *float32, ahead uintptr) {
	src16 := (*int16)(unsafe.Pointer(src))
	switch f {
	case MonoUnity:
		monoUnitySend(dst, src, n, send, share, ramp, n, ahead)
	case StereoUnity:
		stereoUnitySend(dst, src, n, send, share, ramp, n, ahead)
	case MonoUnity + compact:
		monoUnitySend16(dst, src16, n, send, share, ramp, n, ahead)
	case StereoUnity + compact:
		stereoUnitySend16(dst, src16, n, send, share, ramp, n, ahead)
	}
}
