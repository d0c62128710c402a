package main

import "fmt"

// slots is the number of slots that the search for a victim processes per iteration.
const slots = 16

// given returns a vector with a 32-bit parameter in all lanes.
func (k *kernel) given(name string) vec {
	v := k.vec()
	k.scope(func() { k.op("VDUP", k.load(name), v.s4()) })
	return v
}

// filled returns vectors with the given bits in all lanes.
func (k *kernel) filled(count, bits int) []vec {
	v := k.vecsOf(count)
	k.scope(func() {
		r := k.gp()
		k.op("MOVD", imm(bits), r)
		for _, v := range v {
			k.op("VDUP", r, v.s4())
		}
	})
	return v
}

// lowest emits the search for the lowest priority, and the count of priorities that are at most limit.
func lowest() {
	k := newKernel("lowest", "prio *int32, n int, limit int32", "lowest int32", "count int32")
	prio, n, limit := k.load("prio"), k.load("n"), k.given("limit")
	low, count := k.filled(4, 1<<31-1), k.filled(4, 0)
	k.loop(n, slots, func() {
		p := k.lanesOf(prio, slots)
		for i, p := range p {
			k.smin(low[i], low[i], p)
			k.cmge(p, limit, p)
		}
		for i, p := range p {
			k.op("VSUB", p.s4(), count[i].s4(), count[i].s4()) // a mask is -1
		}
	})
	for i := range 3 {
		k.smin(low[0], low[0], low[i+1])
		k.op("VADD", count[i+1].s4(), count[0].s4(), count[0].s4())
	}
	k.sminv(low[0], low[0])
	k.op("VADDV", count[0].s4(), count[0])
	k.storeLane(low[0], 0, "lowest")
	k.storeLane(count[0], 0, "count")
}

// least emits the search for the bits of the smallest and of the second smallest key among the slots with the
// priority of.
func least() {
	k := newKernel("least", "prio *int32, key *float32, n int, of int32", "least uint32", "next uint32")
	prio, key, n, of := k.load("prio"), k.load("key"), k.load("n"), k.given("of")
	least, next := k.filled(4, 1<<32-1), k.filled(4, 1<<32-1)
	umin := func(m, d vec) { k.op("VUMIN", m.s4(), d.s4(), d.s4()) }
	// merge updates the least key of each lane and the next one, which is the least key above it.
	merge := func(least, next, key, t vec) {
		k.op("VUMAX", key.s4(), least.s4(), t.s4())
		umin(key, least)
		umin(t, next)
	}
	k.loop(n, slots, func() {
		p, x := k.lanesOf(prio, slots), k.lanesOf(key, slots)
		for i, p := range p {
			k.op("VCMEQ", of.s4(), p.s4(), p.s4())
			k.orn(x[i], x[i], p)
		}
		for i, p := range p {
			merge(least[i], next[i], x[i], p)
		}
	})
	t, other := k.vec(), k.vec()
	for i := range 3 {
		umin(next[i+1], next[0])
		merge(least[0], next[0], least[i+1], t)
	}
	for _, bytes := range []int{8, 4} { // the distance of the lanes to merge
		k.op("VEXT", imm(bytes), next[0].b16(), next[0].b16(), other.b16())
		umin(other, next[0])
		k.op("VEXT", imm(bytes), least[0].b16(), least[0].b16(), other.b16())
		merge(least[0], next[0], other, t)
	}
	k.storeLane(least[0], 0, "least")
	k.storeLane(next[0], 0, "next")
}

// match emits the search for the first slot with the priority p and a key with the bits k. Without such a slot the
// kernel returns n.
func match() {
	k := newKernel("match", "prio *int32, key *float32, n int, p int32, k uint32", "ret int")
	prio, key, n := k.load("prio"), k.load("key"), k.load("n")
	p, bits := k.given("p"), k.given("k")
	k.first(n, func() vec {
		x := k.same(prio, key, p, bits)
		k.op("VUZP1", x[1].h8(), x[0].h8(), x[0].h8())
		k.op("VUZP1", x[3].h8(), x[2].h8(), x[2].h8())
		k.op("VUZP1", x[2].b16(), x[0].b16(), x[0].b16())
		return x[0]
	})
}

// same returns masks for the next 16 slots, set where priority and key match.
func (k *kernel) same(prio, key gp, p, bits vec) []vec {
	x, y := k.lanesOf(prio, slots), k.lanesOf(key, slots)
	for i := range x {
		k.op("VCMEQ", p.s4(), x[i].s4(), x[i].s4())
		k.op("VCMEQ", bits.s4(), y[i].s4(), y[i].s4())
	}
	for i := range x {
		k.op("VAND", x[i].b16(), y[i].b16(), x[i].b16())
	}
	return x
}

// first emits the end of a kernel that returns the first place that find reports, or n. find returns one byte
// for each of 16 places.
func (k *kernel) first(n gp, find func() vec) {
	i, mask := k.gp(), k.gp()
	again, found := k.label("loop"), k.label("found")
	k.op("MOVD", "$0", i)
	k.at(again)
	k.scope(func() {
		x := find()
		k.nibbles(x, x)
		k.op("VMOV", fmt.Sprintf("%v.D[0]", x), mask)
	})
	k.op("CBNZ", mask, found)
	k.op("ADD", imm(slots), i)
	k.op("CMP", n, i)
	k.op("BNE", again)
	k.op("MOVD", i, k.arg("ret"))
	k.op("RET")
	k.at(found)
	k.op("RBIT", mask, mask)
	k.op("CLZ", mask, mask)
	k.op("ADD", fmt.Sprintf("%v>>2", mask), i)
	k.op("MOVD", i, k.arg("ret"))
}
