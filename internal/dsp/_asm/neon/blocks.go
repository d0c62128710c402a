package main

import "fmt"

// sum emits the sum of two blocks of stereo frames.
func sum() {
	k := newKernel("sum", "dst *float32, src *float32, n int")
	dst, src, n := k.load("dst"), k.load("src"), k.load("n")
	k.loop(n, turn, func() {
		x := k.samples(src, 2*turn, true)
		k.change(dst, func(d []vec) {
			for i := range d {
				k.fadd(d[i], d[i], x[i])
			}
		})
	})
}

// window emits the product of stereo frames with one factor each.
func window() {
	k := newKernel("window", "dst *float32, w *float32, n int")
	dst, w, n := k.load("dst"), k.load("w"), k.load("n")
	k.loop(n, turn, func() {
		x := k.samples(w, turn, true)
		k.change(dst, func(d []vec) {
			by := k.vecsOf(4)
			for i := range d {
				k.zip(by[i], x[i/2], x[i/2], i%2 == 1)
			}
			for i := range d {
				k.fmul(d[i], d[i], by[i])
			}
		})
	})
}

// change loads an iteration's stereo frames, calls the body, stores its results, and advances dst.
func (k *kernel) change(dst gp, body func(d []vec)) {
	d := k.vecsOf(4)
	for i := 0; i < 4; i += 2 {
		k.op("FLDPQ", mem(dst, 16*i), pair(d[i], d[i+1]))
	}
	body(d)
	k.op("FSTPQ", pair(d[2], d[3]), mem(dst, 32))
	k.op("FSTPQ.P", pair(d[0], d[1]), mem(dst, 64))
}

// peak emits the search for the largest magnitude. Magnitudes have the same order as their bits.
func peak() {
	k := newKernel("peak", "src *float32, n int", "ret uint32")
	largest := k.largest()
	k.umaxv(largest, largest)
	k.storeLane(largest, 0, "ret")
}

// levels emits peak with separate results for left and right.
func levels() {
	k := newKernel("levels", "src *float32, n int", "left uint32", "right uint32")
	largest, upper := k.largest(), k.vec()
	k.op("VDUP", fmt.Sprintf("%v.D[1]", largest), upper.d2())
	k.op("VUMAX", upper.s4(), largest.s4(), largest.s4())
	k.storeLane(largest, 0, "left")
	k.storeLane(largest, 1, "right")
}

// largest emits the search for the largest magnitudes, left and right alternating.
func (k *kernel) largest() vec {
	src, n := k.load("src"), k.load("n")
	magnitude := k.filled(1, 1<<31-1)[0]
	peak := k.zeroes(4)
	k.loop(n, turn, func() {
		x := k.samples(src, 2*turn, true)
		for _, x := range x {
			k.op("VAND", magnitude.b16(), x.b16(), x.b16())
		}
		for i, x := range x {
			k.op("VUMAX", x.s4(), peak[i].s4(), peak[i].s4())
		}
	})
	for _, p := range peak[1:] {
		k.op("VUMAX", p.s4(), peak[0].s4(), peak[0].s4())
	}
	return peak[0]
}

// flushTiny emits the copy of samples with 0 for those below dsp.Floor, 16 per iteration, and the largest
// magnitude of src.
func flushTiny() {
	k := newKernel("flushTiny", "dst *float32, src *float32, n int", "ret uint32")
	dst, src, n := k.load("dst"), k.load("src"), k.load("n")
	magnitude, floor := k.filled(1, 1<<31-1)[0], k.filled(1, (127-80)<<23)[0]
	peaks := k.zeroes(4)
	k.loop(n, 2*turn, func() {
		x, y := k.samples(src, 2*turn, true), k.vec()
		for i, x := range x {
			k.op("VAND", magnitude.b16(), x.b16(), y.b16())
			k.op("VUMAX", y.s4(), peaks[i].s4(), peaks[i].s4())
			k.cmge(y, y, floor)
			k.op("VAND", y.b16(), x.b16(), x.b16())
		}
		for i := 0; i < 4; i += 2 {
			k.op("FSTPQ.P", pair(x[i], x[i+1]), mem(dst, 32))
		}
	})
	for _, p := range peaks[1:] {
		k.op("VUMAX", p.s4(), peaks[0].s4(), peaks[0].s4())
	}
	k.umaxv(peaks[0], peaks[0])
	k.storeLane(peaks[0], 0, "ret")
}

// storeLane stores a lane as a 32-bit result.
func (k *kernel) storeLane(v vec, lane int, result string) {
	k.scope(func() {
		r := k.gp()
		k.op("VMOV", fmt.Sprintf("%v.S[%d]", v, lane), r)
		k.op("MOVW", r, k.arg(result))
	})
}
