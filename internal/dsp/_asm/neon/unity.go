package main

// unity emits the kernel that reads a sound at its own rate.
func unity(channels int, wide bool) *kernel {
	k := mixing(title(channels, "Unity", wide), sample(wide))
	dst, src, n, next := k.load("dst"), k.load("src"), k.load("n"), k.load("next")
	g := k.loadGains()
	g.twice(func() {
		k.loop(n, turn, func() {
			k.ask(next, turn*channels*bytes(wide))
			x := k.samples(src, turn*channels, wide)
			for half := range 2 {
				if channels == 1 {
					g.addMono(half, x[half], dst)
				} else {
					g.add(half, [2]vec(x[2*half:]), dst)
				}
			}
			k.op("ADD", imm(8*turn), dst)
		})
	})
	return k
}

// samples loads so many samples as float32 and moves src on.
func (k *kernel) samples(src gp, count int, wide bool) []vec {
	x := k.vecsOf(count / 4)
	if wide {
		for i := 0; i < len(x); i += 2 {
			k.op("FLDPQ.P", mem(src, 32), pair(x[i], x[i+1]))
		}
		return x
	}
	for i := 0; i < len(x); i += 2 {
		k.op("FMOVQ.P", mem(src, 16), x[i].f())
		k.widen(x[i+1], x[i], true)
		k.widen(x[i], x[i], false)
	}
	for _, x := range x {
		k.scvtf(x, x)
	}
	return x
}
