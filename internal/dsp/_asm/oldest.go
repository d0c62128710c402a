package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// oldest emits the search for the least number among the voices with the given priority and key.
func oldest(s *set) {
	TEXT("oldest"+s.name, NOSPLIT, "func(prio *int32, key *float32, number *uint64, n int, p int32, k uint32) uint64")
	prio, key, number, n := memory("prio"), memory("key"), memory("number"), argument("n")
	p, k := s.spread("p"), s.spread("k")
	i, most := GP64(), GP64()
	MOVQ(U64(1<<63-1), most)
	least, none := s.new(), s.new()
	VMOVQ(most, least.AsX())
	VPBROADCASTQ(least.AsX(), least)
	XORQ(i, i)
	again := label("loop")
	if s == avx512 {
		Label(again)
		same, both := K(), K()
		VPCMPEQD(prio.Idx(i, 4), p, same)
		VPCMPEQD(key.Idx(i, 4), k, same, both)
		VPMINUQ(number.Idx(i, 8), least, both, least)
		KSHIFTRW(U8(8), both, both)
		VPMINUQ(number.Idx(i, 8).Offset(64), least, both, least)
	} else {
		VMOVDQU(least, none)
		Label(again)
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
	JNE(LabelRef(again))
	out, lane := GP64(), GP64()
	room := AllocLocal(s.bytes)
	VMOVUPS(least, room)
	MOVQ(room, out)
	for at := 8; at < s.bytes; at += 8 {
		MOVQ(room.Offset(at), lane)
		CMPQ(lane, out)
		CMOVQLT(lane, out)
	}
	Store(out, ReturnIndex(0))
	end()
}

// numbered emits the search for a number.
func numbered(s *set) {
	TEXT("numbered"+s.name, NOSPLIT, "func(number *uint64, n int, x uint64) int")
	number, n := memory("number"), argument("n")
	x := s.new()
	VMOVQ(argument("x"), x.AsX())
	VPBROADCASTQ(x.AsX(), x)
	first(n, s.bytes/8, func(i, bits Register) {
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
	})
}
