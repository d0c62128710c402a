package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// best emits the kernel of 8 compensated taps, for 8 frames per iteration. The fractions within the rows of the
// table are computed in vectors and read back from the stack, one per frame. The mono kernel allocates more
// stack than it needs: this makes its loop begin 11 bytes after a multiple of 32, where its speed is stable.
// With functions at multiples of 32, its speed depended on the layout of the program.
func best(channels int) {
	m := mixing("Best", avx2, channels, true, 3, "n int, table *float32, pos, step int64")
	table := argument("table")
	m.load(true)
	f := m.fractions("frames", []uint32{0, 1, 2, 3, 4, 5, 6, 7}, 3)
	within := AllocLocal(32)
	if channels == 1 {
		AllocLocal(32)
	}
	k := &kernel8{m, table, within}
	m.twice(func() {
		y := YMM()
		VPAND(all("within", U32(1<<24-1)), f.bits, y)
		VCVTDQ2PS(y, y)
		VMULPS(all("down24", F32(0x1p-24)), y, y)
		VPADDD(f.turn, f.bits, f.bits)
		VMOVUPS(y, within)
		if channels == 1 {
			m.addMono(k.mono())
		} else {
			for half := range 2 {
				m.add(half, k.stereo(4*half))
			}
		}
	})
}

// kernel8 computes the weights of frames.
type kernel8 struct {
	*mixer
	table  Register
	within Mem
}

// weights returns the 8 weights of a frame of the iteration, and its first sample.
func (k *kernel8) weights(frame int) (w VecVirtual, at Mem) {
	r := GP64()
	MOVQ(k.pos, r) // faster than SHRX, here and below
	SHRQ(U8(18), r)
	ANDL(U32(255<<6), r.As32())
	ADDQ(k.table, r)
	at = k.next()
	w = YMM()
	VBROADCASTSS(k.within.Offset(4*frame), w)
	VMULPS(Mem{Base: r, Disp: 32}, w, w)
	VADDPS(Mem{Base: r}, w, w)
	return w, at
}

// mono returns 8 frames in order. Each is ((q0+q2)+(q1+q3)) + ((q4+q6)+(q5+q7)).
func (k *kernel8) mono() VecVirtual {
	pair := func(i int) VecVirtual { // q02 and q13 of both, of all four | q46, q57
		var q [2]VecVirtual
		for j := range q {
			w, at := k.weights(i + j)
			VMULPS(at, w, w)
			q[j] = w
		}
		return sum2(both(VUNPCKLPS, VUNPCKHPS, q[0], q[1]))
	}
	p01, p23 := pair(0), pair(2)
	low := sum2(both(VUNPCKLPD, VUNPCKHPD, p01, pair(4)))
	high := sum2(both(VUNPCKLPD, VUNPCKHPD, p23, pair(6)))
	a, b := YMM(), YMM()
	VPERM2F128(U8(0x20), high, low, a)
	VPERM2F128(U8(0x31), high, low, b)
	return sum2([]VecVirtual{a, b})
}

// sum2 adds the second of two to the first.
func sum2(x []VecVirtual) VecVirtual {
	VADDPS(x[1], x[0], x[0])
	return x[0]
}

// stereo returns 4 interleaved frames of the iteration, beginning with the given one.
func (k *kernel8) stereo(first int) VecVirtual {
	one := func(i int) VecVirtual { // q02, q13, q46, q57 of the left | of the right
		w, at := k.weights(i)
		VPERMPD(U8(0xd8), w, w) // 0 1 4 5 | 2 3 6 7
		v := YMM()
		VMOVUPS(at, v)
		left, right := YMM(), YMM()
		VSHUFPS(U8(0x88), at.Offset(32), v, left)
		VSHUFPS(U8(0xdd), at.Offset(32), v, right)
		VMULPS(left, w, left)
		VMULPS(right, w, right)
		a := YMM()
		VPERM2F128(U8(0x20), right, left, a)
		VPERM2F128(U8(0x31), right, left, left)
		return sum2([]VecVirtual{a, left})
	}
	pair := sum2(evenOdd(one(first), one(first+1)))
	x := sum2(evenOdd(pair, sum2(evenOdd(one(first+2), one(first+3)))))
	to := YMM()
	VMOVUPS(ints("interleave", 0, 4, 1, 5, 2, 6, 3, 7), to)
	VPERMPS(x, to, x)
	return x
}
