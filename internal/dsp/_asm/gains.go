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

// gains are the left and right factors of the frames of a turn: two vectors,
// interleaved as in dst. A ramp is its base plus the number of the frame times
// its slope, one rounding each.
type gains struct {
	*set
	base, slope VecVirtual
	n           [2]VecVirtual // the numbers of the frames
	now         VecVirtual    // of a still ramp: the gains
	further     Op            // frames of a turn: in memory where registers are few
	ramped      bool
}

// loadGains returns the gains of the arguments, and a register that is zero when
// they do not move.
func loadGains(s *set) (g *gains, moves Register) {
	g = &gains{set: s, further: all(fmt.Sprintf("turn%d", s.turn), float32(s.turn))}
	g.base = s.both("left", "right")
	g.slope = s.both("leftSlope", "rightSlope")
	slopes, right := GP32(), GP32()
	MOVL(argument("leftSlope"), slopes)
	MOVL(argument("rightSlope"), right)
	ORL(right, slopes)
	ADDL(slopes, slopes) // without the sign
	start := Load(Param("start"), GP64())
	first := s.broadcast(start)
	for i := range g.n {
		g.n[i] = s.new()
		VPADDD(ints(fmt.Sprintf("frames%d_%s", i*s.frames, s.name), s.pairs(i*s.frames)...), first, g.n[i])
		VCVTDQ2PS(g.n[i], g.n[i])
	}
	if s == avx512 {
		further := s.new()
		VMOVUPS(g.further, further)
		g.further = further
	}
	return g, slopes
}

// both returns two arguments in all pairs of lanes. They are loaded one by one, as
// they were stored: two at once would have to wait until both are in the cache.
func (s *set) both(left, right string) VecVirtual {
	x, y, v := XMM(), XMM(), s.new()
	VMOVSS(argument(left), x)
	VMOVSS(argument(right), y)
	VUNPCKLPS(y, x, x)
	VBROADCASTSD(x, v)
	return v
}

// argument returns where an argument stands. Load would take a float32 by an
// instruction of SSE, which waits for the upper halves of the registers.
func argument(name string) Mem {
	p, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return p.Addr
}

// broadcast returns the lower 32 bits of a register in all lanes.
func (s *set) broadcast(r Register) VecVirtual {
	v := s.new()
	VMOVD(r.(GPVirtual).As32(), v.AsX())
	VPBROADCASTD(v.AsX(), v)
	return v
}

// still works the gains out that do not move.
func (g *gains) still() {
	g.ramped = false
	g.now = g.at(0)
}

func (g *gains) at(half int) VecVirtual {
	y := g.new()
	VMULPS(g.slope, g.n[half], y)
	VADDPS(y, g.base, y)
	return y
}

// next returns the gains of the next frames.
func (g *gains) next(half int) VecVirtual {
	if !g.ramped {
		return g.now
	}
	y := g.at(half)
	VADDPS(g.further, g.n[half], g.n[half])
	return y
}

// add adds the product of interleaved frames and their gains to a half of the
// turn at dst.
func (g *gains) add(half int, x VecVirtual, dst Mem) {
	dst = dst.Offset(half * g.bytes)
	y := g.new()
	VMULPS(x, g.next(half), y)
	VADDPS(dst, y, y)
	VMOVUPS(y, dst)
}

// addMono adds a turn of frames of one channel, in the order of lanes, to dst.
func (g *gains) addMono(x VecVirtual, dst Mem) {
	low, high := g.new(), g.new()
	VUNPCKLPS(x, x, low)
	VUNPCKHPS(x, x, high)
	g.add(0, low, dst)
	g.add(1, high, dst)
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

// twice emits a loop for gains that do not move and one for those that do.
func (g *gains) twice(moves Register, loop func()) {
	ramped, done := label("ramped"), label("done")
	TESTL(moves, moves)
	JNZ(LabelRef(ramped))
	g.still()
	loop()
	JMP(LabelRef(done))
	Label(ramped)
	g.ramped = true
	loop()
	Label(done)
	VZEROUPPER()
	RET()
}

func (s *set) doc() {
	Pragma("noescape")
	Doc(fmt.Sprintf("n is a multiple of %d, not 0.", s.turn))
}
