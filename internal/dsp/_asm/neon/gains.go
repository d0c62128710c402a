package main

import "fmt"

// turn is how many frames a kernel takes at a time.
const turn = 8

// gains are the left and right factors of the frames of a turn: four vectors of two
// frames, interleaved as in dst. A ramp is its base plus the number of the frame
// times its slope, one rounding each.
type gains struct {
	*kernel
	base, slope vec
	n           []vec // the numbers of the frames
	now         vec   // of a still ramp: the gains
	further     vec   // frames of a turn
	moves       gp    // zero when the gains do not move
	ramped      bool
}

func (k *kernel) loadGains() *gains {
	g := &gains{kernel: k}
	g.base, g.slope, g.now, g.further = k.vec(), k.vec(), k.vec(), k.vec()
	g.n = k.vecsOf(turn / 2)
	g.moves = k.loadWord("leftSlope")
	k.spread(g.base, "left", "right")
	k.spread(g.slope, "leftSlope", "rightSlope")
	k.scope(func() {
		right, start := k.loadWord("rightSlope"), k.load("start")
		k.op("ORR", right, g.moves)
		k.op("LSLW", imm(1), g.moves, g.moves) // without the sign
		k.op("VDUP", start, g.now.s4())
		k.numbers(g.n[0], 0, 0, 1, 1)
		k.op("VADD", g.now.s4(), g.n[0].s4(), g.n[0].s4())
		k.op("FMOVS", "$2.0", g.further.f())
		k.op("VDUP", fmt.Sprintf("%v.S[0]", g.further), g.further.s4())
		k.scvtf(g.n[0], g.n[0])
		for i := 1; i < len(g.n); i++ {
			k.fadd(g.n[i], g.n[i-1], g.further)
		}
		k.op("FMOVS", fmt.Sprintf("$%d.0", turn), g.further.f())
		k.op("VDUP", fmt.Sprintf("%v.S[0]", g.further), g.further.s4())
		k.scvtf(g.now, g.now)
		k.fmul(g.now, g.now, g.slope)
		k.fadd(g.now, g.base, g.now)
	})
	return g
}

// spread loads two arguments into all pairs of lanes.
func (k *kernel) spread(v vec, left, right string) {
	k.scope(func() {
		x := k.vec()
		k.op("FMOVS", k.arg(left), v.f())
		k.op("FMOVS", k.arg(right), x.f())
		k.zip(v, v, x, false)
		k.op("VDUP", fmt.Sprintf("%v.D[0]", v), v.d2())
	})
}

// numbers sets four lanes.
func (k *kernel) numbers(v vec, lanes ...int) {
	k.scope(func() {
		r := k.gp()
		for i := range 2 {
			k.op("MOVD", imm(lanes[2*i+1]<<32|lanes[2*i]), r)
			k.op("VMOV", r, fmt.Sprintf("%v.D[%d]", v, i))
		}
	})
}

// twice emits a kernel's loop for gains that stand still, and for those that move.
func (g *gains) twice(loop func()) {
	ramped := g.label("ramped")
	g.op("CBNZW", g.moves, ramped)
	g.scope(loop)
	g.op("RET")
	g.at(ramped)
	g.ramped = true
	g.scope(loop)
	g.op("RET")
}

// add adds two vectors of interleaved frames, the half'th four of a turn, to dst.
func (g *gains) add(half int, x [2]vec, dst gp) {
	g.scope(func() {
		d := g.vecsOf(2)
		g.op("FLDPQ", mem(dst, 32*half), pair(d[0], d[1]))
		for i, x := range x {
			by := g.now
			if g.ramped {
				by = g.vec()
				n := g.n[2*half+i]
				g.fmul(by, n, g.slope)
				g.fadd(n, n, g.further)
				g.fadd(by, g.base, by)
			}
			g.fmul(x, x, by)
		}
		for i, x := range x {
			g.fadd(d[i], d[i], x)
		}
		g.op("FSTPQ", pair(d[0], d[1]), mem(dst, 32*half))
	})
}

// addMono adds four frames of one sample each.
func (g *gains) addMono(half int, x vec, dst gp) {
	g.scope(func() {
		y := g.vec()
		g.zip(y, x, x, true)
		g.zip(x, x, x, false)
		g.add(half, [2]vec{x, y}, dst)
	})
}

// ask asks for what the next kernel is going to read, as much in a turn as this one
// reads itself, at a step of one frame. What is asked for is not read: it may lie
// anywhere.
func (k *kernel) ask(next gp, size int) {
	k.op("PRFM", mem(next, 0), "PLDL1KEEP")
	k.op("ADD", imm(size), next)
}
