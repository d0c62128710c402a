package main

import (
	"fmt"
	"math"
)

// The kernels of a reverb process runs of 16 frames in four vectors.
const (
	rowSize = 64
	quarter = 16 // bytes of a vector
)

// float returns a number in all lanes.
func (k *kernel) float(x float32) vec { return k.filled(1, int(math.Float32bits(x)))[0] }

// placed returns the address in ring at index n of places.
func (k *kernel) placed(ring, places gp, n int) gp {
	r := k.gp()
	k.op("MOVW", mem(places, 4*n), r)
	k.op("ADD", fmt.Sprintf("%v<<2", r), ring, r)
	return r
}

// row loads a run, from a place that need not be aligned.
func (k *kernel) row(from gp, offset int) []vec {
	x := k.vecsOf(4)
	for i := 0; i < 4; i += 2 {
		k.op("FLDPQ", mem(from, offset+quarter*i), pair(x[i], x[i+1]))
	}
	return x
}

// storeRow stores a run.
func (k *kernel) storeRow(x []vec, to gp, offset int) {
	for i := 0; i < 4; i += 2 {
		k.op("FSTPQ", pair(x[i], x[i+1]), mem(to, offset+quarter*i))
	}
}

// sumTaps emits the sum of eight runs.
func sumTaps() {
	k := newKernel("sumTaps", "dst *float32, ring *float32, places *int32, gains *float32")
	dst, ring, places, at := k.load("dst"), k.load("ring"), k.load("places"), k.load("gains")
	sums, gains := k.zeroes(4), k.twoVectors(at, 0)
	for n := range 8 {
		k.scope(func() {
			x := k.row(k.placed(ring, places, n), 0)
			for i := range x {
				k.fmulLane(x[i], x[i], gains[n/4], n%4)
				k.fadd(sums[i], sums[i], x[i])
			}
		})
	}
	k.storeRow(sums, dst, 0)
}

// allpasses emits the all-pass filters. Each reads its delayed frames before it writes to the ring.
func allpasses() {
	k := newKernel("allpasses", "x *float32, ring *float32, from *int32, to *int32")
	at, ring, from, to := k.load("x"), k.load("ring"), k.load("from"), k.load("to")
	gain, grain, x, y := k.float(0.6), k.float(0x1p-20), k.row(at, 0), k.vecsOf(4)
	for n := range 4 {
		k.scope(func() {
			behind := k.row(k.placed(ring, from, n), 0)
			for i := range x {
				k.fmul(y[i], behind[i], gain)
				k.fsub(y[i], x[i], y[i])
				k.fadd(y[i], y[i], grain)
				k.fsub(y[i], y[i], grain)
			}
			k.storeRow(y, k.placed(ring, to, n), 0)
			for i := range x {
				k.fmul(y[i], y[i], gain)
				k.fadd(x[i], behind[i], y[i])
			}
		})
	}
	k.storeRow(x, at, 0)
}

// readLines emits the reading of the delay lines.
func readLines() {
	k := newKernel("readLines", "dst *float32, ring *float32, places *int32, part *int32, step *int32")
	dst, ring, places, part, step := k.load("dst"), k.load("ring"), k.load("places"), k.load("part"), k.load("step")
	numbers, down := map[float32]vec{}, k.float(1./(1<<16))
	for _, x := range []float32{1, -1, -2, 0.5, -0.5, 1. / 6, -1. / 6} {
		numbers[x] = k.float(x)
	}
	frames, four := k.vec(), k.vec()
	k.lanes(frames, 0, 1, 2, 3)
	for n := range 16 {
		k.scope(func() {
			from := k.placed(ring, places, n)
			if n%2 == 0 {
				k.storeRow(k.row(from, 0), dst, rowSize*n)
				return
			}
			r, t, p := k.gp(), k.vec(), k.vec()
			k.op("MOVW", mem(step, 4*n), r)
			k.op("VDUP", r, t.s4())
			k.mul(p, frames, t)
			k.op("VSHL", imm(2), t.s4(), four.s4())
			k.op("MOVW", mem(part, 4*n), r)
			k.op("VDUP", r, t.s4())
			k.op("VADD", t.s4(), p.s4(), p.s4())
			next := k.gp()
			for i := range 4 {
				k.scope(func() {
					f, g, h, j, fh, gj := k.vec(), k.vec(), k.vec(), k.vec(), k.vec(), k.vec()
					k.scvtf(f, p)
					k.fmul(f, f, down)
					k.f32().Lagrange(f, g, h, j, fh, gj, func(x float32) vec { return numbers[x] })
					for back, c := range []vec{g, f, h, j} {
						k.op("ADD", imm(4*back), from, next)
						k.op("FMOVQ", mem(next, quarter*i), t.f())
						k.fmul(c, t, c)
					}
					k.fadd(j, j, h)
					k.fadd(f, f, g)
					k.fadd(j, j, f)
					k.op("FMOVQ", j.f(), mem(dst, rowSize*n+quarter*i))
					k.op("VADD", four.s4(), p.s4(), p.s4())
				})
			}
		})
	}
}

// flushStates emits the flush to zero of the filters' 64 states.
func flushStates() {
	k := newKernel("flushStates", "states *float32, least float32")
	states, least, zero := k.load("states"), k.given("least"), k.zeroes(1)[0]
	for n := range 4 {
		k.scope(func() {
			x, small := k.row(states, rowSize*n), k.vec()
			for i := range x {
				k.fabs(small, x[i])
				k.fcmgt(small, least, small)
				k.bsl(small, zero, x[i])
				k.op("FMOVQ", small.f(), mem(states, rowSize*n+quarter*i))
			}
		})
	}
}

// transpose emits the transposition of a 16 by 16 matrix in blocks of four by four.
func (k *kernel) transpose(to, from gp) {
	rows := func(m gp) func(row, offset int) string {
		return func(row, offset int) string { return mem(m, rowSize*row+offset) }
	}
	k.transposeRows(rows(to), rows(from))
}

// transposeRows is transpose for rows at any address. to and from return the operand for an offset in a row.
// They may allocate a register.
func (k *kernel) transposeRows(to, from func(row, offset int) string) {
	k.scope(func() {
		r, c, t := k.vecsOf(4), k.vecsOf(4), k.vecsOf(4)
		for top := 0; top < 16; top += 4 {
			for left := 0; left < 16; left += 4 {
				for i, r := range r {
					k.scope(func() { k.op("FMOVQ", from(top+i, 4*left), r.f()) })
				}
				for i := range 2 {
					k.zip(t[i], r[i], r[i+2], false)
					k.zip(t[i+2], r[i], r[i+2], true)
				}
				for i, c := range c {
					k.zip(c, t[i&^1], t[i|1], i%2 == 1)
					k.scope(func() { k.op("FMOVQ", c.f(), to(left+i, 4*top)) })
				}
			}
		}
	})
}

// absorb emits the filters at the ends of the delay lines, in groups of four lines.
func absorb() {
	k := newKernel("absorb", "factors *float32, states *float32, turned *float32, x *float32, n int")
	factors, states, turned, x, n := k.load("factors"), k.load("states"), k.load("turned"), k.load("x"), k.load("n")
	k.transpose(turned, x)
	state, factor := k.vecsOf(4), k.vecsOf(11)
	frame, left := k.gp(), k.gp()
	for lines := range 4 {
		for i, s := range state {
			k.op("FMOVQ", mem(states, rowSize*i+quarter*lines), s.f())
		}
		for i, f := range factor {
			k.op("FMOVQ", mem(factors, rowSize*i+quarter*lines), f.f())
		}
		k.op("ADD", imm(quarter*lines), turned, frame)
		k.op("MOVD", n, left)
		k.loop(left, 1, func() {
			y, d, v, w, t := k.vec(), k.vec(), k.vec(), k.vec(), k.vec()
			k.op("FMOVQ", mem(frame, 0), y.f())
			for shelf := range 2 {
				c := func(i int) vec { return factor[5*shelf+i] }
				k.f32().Shelf(y, state[2*shelf], state[2*shelf+1], d, v, w, t, d, c, shelf == 1)
			}
			k.op("FMOVQ", y.f(), mem(frame, 0))
			k.op("ADD", imm(rowSize), frame)
		})
		for i, s := range state {
			k.op("FMOVQ", s.f(), mem(states, rowSize*i+quarter*lines))
		}
	}
	k.transpose(x, turned)
}

// scatter emits the Hadamard matrix, the writing of the delay lines, and the output.
func scatter() {
	k := newKernel("scatter", "out *float32, peaks *float32, x *float32, in *float32, first *float32, gains *float32, ring *float32, places *int32")
	out, peaks, x, in := k.load("out"), k.load("peaks"), k.load("x"), k.load("in")
	first, gains, ring, places := k.load("first"), k.load("gains"), k.load("ring"), k.load("places")
	const left, right, turned = 5, 10, 0x5a3c
	quarterOf, grain := k.float(0.25), k.float(0x1p-20)
	for part := range 4 {
		at := quarter * part
		k.scope(func() {
			read := func(base gp, row int) vec {
				v := k.vec()
				k.op("FMOVQ", mem(base, rowSize*row+at), v.f())
				return v
			}
			rows, free := make([]vec, 16), k.vec()
			for i := range rows {
				rows[i] = read(x, i)
			}
			for half := 1; half < 16; half *= 2 {
				for i := range rows {
					if i&half == 0 {
						a, b := rows[i], rows[i+half]
						k.fadd(free, a, b)
						k.fsub(b, a, b)
						rows[i], free = free, a
					}
				}
			}
			sides, peak, heard := []vec{read(in, 0), read(in, 1)}, k.zeroes(1)[0], k.vecsOf(2)
			for i, y := range rows {
				k.fmul(y, y, quarterOf)
				switch i {
				case left:
					k.move(heard[0], y)
				case right:
					k.move(heard[1], y)
				}
				if turned>>i&1 != 0 {
					k.fsub(y, y, sides[i%2])
				} else {
					k.fadd(y, y, sides[i%2])
				}
				k.fadd(y, y, grain)
				k.fsub(y, y, grain)
				k.scope(func() { k.op("FMOVQ", y.f(), mem(k.placed(ring, places, i), at)) })
				k.fabs(y, y)
				k.op("VUMAX", y.s4(), peak.s4(), peak.s4())
			}
			k.op("FMOVQ", peak.f(), mem(peaks, at))
			late, early := rows[0], rows[1]
			load := func(v vec, base gp, row int) { k.op("FMOVQ", mem(base, rowSize*row+at), v.f()) }
			load(late, gains, 0)
			load(early, gains, 1)
			for side, y := range heard {
				t := rows[2]
				load(t, first, side)
				k.fmul(y, y, late)
				k.f32().Plus(y, t, early, t)
			}
			same, other := rows[0], rows[1]
			load(same, gains, 2)
			load(other, gains, 3)
			for side := range heard {
				y, t := rows[2+side], rows[4]
				k.fmul(y, heard[side], same)
				k.f32().Plus(y, heard[1-side], other, t)
			}
			k.zip(rows[4], rows[2], rows[3], false)
			k.zip(rows[5], rows[2], rows[3], true)
			k.op("FSTPQ", pair(rows[4], rows[5]), mem(out, 2*at))
		})
	}
}
