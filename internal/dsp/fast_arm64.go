//go:build !purego

package dsp

// detect returns neon, which every arm64 processor has.
func detect() instructions { return neon }

var searches = [...]search{neon: {weakest, numbered, oldest}}

// weakest is search.weakest, composed of three kernels.
func weakest(prio *int32, key *float32, n int, limit int32) (p, candidates int32, k, next uint32, at int) {
	p, candidates = lowest(prio, n, limit)
	k, next = least(prio, key, n, p)
	return p, candidates, k, next, match(prio, key, n, p, k)
}

// lowest returns the lowest priority, and how many priorities are at most limit.
//
//go:noescape
func lowest(prio *int32, n int, limit int32) (lowest, count int32)

// least returns the bits of the smallest and the second smallest key among the slots with the priority of.
//
//go:noescape
func least(prio *int32, key *float32, n int, of int32) (least, next uint32)

// match returns the first slot with the priority p and a key with the bits k.
//
//go:noescape
func match(prio *int32, key *float32, n int, p int32, k uint32) int

// numbered is search.numbered.
//
//go:noescape
func numbered(number *uint64, n int, x uint64) int

// oldest is search.oldest.
//
//go:noescape
func oldest(prio *int32, key *float32, number *uint64, n int, p int32, k uint32) uint64

// filterStereo is filterMono for two channels.
//
//go:noescape
func filterStereo(dst *float32, stride int, taps *float64, width int, x *float64, step, n int)

// columns has no effect and is never called, because NEON has no kernel for Columns.
func columns(dst, rows *[36]float64, x *float64, n, every int) {}

// stateVariable is the kernel of StateVariable.Filter for n frames, a multiple of 4.
//
//go:noescape
func stateVariable(filter, x *float64, n int)

// sumTaps is the kernel of SumTaps. The indices must have been checked.
//
//go:noescape
func sumTaps(dst, ring *float32, places *int32, gains *float32)

// allpasses is the kernel of Allpasses. The indices must have been checked.
//
//go:noescape
func allpasses(x, ring *float32, from, to *int32)

// readLines is the kernel of ReadLines. The indices must have been checked.
//
//go:noescape
func readLines(dst, ring *float32, places, part, step *int32)

// absorb is the kernel of Absorption.Filter for the first n frames of x. turned is scratch space.
//
//go:noescape
func absorb(factors, states, turned, x *float32, n int)

// scatter is the kernel of Scatter. The indices must have been checked.
//
//go:noescape
func scatter(out, peaks, x, in, first, gains, ring *float32, places *int32)

// wider returns 0, because NEON has only kernels with blocks of 8 frames.
func (f Formula) wider(int, int64, int64, int) int { return 0 }

// mixWider is never called, because wider returns 0.
func mixWider(Formula, *float32, *float32, int, int64, int64, *float32, int, uintptr) {}

// mixSendWider is never called, because the level is never avx512.
func mixSendWider(f Formula, dst, send, src *float32, n int, share float32, ramp *float32, ahead uintptr) {
}

// filterLanes is the kernel of FilterLanes.Filter for n frames of all lanes.
func filterLanes(b *FilterLanes, n int, high, moving bool) {
	w, s, t, dst, src := &b.weights[0][0], &b.states[0][0], &b.turned[0][0], &b.dst[0], &b.src[0]
	switch {
	case high && moving:
		highsMoving(w, s, t, dst, src, n)
	case high:
		highs(w, s, t, dst, src, n)
	case moving:
		lowsMoving(w, s, t, dst, src, n)
	default:
		lows(w, s, t, dst, src, n)
	}
}

//go:noescape
func lows(weights, states, turned *float32, dst, src *[]float32, n int)

//go:noescape
func highs(weights, states, turned *float32, dst, src *[]float32, n int)

//go:noescape
func lowsMoving(weights, states, turned *float32, dst, src *[]float32, n int)

//go:noescape
func highsMoving(weights, states, turned *float32, dst, src *[]float32, n int)
