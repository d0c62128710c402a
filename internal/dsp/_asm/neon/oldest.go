package main

import "fmt"

// oldest emits the search for the least number among the voices with the given priority and key.
func oldest() {
	k := newKernel("oldest", "prio *int32, key *float32, number *uint64, n int, p int32, k uint32", "ret uint64")
	prio, key, number, n := k.load("prio"), k.load("key"), k.load("number"), k.load("n")
	p, bits := k.given("p"), k.given("k")
	least := k.vecsOf(4)
	k.scope(func() {
		r := k.gp()
		k.op("MOVD", "$0x7fffffffffffffff", r)
		for _, v := range least {
			k.op("VDUP", r, v.d2())
		}
	})
	// merge keeps the smaller of two lanes.
	merge := func(least, x, fewer vec) {
		k.cmhi(fewer, least, x)
		k.op("VBIT", fewer.b16(), x.b16(), least.b16())
	}
	k.loop(n, slots, func() {
		for i, x := range k.same(prio, key, p, bits) {
			k.scope(func() {
				a, b, wide := k.vec(), k.vec(), k.vec()
				k.op("FLDPQ.P", mem(number, 32), pair(a, b))
				k.zip(wide, x, x, false)
				k.zip(x, x, x, true)
				k.orn(a, a, wide) // other voices get the largest number
				k.orn(b, b, x)
				merge(least[i%2*2], a, wide)
				merge(least[i%2*2+1], b, x)
			})
		}
	})
	t := k.vec()
	for _, x := range least[1:] {
		merge(least[0], x, t)
	}
	k.op("VEXT", imm(8), least[0].b16(), least[0].b16(), least[1].b16())
	merge(least[0], least[1], t)
	out := k.gp()
	k.op("VMOV", fmt.Sprintf("%v.D[0]", least[0]), out)
	k.op("MOVD", out, k.arg("ret"))
}

// numbered emits the search for a number.
func numbered() {
	k := newKernel("numbered", "number *uint64, n int, x uint64", "ret int")
	number, n, x := k.load("number"), k.load("n"), k.vec()
	k.scope(func() { k.op("VDUP", k.load("x"), x.d2()) })
	k.first(n, func() vec {
		y := k.lanesOf(number, 2*slots)
		for _, y := range y {
			k.op("VCMEQ", x.d2(), y.d2(), y.d2())
		}
		for i := range 4 {
			k.unzip(y[i], y[2*i], y[2*i+1], false)
		}
		k.op("VUZP1", y[1].h8(), y[0].h8(), y[0].h8())
		k.op("VUZP1", y[3].h8(), y[2].h8(), y[1].h8())
		k.op("VUZP1", y[1].b16(), y[0].b16(), y[0].b16())
		return y[0]
	})
}
