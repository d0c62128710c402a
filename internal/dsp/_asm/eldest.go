package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// eldest emits the pass that finds the least number among voices of one priority and
// key, and the one that finds a number.
func eldest(s *set) {
	TEXT("eldest"+s.name, NOSPLIT, "func(prio *int32, key *float32, number *uint64, n int, p int32, k uint32) uint64")
	Pragma("noescape")
	Doc("n is a multiple of 16, not 0; numbers are below 2^63. It returns the least number",
		"of the voices of the given priority and key, or 2^63-1.")
	prio := Mem{Base: Load(Param("prio"), GP64())}
	key := Mem{Base: Load(Param("key"), GP64())}
	number := Mem{Base: Load(Param("number"), GP64())}
	n := Load(Param("n"), GP64())
	p := s.broadcast(Load(Param("p"), GP32()))
	k := s.broadcast(Load(Param("k"), GP32()))
	i, most := GP64(), GP64()
	MOVQ(U64(1<<63-1), most)
	least, none := s.new(), s.new()
	VMOVQ(most, least.AsX())
	VPBROADCASTQ(least.AsX(), least)
	XORQ(i, i)
	loop := label("loop")
	if s == avx512 {
		Label(loop)
		same, both := K(), K()
		VPCMPEQD(prio.Idx(i, 4), p, same)
		VPCMPEQD(key.Idx(i, 4), k, same, both)
		VPMINUQ(number.Idx(i, 8), least, both, least)
		KSHIFTRW(U8(8), both, both)
		VPMINUQ(number.Idx(i, 8).Offset(64), least, both, least)
	} else {
		VMOVDQU(least, none)
		Label(loop)
		for at := 0; at < 64; at += 16 {
			x, y, z := XMM(), XMM(), YMM()
			VPCMPEQD(prio.Idx(i, 4).Offset(at), p.AsX(), x)
			VPCMPEQD(key.Idx(i, 4).Offset(at), k.AsX(), y)
			VPAND(x, y, x)
			VPMOVSXDQ(x, z)
			VPBLENDVB(z, number.Idx(i, 8).Offset(2*at), none, z)
			fewer := YMM()
			VPCMPGTQ(z, least, fewer)
			VPBLENDVB(fewer, z, least, least)
		}
	}
	ADDQ(U8(16), i)
	CMPQ(i, n)
	JNE(LabelRef(loop))
	lanes := 4
	if s == avx512 {
		lanes = 8
	}
	out, lane := GP64(), GP64()
	room := AllocLocal(8 * lanes)
	VMOVUPS(least, room)
	MOVQ(room, out)
	for i := 1; i < lanes; i++ {
		MOVQ(room.Offset(8*i), lane)
		CMPQ(lane, out)
		CMOVQLT(lane, out)
	}
	Store(out, ReturnIndex(0))
	VZEROUPPER()
	RET()

	TEXT("numbered"+s.name, NOSPLIT, "func(number *uint64, n int, x uint64) int")
	Pragma("noescape")
	Doc("n is a multiple of 16, not 0. It returns the place of a number, or n.")
	number = Mem{Base: Load(Param("number"), GP64())}
	n = Load(Param("n"), GP64())
	x := s.new()
	VMOVQ(Load(Param("x"), GP64()), x.AsX())
	VPBROADCASTQ(x.AsX(), x)
	i = GP64()
	bits := GP32()
	XORQ(i, i)
	again, found, done := label("loop"), label("found"), label("done")
	step := lanes
	Label(again)
	if s == avx512 {
		same := K()
		VPCMPEQQ(number.Idx(i, 8), x, same)
		KMOVW(same, bits)
	} else {
		y := YMM()
		VPCMPEQQ(number.Idx(i, 8), x, y)
		VMOVMSKPD(y, bits)
	}
	TESTL(bits, bits)
	JNZ(LabelRef(found))
	ADDQ(U8(step), i)
	CMPQ(i, n)
	JNE(LabelRef(again))
	JMP(LabelRef(done))
	Label(found)
	BSFL(bits, bits)
	ADDQ(bits.As64(), i)
	Label(done)
	Store(i, ReturnIndex(0))
	VZEROUPPER()
	RET()
}
