package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// spread returns a vector with a 32-bit argument in all lanes.
func (s *set) spread(name string) VecVirtual { return s.broadcast(Load(Param(name), GP32())) }

// fold reduces the lanes of vectors. It calls step with copies of the vectors whose lanes are moved by a half,
// a quarter, and so on.
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

// weakest emits the search for the lowest priority, its least and next keys, and the first place with the
// lowest priority and the least key. Each of the three passes leaves its results in all lanes for the next
// pass.
func weakest(s *set) {
	TEXT("weakest"+s.name, NOSPLIT, "func(prio *int32, key *float32, n int, limit int32) (lowest, candidates int32, least, next uint32, at int)")
	prio, key, n, limit := memory("prio"), memory("key"), argument("n"), s.spread("limit")
	low, count := s.new(), s.new()
	VMOVUPS(prio, low)
	lowest := func(i Register) {
		for at := 0; at < 64; at += 32 {
			x, above := YMM(), YMM()
			VMOVDQU(prio.Idx(i, 4).Offset(at), x)
			VPCMPGTD(limit, x, above)
			VPADDD(above, count, count) // subtract 1 for each priority above
			VPMINSD(x, low, low)
		}
	}
	if s == avx512 {
		one := ZMM()
		VPBROADCASTD(all("one", U32(1)), one)
		VPXORD(count, count, count)
		lowest = func(i Register) {
			k := K()
			VPCMPD(U8(5), prio.Idx(i, 4), limit, k) // limit >= prio
			VPADDD(one, count, k, count)
			VPMINSD(prio.Idx(i, 4), low, low)
		}
	} else {
		VPXOR(count, count, count)
	}
	backwards(n, func(i Register) { lowest(i) })
	fold(s, []VecVirtual{low, count}, func(other []VecVirtual) {
		VPMINSD(other[0], low, low)
		VPADDD(other[1], count, count)
	})
	number := GP32()
	VMOVD(low.AsX(), number)
	Store(number, Return("lowest"))
	candidates := GP32()
	VMOVD(count.AsX(), candidates)
	if s == avx2 {
		ADDL(n.(GPVirtual).As32(), candidates)
	}
	Store(candidates, Return("candidates"))

	first, second := s.new(), s.new()
	for _, v := range []VecVirtual{first, second} {
		if s == avx512 {
			VPTERNLOGD(U8(0xff), v, v, v)
		} else {
			VPCMPEQD(v, v, v)
		}
	}
	backwards(n, func(i Register) {
		for at := 0; at < 64; at += s.bytes {
			prio, key, larger := prio.Idx(i, 4).Offset(at), key.Idx(i, 4).Offset(at), s.new()
			if s == avx512 {
				k := K()
				VPCMPEQD(prio, low, k)
				VPMAXUD(key, first, larger)
				VPMINUD(larger, second, k, second)
				VPMINUD(key, first, k, first)
			} else {
				x, above := YMM(), YMM()
				VMOVDQU(prio, above)
				VPCMPGTD(low, above, above)
				VPOR(key, above, x)
				VPMAXUD(x, first, larger)
				VPMINUD(larger, second, second)
				VPMINUD(x, first, first)
			}
		}
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
		Store(out, ReturnIndex(2+i))
	}

	// Search backwards, to avoid an unpredictable branch: the last match found is the first one.
	place := GP64()
	XORQ(place, place)
	backwards(n, func(i Register) {
		bits, found := GP32(), GP64()
		if s == avx512 {
			same, both := K(), K()
			VPCMPEQD(prio.Idx(i, 4), low, same)
			VPCMPEQD(key.Idx(i, 4), first, same, both)
			KMOVW(both, bits)
		} else {
			high := GP32()
			for half, to := range []Register{bits, high} {
				x, y := YMM(), YMM()
				VPCMPEQD(prio.Idx(i, 4).Offset(32*half), low, x)
				VPCMPEQD(key.Idx(i, 4).Offset(32*half), first, y)
				VPAND(x, y, x)
				VMOVMSKPS(x, to)
			}
			SHLL(U8(8), high)
			ORL(high, bits)
		}
		XORQ(found, found)
		BSFL(bits, found.As32()) // the zero flag tells whether there is a match
		LEAQ(Mem{Base: i, Index: found, Scale: 1}, found)
		CMOVQNE(found, place)
	})
	Store(place, Return("at"))
	end()
}

// backwards repeats a body for groups of 16 of n places, from the last group to the first. i is the first place
// of a group.
func backwards(n Register, body func(i Register)) {
	i := GP64()
	MOVQ(n, i)
	again := label("loop")
	Label(again)
	SUBQ(U8(16), i)
	body(i)
	TESTQ(i, i)
	JNZ(LabelRef(again))
}

// first emits the end of a kernel that returns the first place that find reports, or n. find checks a number of
// places, given by each. It sets one bit per place, and the zero flag if it found no place.
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
