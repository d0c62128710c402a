package main

// stateVariable emits the kernel of StateVariable, four frames per iteration. A vector holds left and right.
func stateVariable() {
	k := newKernel("stateVariableNEON", "filter *float64, x *float64, n int")
	filter, at, n := k.load("filter"), k.load("x"), k.load("n")
	const direct, first, in, keep, up, turn, low, states = 0, 1, 5, 9, 10, 14, 15, 19
	taps, s1, s2 := k.vecsOf(states), k.vec(), k.vec()
	for i := range taps {
		k.op("FMOVQ", mem(filter, 16*i), taps[i].f())
	}
	k.op("FMOVQ", mem(filter, 16*states), s1.f())
	k.op("FMOVQ", mem(filter, 16*states+16), s2.f())
	k.loop(n, 4, func() {
		e, y, sum, t, u := k.vecsOf(4), k.vec(), k.vec(), k.vec(), k.vec()
		for i := range e {
			k.op("FMOVQ", mem(at, 16*i), e[i].f())
			k.fsub64(e[i], e[i], s2)
		}
		for i := range e {
			k.op("FMOVQ", mem(at, 16*i), y.f())
			k.fmul64(y, y, taps[direct])
			k.fmul64(t, s1, taps[first+i])
			k.fadd64(y, y, t)
			k.fmul64(sum, e[i], taps[in])
			if i > 0 {
				k.fmul64(t, e[i-1], taps[in+1])
				k.fadd64(sum, sum, t)
			}
			if i > 1 {
				k.fmul64(t, e[i-2], taps[in+2])
			}
			if i > 2 {
				k.fmul64(u, e[0], taps[in+3])
				k.fadd64(t, t, u)
			}
			if i > 1 {
				k.fadd64(sum, sum, t)
			}
			k.fadd64(y, y, sum)
			k.op("FMOVQ", y.f(), mem(at, 16*i))
		}
		four := func(h []vec) {
			k.fmul64(sum, e[0], h[0])
			k.fmul64(t, e[1], h[1])
			k.fadd64(sum, sum, t)
			k.fmul64(t, e[2], h[2])
			k.fmul64(u, e[3], h[3])
			k.fadd64(t, t, u)
			k.fadd64(sum, sum, t)
		}
		four(taps[low:])
		k.fmul64(t, s1, taps[turn])
		k.fadd64(s2, s2, t)
		k.fadd64(s2, s2, sum)
		four(taps[up:])
		k.fmul64(t, s1, taps[keep])
		k.fadd64(s1, t, sum)
		k.op("ADD", imm(64), at)
	})
	k.op("FMOVQ", s1.f(), mem(filter, 16*states))
	k.op("FMOVQ", s2.f(), mem(filter, 16*states+16))
}

// doubled emits the conversion of float32 to float64, four per iteration; singled emits the inverse.
func doubled() {
	k := newKernel("doubledNEON", "dst *float64, src *float32, n int")
	dst, src, n := k.load("dst"), k.load("src"), k.load("n")
	k.loop(n, 4, func() {
		x, y, z := k.vec(), k.vec(), k.vec()
		k.op("FMOVQ.P", mem(src, 16), x.f())
		k.longer(y, x)
		k.longer2(z, x)
		k.op("FSTPQ.P", pair(y, z), mem(dst, 32))
	})
}

// singled emits the kernel of Singled, 4 numbers per iteration.
func singled() {
	k := newKernel("singledNEON", "dst *float32, src *float64, n int, grain float64")
	dst, src, n := k.load("dst"), k.load("src"), k.load("n")
	grain := k.given64("grain")
	k.loop(n, 4, func() {
		for range 2 {
			y := k.vec()
			k.op("FMOVQ.P", mem(src, 16), y.f())
			k.fadd64(y, y, grain)
			k.fsub64(y, y, grain)
			k.narrow(y, y)
			k.op("FMOVD.P", y.f(), mem(dst, 8))
		}
	})
}
