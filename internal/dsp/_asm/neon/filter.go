package main

// filters is the filter kernel of a rate converter: products with at least four taps, for the frames of several
// windows that are step samples apart. A vector holds two sums of one window; with two channels, left and right
// of one sum.
type filters struct {
	*kernel
	channels, each                          int // each: vectors per frame
	taps, width, x, step, dst, stride, left gp
}

// filter emits the kernel. It computes turn frames per iteration, and half as many for the rest.
func filter(channels, turn int) {
	name := map[int]string{1: "filterMono", 2: "filterStereo"}[channels]
	k := newKernel(name, "dst *float32, stride int, taps *float64, width int, x *float64, step, n int")
	f := &filters{kernel: k, channels: channels, each: 2 * channels}
	f.dst, f.stride, f.taps, f.width = k.load("dst"), k.load("stride"), k.load("taps"), k.load("width")
	f.x, f.step, f.left = k.load("x"), k.load("step"), k.load("n")
	k.op("LSL", imm(2), f.stride)
	k.op("LSL", imm(3), f.step)
	for ; turn > 0; turn /= 2 {
		again, next := k.label("loop"), k.label("fewer")
		k.at(again)
		k.op("CMP", imm(turn), f.left)
		k.op("BLT", next)
		k.scope(func() { f.iteration(turn) })
		k.op("SUB", imm(turn), f.left)
		k.op("B", again)
		k.at(next)
	}
}

// iteration emits an iteration for the given number of frames.
func (f *filters) iteration(frames int) {
	taps, count := f.gp(), f.gp()
	f.op("MOVD", f.taps, taps)
	f.op("LSR", imm(2), f.width, count)
	at, sums := make([]gp, frames), make([][]vec, frames)
	for i := range at {
		at[i] = f.gp()
		f.op("MOVD", f.x, at[i])
		f.op("ADD", f.step, f.x)
		sums[i] = f.vecsOf(f.each)
		for _, s := range sums[i] {
			f.op("VEOR", s.b16(), s.b16(), s.b16())
		}
	}
	h := f.vecsOf(2)
	f.loop(count, 1, func() {
		f.op("FLDPQ.P", mem(taps, 32), pair(h[0], h[1]))
		for i := range at {
			f.scope(func() {
				y := f.vecsOf(f.each)
				for j := 0; j < f.each; j += 2 {
					f.op("FLDPQ.P", mem(at[i], 32), pair(y[j], y[j+1]))
				}
				for j := range y {
					if f.channels == 1 {
						f.fmul64(y[j], y[j], h[j])
					} else {
						f.fmulLane64(y[j], y[j], h[j/2], j%2)
					}
				}
				for j, s := range sums[i] {
					f.fadd64(s, s, y[j])
				}
			})
		}
	})
	f.last(taps, count, at, sums, h[0])
	for _, s := range sums {
		f.store(s)
	}
}

// last adds the products with the taps after the last group of four to the first sum. The lane beside it adds
// +0. That changes no sum, because a sum is never -0.
func (f *filters) last(taps, count gp, at []gp, sums [][]vec, h vec) {
	whole := f.label("whole")
	f.op("AND", imm(3), f.width, count)
	f.op("CBZ", count, whole)
	f.loop(count, 1, func() {
		f.op("FMOVD.P", mem(taps, 8), h.f())
		y := f.vec()
		for i := range at {
			if f.channels == 1 {
				f.op("FMOVD.P", mem(at[i], 8), y.f())
				f.fmul64(y, y, h)
			} else {
				f.op("FMOVQ.P", mem(at[i], 16), y.f())
				f.fmulLane64(y, y, h, 0)
			}
			f.fadd64(sums[i][0], sums[i][0], y)
		}
	})
	f.at(whole)
}

// store adds up the sums of a frame and stores it.
func (f *filters) store(s []vec) {
	if f.channels == 1 {
		f.faddp64(s[0], s[0], s[1])
		f.faddp64(s[0], s[0], s[0])
		f.narrow(s[0], s[0])
		f.op("FMOVS", s[0].f(), mem(f.dst, 0))
	} else {
		f.fadd64(s[0], s[0], s[1])
		f.fadd64(s[2], s[2], s[3])
		f.fadd64(s[0], s[0], s[2])
		f.narrow(s[0], s[0])
		f.op("FMOVD", s[0].f(), mem(f.dst, 0))
	}
	f.op("ADD", f.stride, f.dst)
}

// between emits the interpolation between two rows, 8 numbers per iteration.
func between() {
	k := newKernel("between", "dst *float64, a *float64, b *float64, n int, fraction float64")
	dst, a, b, n := k.load("dst"), k.load("a"), k.load("b"), k.load("n")
	fraction := k.vec()
	k.op("FMOVD", k.arg("fraction"), fraction.f())
	k.loop(n, 8, func() {
		x, y := k.vecsOf(4), k.vecsOf(4)
		for i := 0; i < 4; i += 2 {
			k.op("FLDPQ.P", mem(a, 32), pair(x[i], x[i+1]))
			k.op("FLDPQ.P", mem(b, 32), pair(y[i], y[i+1]))
		}
		for i := range x {
			k.fsub64(y[i], y[i], x[i])
			k.fmulLane64(y[i], y[i], fraction, 0)
			k.fadd64(x[i], x[i], y[i])
		}
		for i := 0; i < 4; i += 2 {
			k.op("FSTPQ.P", pair(x[i], x[i+1]), mem(dst, 32))
		}
	})
}
