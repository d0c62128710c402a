package main

// biquads emits two filters in series and the sum of the squares of their output: of left and right together,
// or one after the other. A register holds left and right.
func biquads(name string, together bool) {
	k := newKernel(name, "filter *float64, src *float32, n int, sum float64", "ret float64")
	filter, src, n, sum := k.load("filter"), k.load("src"), k.load("n"), k.vec()
	k.op("FMOVD", k.arg("sum"), sum.f())
	taps, state := k.vecsOf(10), k.vecsOf(4)
	for i := 0; i < 10; i += 2 {
		k.op("FLDPQ", mem(filter, 16*i), pair(taps[i], taps[i+1]))
	}
	for i := 0; i < 4; i += 2 {
		k.op("FLDPQ", mem(filter, 16*(10+i)), pair(state[i], state[i+1]))
	}
	k.loop(n, 1, func() {
		x, y, t, u := k.vec(), k.vec(), k.vec(), k.vec()
		k.op("FMOVD.P", mem(src, 8), x.f())
		k.longer(x, x)
		for i := range 2 {
			h, s1, s2 := taps[5*i:], state[2*i], state[2*i+1]
			k.f64().Biquad(y, x, s1, s2, t, u, func(i int) vec { return h[i] })
			x, y = y, x
		}
		k.fmul64(x, x, x)
		if together {
			k.faddp64(x, x, x)
		} else { // the upper lane is not used
			k.fadd64(sum, sum, x)
			k.op("VEXT", imm(8), x.b16(), x.b16(), x.b16())
		}
		k.fadd64(sum, sum, x)
	})
	for i := 0; i < 4; i += 2 {
		k.op("FSTPQ", pair(state[i], state[i+1]), mem(filter, 16*(10+i)))
	}
	k.op("FMOVD", sum.f(), k.arg("ret"))
}
