//go:build (amd64 || arm64) && !purego

package dsp

import (
	"math"
	"unsafe"

	"voicepool/pcm"
)

// Each function here passes as many whole blocks of frames or slots as possible to the kernels of this
// machine, and returns how many. Kernels do not check their arguments. Go therefore handles all frames for
// which a kernel would read outside src or count frames beyond the precision of a float32.
//
// A kernel processes n frames or slots, a multiple of its turn and not 0: 16 slots, 16 frames with AVX-512,
// otherwise 8 frames. A mixing kernel takes ramps of equal length, also a multiple of its turn; n is a
// multiple of that length. Peak kernels return bits, with NaN as the largest.

// compact is added to a formula for the kernel that reads 16-bit samples.
const compact Formula = 8

// fastMix mixes the first frames of dst with kernels and returns how many; 0 if the kernels cannot read src
// safely. The parameters are as in Mix.
func fastMix[T Sample](f Formula, dst []pcm.Frame, src []T, pos, step int64, g *Ramp) int {
	n, frames, kernel := rampBlockFrames(len(dst), g), len(src)>>(f&1), f.kernel(unsafe.Sizeof(T(0)))
	if f > StereoUnity {
		n = reaches[f>>1].blockFrames(n, pos, step, frames)
	}
	if n == 0 || kernel >= MonoBest+compact {
		return 0
	}
	from, ahead, wider := (*float32)(unsafe.Pointer(&src[0])), g.ahead(dst), 0
	if level == avx512 {
		wider = f.wider(n, pos, step, frames)
	}
	if wider > 0 {
		mixWider(kernel, &dst[0][0], from, wider, pos, step, &g.Left, wider, ahead)
		if wider == n {
			return n
		}
		rest := *g
		rest.Start, ahead = g.Start+wider, uintptr(unsafe.Pointer(&dst[wider-1]))
		g, pos = &rest, pos+int64(wider)*step
		if f <= StereoUnity {
			from = (*float32)(unsafe.Pointer(&src[wider<<f]))
		}
	}
	mix(kernel, &dst[wider][0], from, n-wider, pos, step, &g.Left, n-wider, ahead)
	return n
}

// fastMixSend is fastMix for a formula of unity with a second destination: it adds the output times share to
// send.
func fastMixSend[T Sample](f Formula, dst, send []pcm.Frame, src []T, g *Ramp, share float32) int {
	n := rampBlockFrames(len(dst), g)
	if n == 0 {
		return 0
	}
	wider, kernel := 0, f.kernel(unsafe.Sizeof(T(0)))
	from, ahead, rest := (*float32)(unsafe.Pointer(&src[0])), g.ahead(dst), *g
	if level == avx512 {
		if wider = n &^ 15; wider > 0 {
			mixSendWider(kernel, &dst[0][0], &send[0][0], from, wider, share, &g.Left, ahead)
		}
		if wider == n {
			return n
		}
		rest.Start, from = g.Start+wider, (*float32)(unsafe.Pointer(&src[wider<<f]))
	}
	mixSend(kernel, &dst[wider][0], &send[wider][0], from, n-wider, share, &rest.Left, ahead)
	return n
}

// fastMixRamps mixes all frames with kernels and returns true, or returns false and mixes no frame. Ramps
// start at 0, and each has whole blocks.
func fastMixRamps[T Sample](f Formula, dst []pcm.Frame, src []T, pos, step int64, ramps []Ramp, each int) bool {
	n, frames, kernel := len(dst), len(src)>>(f&1), f.kernel(unsafe.Sizeof(T(0)))
	if level == generic || n == 0 || n > 1<<16 || each&7 != 0 || kernel >= MonoBest+compact ||
		f > StereoUnity && reaches[f>>1].blockFrames(n, pos, step, frames) == 0 {
		return false
	}
	from, ahead := (*float32)(unsafe.Pointer(&src[0])), ramps[0].ahead(dst)
	if level == avx512 && each&15 == 0 && f.wider(n, pos, step, frames) == n {
		mixWider(kernel, &dst[0][0], from, n, pos, step, &ramps[0].Left, each, ahead)
	} else {
		mix(kernel, &dst[0][0], from, n, pos, step, &ramps[0].Left, each, ahead)
	}
	return true
}

// kernel returns the number of the kernel for samples of the given size in bytes.
func (f Formula) kernel(size uintptr) Formula {
	if size == 2 {
		f += compact
	}
	return f
}

// ahead returns the memory address to prefetch. If it is unknown, it returns the address of dst, which is in
// the cache already.
func (g *Ramp) ahead(dst []pcm.Frame) uintptr {
	if g.Prefetch == 0 {
		return uintptr(unsafe.Pointer(&dst[0]))
	}
	return g.Prefetch
}

// reach is the number of frames that a formula reads before and after a position's frame.
type reach struct{ before, after int }

// reaches is indexed by half the number of the formula.
var reaches = [...]reach{{0, 0}, {0, 1}, {1, 2}, {3, 4}}

// blockFrames returns n if kernels can process n frames from pos on in steps of step, otherwise 0. frames is the
// number of frames in src.
func (r reach) blockFrames(n int, pos, step int64, frames int) int {
	last := pos + int64(n-1)*step
	if n > 1<<16 || uint64(step) > 1<<40 || pos>>32 < int64(r.before) || last < pos || last>>32 >= int64(frames-r.after) {
		return 0
	}
	return n
}

// search holds the kernels of the victim search. n is a multiple of 16, not 0; p and k are the wanted
// priority and the bits of the wanted key.
type search struct {
	// weakest returns the lowest priority and how many priorities are at most limit. For that priority it
	// returns the bits of the smallest and the second smallest key, all ones if missing, and the first slot
	// with the priority and the smallest key.
	weakest func(prio *int32, key *float32, n int, limit int32) (lowest, candidates int32, least, next uint32, at int)

	// numbered returns the first slot with number x, or n.
	numbered func(number *uint64, n int, x uint64) int

	// oldest returns the smallest number, or 2^63-1. Numbers are below that.
	oldest func(prio *int32, key *float32, number *uint64, n int, p int32, k uint32) uint64
}

// blockSlots returns how many of n slots the kernels process: a multiple of 16, 0 without kernels. Go processes
// the rest.
func blockSlots(n int) int {
	if level == generic {
		return 0
	}
	return n &^ 15
}

// fastWeakest searches the first slots with a kernel. It returns their number, done, and the results of
// Weakest.Find for them, with the bits of the keys. A missing least or next has all bits set.
func fastWeakest(prio []int32, key []float32, limit int32) (done int, lowest int32, candidates int, least, next uint32, at int) {
	n := blockSlots(len(prio))
	if n == 0 {
		return 0, math.MaxInt32, 0, none, none, 0
	}
	lowest, count, least, next, at := searches[level].weakest(&prio[0], &key[:n][0], n, limit)
	return n, lowest, int(count), least, next, at
}

// fastOldest searches the first slots with kernels. It returns their number, done, and the slot that
// FindOldest would find among them, or -1, with its number.
func fastOldest(prio []int32, key []float32, number []uint64, p int32, k float32) (done, slot int, least uint64) {
	n := blockSlots(len(prio))
	if n == 0 {
		return 0, -1, math.MaxInt64
	}
	least = searches[level].oldest(&prio[0], &key[:n][0], &number[:n][0], n, p, math.Float32bits(k))
	if least == math.MaxInt64 {
		return n, -1, least
	}
	return n, searches[level].numbered(&number[0], n, least), least
}
