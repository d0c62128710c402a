package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// spread returns an argument of 32 bits in all lanes.
func (s *set) spread(name string) VecVirtual { return s.broadcast(Load(Param(name), GP32())) }

// fold combines the lanes of vectors: step is called with copies of them that
// have the lanes of the other half, quarter, ... in their places.
func fold(s *set, v []VecVirtual, step func(other []VecVirtual)) {
	move := func(how func(from, to VecVirtual)) {
		var other []VecVirtual
		for _, x := range v {
			y := s.new()
			how(x, y)
			other = append(other, y)
		}
		step(other)
	}
	if s == avx512 {
		move(func(from, to VecVirtual) { VSHUFF32X4(U8(0x4e), from, from, to) })
		move(func(from, to VecVirtual) { VSHUFF32X4(U8(0xb1), from, from, to) })
	} else {
		move(func(from, to VecVirtual) { VPERM2F128(U8(0x01), from, from, to) })
	}
	move(func(from, to VecVirtual) { VPSHUFD(U8(0x4e), from, to) })
	move(func(from, to VecVirtual) { VPSHUFD(U8(0xb1), from, to) })
}

func lowest(s *set) {
	begin("lowest"+s.name, "func(prio *int32, n int, limit int32) (lowest, candidates int32)")
	prio, n, limit := memory("prio"), argument("n"), s.spread("limit")
	low, count := s.new(), s.new()
	VMOVUPS(prio, low)
	turn := func() {
		for at := 0; at < 64; at += 32 {
			x, above := YMM(), YMM()
			VMOVDQU(prio.Offset(at), x)
			VPCMPGTD(limit, x, above)
			VPADDD(above, count, count) // less one for those above
			VPMINSD(x, low, low)
		}
	}
	if s == avx512 {
		one := ZMM()
		VPBROADCASTD(all("one", U32(1)), one)
		VPXORD(count, count, count)
		turn = func() {
			k := K()
			VPCMPD(U8(5), prio, limit, k) // limit >= prio
			VPADDD(one, count, k, count)
			VPMINSD(prio, low, low)
		}
	} else {
		VPXOR(count, count, count)
	}
	loop(n, 16, func() {
		turn()
		ADDQ(U8(64), prio.Base)
	})
	fold(s, []VecVirtual{low, count}, func(other []VecVirtual) {
		VPMINSD(other[0], low, low)
		VPADDD(other[1], count, count)
	})
	out, all := GP32(), GP32()
	VMOVD(low.AsX(), out)
	Store(out, Return("lowest"))
	VMOVD(count.AsX(), all)
	if s == avx2 {
		ADDL(argument("n").(GPVirtual).As32(), all)
	}
	Store(all, Return("candidates"))
	end()
}

func least(s *set) {
	begin("least"+s.name, "func(prio *int32, key *float32, n int, of int32) (least, next uint32)")
	prio, key, n, of := memory("prio"), memory("key"), argument("n"), s.spread("of")
	first, second := s.new(), s.new()
	for _, v := range []VecVirtual{first, second} {
		if s == avx512 {
			VPTERNLOGD(U8(0xff), v, v, v)
		} else {
			VPCMPEQD(v, v, v)
		}
	}
	loop(n, 16, func() {
		for at := 0; at < 64; at += s.bytes {
			larger := s.new()
			if s == avx512 {
				k := K()
				VPCMPEQD(prio, of, k)
				VPMAXUD(key, first, larger)
				VPMINUD(larger, second, k, second)
				VPMINUD(key, first, k, first)
			} else {
				x, above := YMM(), YMM()
				VMOVDQU(prio.Offset(at), above)
				VPCMPGTD(of, above, above)
				VPOR(key.Offset(at), above, x)
				VPMAXUD(x, first, larger)
				VPMINUD(larger, second, second)
				VPMINUD(x, first, first)
			}
		}
		ADDQ(U8(64), prio.Base)
		ADDQ(U8(64), key.Base)
	})
	fold(s, []VecVirtual{first, second}, func(other []VecVirtual) {
		larger := s.new()
		VPMAXUD(other[0], first, larger)
		VPMINUD(other[0], first, first)
		VPMINUD(other[1], second, second)
		VPMINUD(larger, second, second)
	})
	for i, v := range []VecVirtual{first, second} {
		out := GP32()
		VMOVD(v.AsX(), out)
		Store(out, ReturnIndex(i))
	}
	end()
}

func match(s *set) {
	begin("match"+s.name, "func(prio *int32, key *float32, n int, p int32, k uint32) int")
	prio, key, n := memory("prio"), memory("key"), argument("n")
	p, k := s.spread("p"), s.spread("k")
	first(n, 16, func(i, bits Register) {
		if s == avx512 {
			same, both := K(), K()
			VPCMPEQD(prio.Idx(i, 4), p, same)
			VPCMPEQD(key.Idx(i, 4), k, same, both)
			KMOVW(both, bits)
			TESTL(bits, bits)
			return
		}
		high := GP32()
		for half, to := range []Register{bits, high} {
			x, y := YMM(), YMM()
			VPCMPEQD(prio.Idx(i, 4).Offset(32*half), p, x)
			VPCMPEQD(key.Idx(i, 4).Offset(32*half), k, y)
			VPAND(x, y, x)
			VMOVMSKPS(x, to)
		}
		SHLL(U8(8), high)
		ORL(high, bits)
	})
}

// first returns from the kernel with the first place that find has, of so many at a time
// one bit each, or n. find leaves the zero flag set where it has none.
func first(n Register, each int, find func(i, bits Register)) {
	i, bits := GP64(), GP32()
	XORQ(i, i)
	again, found, done := label("loop"), label("found"), label("done")
	Label(again)
	find(i, bits)
	JNZ(LabelRef(found))
	ADDQ(U8(each), i)
	CMPQ(i, n)
	JNE(LabelRef(again))
	JMP(LabelRef(done))
	Label(found)
	BSFL(bits, bits)
	ADDQ(bits.As64(), i)
	Label(done)
	Store(i, ReturnIndex(0))
	end()
}
