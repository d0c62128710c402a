package main

import (
	"fmt"

	"voicepool/internal/dsp/_asm/formula"
)

// turn is the number of frames that a kernel processes per iteration.
const turn = 8

// mixer is a kernel that adds src to dst under ramps. Each ramp applies to the same number of frames. The left
// and right factors of the frames of an iteration are four vectors of two frames, interleaved as in dst. The
// factor of a frame is the ramp's base plus the number of the frame times the slope, with one rounding each.
type mixer struct {
	*kernel
	channels int
	wide     bool // float32 samples, not int16
	size     int  // bytes of a frame of src

	dst, src, n, next gp
	pos, step         gp  // of a pitched kernel: the position of the next frame,
	bits              vec // and the fractions of the next four frames
	stride            vec // four times the step

	sends bool
	send  gp  // a second destination,
	share vec // the share that it gets

	base, slope vec
	numbers     []vec // of the frames
	now         vec   // the gains of a constant ramp
	further     vec   // frames per iteration
	ramps, each gp    // the ramps, and the number of frames of each
	ramped      bool
}

// mixing starts a mixer whose source is read from before frames before a position. pitched and sends are the
// additional parameters between n and the gains.
func mixing(kind string, channels int, wide bool, before int, pitched, sends string) *mixer {
	name, sample, size := map[int]string{1: "mono", 2: "stereo"}[channels]+kind, "float32", 4
	if !wide {
		name, sample, size = name+"16", "int16", 2
	}
	k := newKernel(name, "dst *float32, src *"+sample+", n int, "+pitched+sends+"ramps *float32, each int, next uintptr")
	m := &mixer{kernel: k, channels: channels, wide: wide, size: channels * size, sends: sends != "", dst: k.load("dst")}
	if pitched == "" {
		m.src, m.n, m.next = k.load("src"), k.load("n"), k.load("next")
		return m
	}
	m.n, m.next, m.src, m.pos, m.step = k.load("n"), k.load("next"), k.load("src"), k.load("pos"), k.load("step")
	if before > 0 {
		m.op("SUB", imm(before*m.size), m.src)
	}
	m.bits, m.stride = m.vec(), m.vec()
	m.scope(func() {
		first := m.vec()
		m.op("VDUP", m.pos, first.s4())
		m.op("VDUP", m.step, m.stride.s4())
		m.lanes(m.bits, 0, 1, 2, 3)
		m.mul(m.bits, m.bits, m.stride)
		m.op("VADD", first.s4(), m.bits.s4(), m.bits.s4())
		m.op("VSHL", imm(2), m.stride.s4(), m.stride.s4())
	})
	return m
}

// loadGains allocates the registers of the gain ramps and loads the parameters ramps and each.
func (m *mixer) loadGains() {
	m.base, m.slope, m.now, m.further = m.vec(), m.vec(), m.vec(), m.vec()
	m.numbers = m.vecsOf(turn / 2)
	m.ramps, m.each = m.load("ramps"), m.load("each")
	m.all(m.further, turn)
}

// take loads the next ramp.
func (m *mixer) take() {
	m.spread(m.base, mem(m.ramps, formula.Left), mem(m.ramps, formula.Right))
	m.spread(m.slope, mem(m.ramps, formula.LeftSlope), mem(m.ramps, formula.RightSlope))
	m.scope(func() {
		start, n, two := m.gp(), m.numbers, m.vec()
		if !m.wide { // times 2^-15
			m.op("MOVD", imm(0x38000000), start)
			m.op("VDUP", start, two.s4())
			m.fmul(m.base, m.base, two)
			m.fmul(m.slope, m.slope, two)
		}
		m.op("MOVWU", mem(m.ramps, formula.Start), start)
		m.op("VDUP", start, m.now.s4())
		m.lanes(n[0], 0, 0, 1, 1)
		m.op("VADD", m.now.s4(), n[0].s4(), n[0].s4())
		m.all(two, 2)
		m.scvtf(n[0], n[0])
		for i := 1; i < len(n); i++ {
			m.fadd(n[i], n[i-1], two)
		}
		m.scvtf(m.now, m.now)
		m.fmul(m.now, m.now, m.slope)
		m.fadd(m.now, m.base, m.now)
	})
	m.op("ADD", imm(formula.RampSize), m.ramps)
}

// all sets all lanes to a number.
func (k *kernel) all(v vec, x int) {
	k.op("FMOVS", fmt.Sprintf("$%d.0", x), v.f())
	k.op("VDUP", fmt.Sprintf("%v.S[0]", v), v.s4())
}

// spread loads two numbers into all pairs of lanes.
func (k *kernel) spread(v vec, left, right string) {
	k.scope(func() {
		x := k.vec()
		k.op("FMOVS", left, v.f())
		k.op("FMOVS", right, x.f())
		k.zip(v, v, x, false)
		k.op("VDUP", fmt.Sprintf("%v.D[0]", v), v.d2())
	})
}

// lanes sets four lanes.
func (k *kernel) lanes(v vec, lanes ...int) {
	k.scope(func() {
		r := k.gp()
		for i := range 2 {
			k.op("MOVD", imm(lanes[2*i+1]<<32|lanes[2*i]), r)
			k.op("VMOV", r, fmt.Sprintf("%v.D[%d]", v, i))
		}
	})
}

// twice emits one loop for a single constant ramp, and loops over ramps and their frames for all other cases.
// Each iteration prefetches data for the next kernel, as much as it reads itself at a step of one frame. The
// address may be invalid, since a prefetch does not read it.
func (m *mixer) twice(body func()) {
	turns := func(n gp) {
		m.loop(n, turn, func() {
			m.op("PRFM", mem(m.next, 0), "PLDL1KEEP")
			m.op("ADD", imm(turn*m.size), m.next)
			body()
			m.op("ADD", imm(8*turn), m.dst)
			if m.sends {
				m.op("ADD", imm(8*turn), m.send)
			}
		})
	}
	ramped := m.label("ramped")
	m.scope(func() {
		moves, right := m.gp(), m.gp()
		m.op("MOVWU", mem(m.ramps, formula.LeftSlope), moves)
		m.op("MOVWU", mem(m.ramps, formula.RightSlope), right)
		m.op("ORR", right, moves)
		m.op("LSLW", imm(1), moves, moves) // without the sign
		m.op("CBNZW", moves, ramped)
		m.op("CMP", m.n, m.each)
		m.op("BNE", ramped)
	})
	m.take()
	turns(m.n)
	m.op("RET")
	m.at(ramped)
	m.ramped = true
	m.take()
	left := m.gp()
	m.op("MOVD", m.each, left)
	turns(left)
	m.op("SUB", m.each, m.n)
	m.op("CBNZ", m.n, ramped)
}

// add adds two vectors of interleaved frames to dst, at the given group of four frames of the iteration.
func (m *mixer) add(half int, x [2]vec) {
	m.scope(func() {
		d := m.vecsOf(2)
		m.op("FLDPQ", mem(m.dst, 32*half), pair(d[0], d[1]))
		for i, x := range x {
			by := m.now
			if m.ramped {
				by = m.vec()
				n := m.numbers[2*half+i]
				m.fmul(by, n, m.slope)
				m.fadd(n, n, m.further)
				m.fadd(by, m.base, by)
			}
			m.fmul(x, x, by)
		}
		for i, x := range x {
			m.fadd(d[i], d[i], x)
		}
		m.op("FSTPQ", pair(d[0], d[1]), mem(m.dst, 32*half))
		if !m.sends {
			return
		}
		m.op("FLDPQ", mem(m.send, 32*half), pair(d[0], d[1]))
		for i, x := range x {
			m.f32().Plus(d[i], x, m.share, x)
		}
		m.op("FSTPQ", pair(d[0], d[1]), mem(m.send, 32*half))
	})
}

// addMono adds four frames of one sample each.
func (m *mixer) addMono(half int, x vec) {
	m.scope(func() {
		y := m.vec()
		m.zip(y, x, x, true)
		m.zip(x, x, x, false)
		m.add(half, [2]vec{x, y})
	})
}
