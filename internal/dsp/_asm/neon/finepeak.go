package main

// finePeak emits FinePeak. A vector holds left and right of a sum of every fourth tap. The middle and one pair
// of places come first, then the other two pairs.
func finePeak() {
	const half, products = 32, 7 // the middle, three sums, three differences
	k := newKernel("finePeak", "src *float32, taps *float64", "ret float64")
	src, taps := k.load("src"), k.load("taps")
	peak := k.zeroes(1)[0]
	for _, some := range [][]int{{0, 1, 4}, {2, 5, 3, 6}} {
		k.scope(func() {
			up, down, row, n := k.gp(), k.gp(), k.gp(), k.gp()
			k.op("MOVD", src, up)
			k.op("ADD", imm(8*(2*half-4)), src, down)
			k.op("MOVD", taps, row)
			k.op("MOVD", imm(half), n)
			sums := k.zeroes(4 * len(some))
			k.loop(n, 4, func() {
				a, b, x, h := k.vec(), k.vec(), k.vec(), k.vec()
				for i := range 4 {
					k.op("FMOVD", mem(up, 8*i), a.f())
					k.op("FMOVD", mem(down, 8*(3-i)), b.f())
					k.longer(a, a)
					k.longer(b, b)
					k.fadd64(x, a, b)
					k.fsub64(a, a, b)
					for j, product := range some {
						from := x
						if product > 3 {
							from = a
						}
						k.op("FMOVQ", mem(row, 32*(i/2*products+product)+16*(i%2)), h.f())
						k.f64().Plus(sums[4*j+i], from, h, h)
					}
				}
				k.op("ADD", imm(32), up)
				k.op("SUB", imm(32), down)
				k.op("ADD", imm(64*products), row)
			})
			for j := 0; j < len(some); j++ {
				s := sums[4*j:]
				k.fadd64(s[0], s[0], s[1])
				k.fadd64(s[2], s[2], s[3])
				k.fadd64(s[0], s[0], s[2])
				switch {
				case some[j] == 0:
					k.f64().Larger(peak, s[0])
				case some[j] > 3: // the sum was computed just before
					k.f64().Peak(peak, sums[4*(j-1)], s[0], s[1])
				}
			}
		})
	}
	k.fmaxp64(peak, peak, peak)
	k.op("FMOVD", peak.f(), k.arg("ret"))
}
