package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// set is a set of vector instructions, by its registers.
type set struct {
	name   string
	new    func() VecVirtual
	bytes  int // of a register
	frames int // of stereo in a register
	turn   int // frames that a kernel takes in a turn
}

var (
	avx2   = &set{"AVX2", YMM, 32, 4, 8}
	avx512 = &set{"AVX512", ZMM, 64, 8, 16}
)

// pairs returns the numbers of as many interleaved frames as fit, from a first
// one on.
func (s *set) pairs(first int) []uint32 {
	var lanes []uint32
	for i := range 2 * s.frames {
		lanes = append(lanes, uint32(first+i/2))
	}
	return lanes
}

// order returns which frame of a turn each lane holds, so that what an unpack of
// such a vector with itself gives is in order.
func (s *set) order() []uint32 {
	var lanes []uint32
	for i := range uint32(s.bytes / 16) {
		lanes = append(lanes, 2*i, 2*i+1, 2*i+uint32(s.frames), 2*i+1+uint32(s.frames))
	}
	return lanes
}

// broadcast returns the lower 32 bits of a register in all lanes.
func (s *set) broadcast(r Register) VecVirtual {
	v := s.new()
	VMOVD(r.(GPVirtual).As32(), v.AsX())
	VPBROADCASTD(v.AsX(), v)
	return v
}

// mixer is a kernel that adds src to dst under a ramp. The left and right factors of the
// frames of a turn are two vectors, interleaved as in dst. A ramp is its base plus the
// number of the frame times its slope, one rounding each.
type mixer struct {
	*set
	channels int
	wide     bool // of float32, not of int16
	size     int  // bytes of a frame of src

	dst, src  Mem
	n         Register
	pos, step Register // of a pitched one
	ahead     Register // what the next kernel is going to read

	base, slope VecVirtual
	numbers     [2]VecVirtual // of the frames
	now         VecVirtual    // of a still ramp: the gains
	further     Op            // frames of a turn: in memory where registers are few
	moves       Register      // zero when the gains do not move
	ramped      bool
}

// mixing begins a mixer whose source is read from so many frames before a position on.
// The parameters between src and the gains are given.
func mixing(kind string, s *set, channels int, wide bool, before int, params string) *mixer {
	name, sample, size := map[int]string{1: "mono", 2: "stereo"}[channels]+kind, "float32", 4
	if !wide {
		name, sample, size = name+"16", "int16", 2
	}
	begin(name+s.name, "func(dst *float32, src *"+sample+", "+params+", left, right, leftSlope, rightSlope float32, start int, next uintptr)")
	m := &mixer{set: s, channels: channels, wide: wide, size: channels * size}
	m.dst = memory("dst")
	m.src = memory("src").Offset(-before * m.size)
	return m
}

// load loads the arguments that all mixers have, and pos and step of a pitched one.
func (m *mixer) load(pitched bool) {
	m.n = argument("n")
	if pitched {
		m.pos, m.step = argument("pos"), argument("step")
	}
	m.ahead = argument("next")
	m.further = all(fmt.Sprintf("turn%d", m.turn), F32(m.turn))
	m.base = m.both("left", "right")
	m.slope = m.both("leftSlope", "rightSlope")
	m.moves = GP32()
	right := GP32()
	MOVL(place("leftSlope"), m.moves)
	MOVL(place("rightSlope"), right)
	ORL(right, m.moves)
	ADDL(m.moves, m.moves) // without the sign
	first := m.broadcast(argument("start"))
	for i := range m.numbers {
		x := m.new()
		VPADDD(ints(fmt.Sprintf("frames%d_%s", i*m.frames, m.name), m.pairs(i*m.frames)...), first, x)
		VCVTDQ2PS(x, x)
		m.numbers[i] = x
	}
	if m.set == avx512 {
		further := m.new()
		VMOVUPS(m.further, further)
		m.further = further
	}
}

// both returns two arguments in all pairs of lanes. They are loaded one by one, as
// they were stored: two at once would have to wait until both are in the cache.
func (s *set) both(left, right string) VecVirtual {
	x, y, v := XMM(), XMM(), s.new()
	VMOVSS(place(left), x)
	VMOVSS(place(right), y)
	VUNPCKLPS(y, x, x)
	VBROADCASTSD(x, v)
	return v
}

// place returns where an argument stands. Load would take a float32 by an
// instruction of SSE, which waits for the upper halves of the registers.
func place(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// twice emits a loop over turns for gains that do not move, one for those that do, and
// the kernel's end. Of what the next kernel is going to read, a turn asks for as much as
// it reads itself at a step of one frame. That is not read: it may lie anywhere.
func (m *mixer) twice(turn func()) {
	turns := func() {
		loop(m.n, m.turn, func() {
			for at := 0; at < m.turn*m.size; at += 64 {
				PREFETCHT0(Mem{Base: m.ahead, Disp: at})
			}
			ADDQ(U8(m.turn*m.size), m.ahead)
			turn()
			ADDQ(U8(2*m.bytes), m.dst.Base)
			if m.pos == nil {
				ADDQ(U8(m.turn*m.size), m.src.Base)
			}
		})
	}
	ramped, done := label("ramped"), label("done")
	TESTL(m.moves, m.moves)
	JNZ(LabelRef(ramped))
	m.now = m.gains(0)
	turns()
	JMP(LabelRef(done))
	Label(ramped)
	m.ramped = true
	turns()
	Label(done)
	end()
}

// gains returns the gains of a half of the turn.
func (m *mixer) gains(half int) VecVirtual {
	y := m.new()
	VMULPS(m.slope, m.numbers[half], y)
	VADDPS(y, m.base, y)
	return y
}

// add adds the product of interleaved frames and their gains to a half of the
// turn at dst.
func (m *mixer) add(half int, x VecVirtual) {
	dst, y, by := m.dst.Offset(half*m.bytes), m.new(), m.now
	if m.ramped {
		by = m.gains(half)
		VADDPS(m.further, m.numbers[half], m.numbers[half])
	}
	VMULPS(x, by, y)
	VADDPS(dst, y, y)
	VMOVUPS(y, dst)
}

// addMono adds a turn of frames of one channel, in the order of lanes.
func (m *mixer) addMono(x VecVirtual) {
	low, high := m.new(), m.new()
	VUNPCKLPS(x, x, low)
	VUNPCKHPS(x, x, high)
	m.add(0, low)
	m.add(1, high)
}
