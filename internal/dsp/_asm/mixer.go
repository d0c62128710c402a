package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"voicepool/internal/dsp/_asm/formula"
)

// set is a vector instruction set with its registers.
type set struct {
	name   string
	new    func() VecVirtual
	bytes  int // of a register
	frames int // stereo frames per register
	turn   int // frames that a kernel processes per iteration
}

var (
	avx2   = &set{"AVX2", YMM, 32, 4, 8}
	avx512 = &set{"AVX512", ZMM, 64, 8, 16}
)

// pairs returns the numbers of the interleaved frames of a register, beginning with the given one.
func (s *set) pairs(first int) []uint32 {
	var lanes []uint32
	for i := range 2 * s.frames {
		lanes = append(lanes, uint32(first+i/2))
	}
	return lanes
}

// order returns the number of the frame in each lane such that unpacking the vector with itself gives the
// frames in order.
func (s *set) order() []uint32 {
	var lanes []uint32
	for i := range uint32(s.bytes / 16) {
		lanes = append(lanes, 2*i, 2*i+1, 2*i+uint32(s.frames), 2*i+1+uint32(s.frames))
	}
	return lanes
}

// broadcast returns a vector with the lower 32 bits of a register in all lanes.
func (s *set) broadcast(r Register) VecVirtual {
	v := s.new()
	VMOVD(r.(GPVirtual).As32(), v.AsX())
	VPBROADCASTD(v.AsX(), v)
	return v
}

// mixer is a kernel that adds src to dst under ramps. Each ramp applies to the same number of frames. The left
// and right factors of the frames of an iteration are two vectors, interleaved as in dst. The factor of a frame
// is the ramp's base plus the number of the frame times the slope, with one rounding each.
type mixer struct {
	*set
	channels int
	wide     bool // float32 samples, not int16
	size     int  // bytes of a frame of src

	dst, src  Mem
	i, end    Register // the next frame, and the first frame under another ramp
	pos, step Register // of a pitched kernel
	ahead     Mem      // the data that the next kernel is going to read

	send  Mem        // a second destination,
	share VecVirtual // the share that it gets; nil: no second destination

	base, slope VecVirtual
	numbers     [2]VecVirtual // of the frames
	now         VecVirtual    // the gains of a constant ramp
	further     Op            // frames per iteration: in memory if registers are few
	ramped      bool
}

// mixing starts a mixer whose source is read from before frames before a position. params are the parameters
// between src and the gains.
func mixing(kind string, s *set, channels int, wide bool, before int, params string) *mixer {
	name, sample, size := map[int]string{1: "mono", 2: "stereo"}[channels]+kind, "float32", 4
	if !wide {
		name, sample, size = name+"16", "int16", 2
	}
	if s == avx512 {
		name += s.name
	}
	TEXT(name, NOSPLIT, "func(dst *float32, src *"+sample+", "+params+", ramps *float32, each int, next uintptr)")
	m := &mixer{set: s, channels: channels, wide: wide, size: channels * size}
	m.i = GP64()
	XORL(m.i.(GPVirtual).As32(), m.i.(GPVirtual).As32())
	m.dst = memory("dst").Idx(m.i, 8)
	m.src = memory("src").Offset(-before * m.size)
	return m
}

// load loads the common arguments of mixers, and pos and step of a pitched mixer.
func (m *mixer) load(pitched bool) {
	m.end = argument("each")
	if pitched {
		m.pos, m.step = argument("pos"), argument("step")
	} else {
		m.src = m.src.Idx(m.i, uint8(m.size))
	}
	m.ahead = memory("next").Idx(m.i, uint8(m.size))
	m.further = all(fmt.Sprintf("turn%d", m.turn), F32(m.turn))
	if m.set == avx512 {
		further := m.new()
		VMOVUPS(m.further, further)
		m.further = further
	}
}

// take loads a ramp.
func (m *mixer) take(ramp Mem) {
	m.base = m.both(ramp.Offset(formula.Left), ramp.Offset(formula.Right))
	m.slope = m.both(ramp.Offset(formula.LeftSlope), ramp.Offset(formula.RightSlope))
	if !m.wide {
		small := all("down15", F32(0x1p-15))
		VMULPS(small, m.base, m.base)
		VMULPS(small, m.slope, m.slope)
	}
	first := m.new()
	VPBROADCASTD(ramp.Offset(formula.Start), first)
	for i := range m.numbers {
		x := m.new()
		VPADDD(ints(fmt.Sprintf("frames%d_%s", i*m.frames, m.name), m.pairs(i*m.frames)...), first, x)
		VCVTDQ2PS(x, x)
		m.numbers[i] = x
	}
}

// both returns a vector with two numbers in all pairs of lanes. It loads them one by one, as they were stored:
// a single load would have to wait until both stores have reached the cache.
func (s *set) both(left, right Mem) VecVirtual {
	x, y, v := XMM(), XMM(), s.new()
	VMOVSS(left, x)
	VMOVSS(right, y)
	VUNPCKLPS(y, x, x)
	VBROADCASTSD(x, v)
	return v
}

// argumentMemory returns the memory of an argument.
func argumentMemory(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// twice emits one loop for a single constant ramp, loops over ramps and their frames for all other cases, and
// the end of the kernel. Each iteration prefetches data for the next kernel, as much as it reads itself at a
// step of one frame. The address may be invalid, since a prefetch does not read it.
func (m *mixer) twice(turn func()) {
	turns := func() {
		again := label("loop")
		Label(again)
		for at := 0; at < m.turn*m.size; at += 64 {
			PREFETCHT0(m.ahead.Offset(at))
		}
		turn()
		ADDQ(U8(m.turn), m.i)
		CMPQ(m.i, m.end)
		JNE(LabelRef(again))
	}
	ramped, done := label("ramped"), label("done")
	ramp, moves := memory("ramps"), GP32()
	MOVL(ramp.Offset(formula.LeftSlope), moves)
	ORL(ramp.Offset(formula.RightSlope), moves)
	ADDL(moves, moves) // without the sign
	JNZ(LabelRef(ramped))
	CMPQ(m.end, argumentMemory("n"))
	JNE(LabelRef(ramped))
	m.take(ramp)
	m.now = m.gains(0)
	turns()
	JMP(LabelRef(done))
	Label(ramped)
	m.ramped = true
	ramp = memory("ramps") // its register is free during the inner loop
	m.take(ramp)
	ADDQ(U8(formula.RampSize), ramp.Base)
	MOVQ(ramp.Base, argumentMemory("ramps"))
	turns()
	ADDQ(argumentMemory("each"), m.end)
	CMPQ(m.i, argumentMemory("n"))
	JNE(LabelRef(ramped))
	Label(done)
	end()
}

// gains returns the gains of one half of the iteration's frames.
func (m *mixer) gains(half int) VecVirtual {
	y := m.new()
	VMULPS(m.slope, m.numbers[half], y)
	VADDPS(y, m.base, y)
	return y
}

// add adds the product of interleaved frames and their gains to one half of the iteration's frames at dst.
func (m *mixer) add(half int, x VecVirtual) {
	dst, y, by := m.dst.Offset(half*m.bytes), m.new(), m.now
	if m.ramped {
		by = m.gains(half)
		VADDPS(m.further, m.numbers[half], m.numbers[half])
	}
	VMULPS(x, by, y)
	if m.share != nil {
		send, z := m.send.Offset(half*m.bytes), m.new()
		VMULPS(m.share, y, z)
		VADDPS(send, z, z)
		VMOVUPS(z, send)
	}
	VADDPS(dst, y, y)
	VMOVUPS(y, dst)
}

// addMono adds an iteration's frames of one channel, in the order of lanes.
func (m *mixer) addMono(x VecVirtual) {
	low, high := m.new(), m.new()
	VUNPCKLPS(x, x, low)
	VUNPCKHPS(x, x, high)
	m.add(0, low)
	m.add(1, high)
}
