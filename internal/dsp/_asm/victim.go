package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// victims emits the passes of the choice of a victim over packed arrays.
func victims(s *set) {
	lowest(s)
	least(s)
	match(s)
	eldest(s)
}

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
	TEXT("lowest"+s.name, NOSPLIT, "func(prio *int32, n int, limit int32) (lowest, candidates int32)")
	Pragma("noescape")
	Doc("n is a multiple of 16, not 0.")
	prio := Mem{Base: Load(Param("prio"), GP64())}
	n := Load(Param("n"), GP64())
	limit := s.broadcast(Load(Param("limit"), GP32()))
	low, count := s.new(), s.new()
	VMOVUPS(prio, low)
	loop := label("loop")
	if s == avx512 {
		one := ZMM()
		VPBROADCASTD(allInts("one", 1), one)
		VPXORD(count, count, count)
		Label(loop)
		k := K()
		VPCMPD(U8(5), prio, limit, k) // limit >= prio
		VPADDD(one, count, k, count)
		VPMINSD(prio, low, low)
	} else {
		VPXOR(count, count, count)
		Label(loop)
		for at := 0; at < 64; at += 32 {
			x, above := YMM(), YMM()
			VMOVDQU(prio.Offset(at), x)
			VPCMPGTD(limit, x, above)
			VPADDD(above, count, count) // less one for those above
			VPMINSD(x, low, low)
		}
	}
	ADDQ(U8(64), prio.Base)
	SUBQ(U8(16), n)
	JNZ(LabelRef(loop))
	fold(s, []VecVirtual{low, count}, func(other []VecVirtual) {
		VPMINSD(other[0], low, low)
		VPADDD(other[1], count, count)
	})
	out, all := GP32(), GP32()
	VMOVD(low.AsX(), out)
	Store(out, Return("lowest"))
	VMOVD(count.AsX(), all)
	if s == avx2 {
		total := Load(Param("n"), GP64())
		ADDL(total.(GPVirtual).As32(), all)
	}
	Store(all, Return("candidates"))
	VZEROUPPER()
	RET()
}

func least(s *set) {
	TEXT("least"+s.name, NOSPLIT, "func(prio *int32, key *float32, n int, of int32) (least, next uint32)")
	Pragma("noescape")
	Doc("n is a multiple of 16, not 0; no priority is lower than of. The result is bits; all",
		"of them are set where there is no such key.")
	prio := Mem{Base: Load(Param("prio"), GP64())}
	key := Mem{Base: Load(Param("key"), GP64())}
	n := Load(Param("n"), GP64())
	of := s.broadcast(Load(Param("of"), GP32()))
	first, second := s.new(), s.new()
	if s == avx512 {
		VPTERNLOGD(U8(0xff), first, first, first)
		VPTERNLOGD(U8(0xff), second, second, second)
	} else {
		VPCMPEQD(first, first, first)
		VPCMPEQD(second, second, second)
	}
	loop := label("loop")
	Label(loop)
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
	SUBQ(U8(16), n)
	JNZ(LabelRef(loop))
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
	VZEROUPPER()
	RET()
}

func match(s *set) {
	TEXT("match"+s.name, NOSPLIT, "func(prio *int32, key *float32, n int, p int32, k uint32) int")
	Pragma("noescape")
	Doc("n is a multiple of 16, not 0. It returns the place of the first voice of the given",
		"priority and key, or n.")
	prio := Mem{Base: Load(Param("prio"), GP64())}
	key := Mem{Base: Load(Param("key"), GP64())}
	n := Load(Param("n"), GP64())
	p := s.broadcast(Load(Param("p"), GP32()))
	k := s.broadcast(Load(Param("k"), GP32()))
	i, bits := GP64(), GP32()
	XORQ(i, i)
	loop, found, done := label("loop"), label("found"), label("done")
	Label(loop)
	if s == avx512 {
		same, both := K(), K()
		VPCMPEQD(prio.Idx(i, 4), p, same)
		VPCMPEQD(key.Idx(i, 4), k, same, both)
		KMOVW(both, bits)
		TESTL(bits, bits)
	} else {
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
	}
	JNZ(LabelRef(found))
	ADDQ(U8(16), i)
	CMPQ(i, n)
	JNE(LabelRef(loop))
	JMP(LabelRef(done))
	Label(found)
	BSFL(bits, bits)
	ADDQ(bits.As64(), i)
	Label(done)
	Store(i, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
